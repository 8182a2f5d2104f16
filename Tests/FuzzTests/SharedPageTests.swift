import FuzzTargets
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

/// Stores whose pages refer to the same ones repeatedly, so a few kilobytes contain an enormous number of rows.
struct SharedPageTests {
  private let library: ThirtyTracks
  private var path: String { library.path }

  init() throws { library = try ThirtyTracks() }

  private func problem(_ work: (StoreReader) throws(MigrationError) -> Void = { _ in }) -> MigrationError? {
    do throws(MigrationError) {
      let reader = try StoreReader(path: path)
      try work(reader)
      try reader.close()
      return nil
    } catch {
      return error
    }
  }

  private func root(_ name: String) throws -> Int {
    try #require(
      try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", in: path).flatMap { Int($0) })
  }

  @Test(arguments: ["ZTRACK", "own"]) func `Shared pages in a table or an index count as damage`(name: String) throws {
    try Database.run("CREATE INDEX own ON ZTRACK (ZTITLE)", in: path)
    try SharedPages.make(in: path, root: root(name), isIndex: name == "own")
    #expect(problem()?.detail == "its table 'ZTRACK' seems to have more rows than fit into the file")
    try FuzzTarget.store.read(Files.bytes(path))
  }

  @Test func `Shared pages in a large file are found before all rows are read`() throws {
    try SharedPages.make(in: path, root: root("ZTRACK"))
    try Files.resize(path, to: 65 << 20)
    let time = CPUTime.measure {
      let error = problem { reader throws(MigrationError) in try reader.requireBoundedTables() }
      #expect(error?.code == .damaged)
      #expect(error?.detail == "its table 'ZTRACK' seems to have more rows than fit into the file")
    }
    // A query for a few rows need not wait.
    #expect(problem() == nil)
    #expect(time < .seconds(20 * Sanitizer.slowness))
  }

  @Test func `Many tables with the same root page count as damage`() throws {
    let root = try root("ZTRACK")
    let names = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) "
    try Database.run(
      """
      PRAGMA writable_schema = ON; \(names) INSERT INTO sqlite_schema
      SELECT 'table', 't' || i, 't' || i, \(root), 'CREATE TABLE t' || i || ' (a)' FROM n
      """, in: path)
    #expect(problem()?.detail?.hasSuffix("seems to have more rows than fit into the file") == true)
  }

  @Test func `Shared pages in the schema itself count as damage`() throws {
    let columns = (1...300).map { "c\($0) UNIQUE" }.joined(separator: ", ")
    try Database.run("CREATE TABLE own (\(columns))", in: path)
    // By now the schema has a leaf that only lists indexes of `own`, which SQLite accepts many times.
    try SharedPages.make(in: path, root: 1)
    let time = CPUTime.measure {
      #expect(problem()?.detail == "its schema seems to have more entries than fit into it")
    }
    #expect(time < .seconds(20 * Sanitizer.slowness))
  }
}

import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("The check of a store's pages") struct PageCheckTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("Store.sqlite") }

  private static let more = """
    WITH RECURSIVE n(i) AS (SELECT max(Z_PK) + 1 FROM ZTRACK UNION ALL SELECT i + 1 FROM n LIMIT 200)
    INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT i, 1, 1, hex(zeroblob(300)) FROM n
    """

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    try TrackLibraryBuilder((1...2000).map { TrackRow($0, json: "{\"artists\":[{\"name\":\"\($0)\"}]}") })
      .write(to: path)
    try Database.run("CREATE TABLE own (a PRIMARY KEY, b)", in: path)
  }

  private func problem() throws -> MigrationError? {
    let store = try StoreReader(path: path)
    do throws(MigrationError) {
      try store.checkingPages {}
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "SELECT 1", "PRAGMA auto_vacuum = FULL; VACUUM", "PRAGMA auto_vacuum = INCREMENTAL; VACUUM; DELETE FROM ZTRACK WHERE Z_PK > 9",
    "DELETE FROM ZTRACK WHERE Z_PK % 50 > 0", "DROP TABLE Z_MODELCACHE", "PRAGMA page_size = 512; VACUUM", "PRAGMA encoding = 'UTF-16'",
    "INSERT INTO own VALUES (zeroblob(100000), zeroblob(3000000))", "DELETE FROM ZTRACK",
  ])
  func `A whole store passes`(change: String) throws {
    try Database.run(change, in: path)
    for mode in ["DELETE", "WAL"] {
      try Database.run("PRAGMA journal_mode = \(mode); INSERT INTO own VALUES ('\(mode)', 1)", in: path)
      #expect(try problem() == nil)
    }
  }

  @Test(arguments: ["SELECT 1", "PRAGMA page_size = 512; VACUUM"])
  func `Pages that nothing leads to are damage, although every query succeeds`(change: String) throws {
    try Database.run(change, in: path)
    try LostWrite.make(in: path, ofRootOf: "ZTRACK", during: Self.more)
    let count = try #require(try Database.value("SELECT count(*) FROM ZTRACK", in: path).flatMap { Int($0) })
    #expect(count < 2200)
    let error = try problem()
    #expect(error?.code == .damaged)
    #expect(error?.detail?.contains("rows may be missing: ") == true)
  }

  @Test func `Pages to which several lead are damage`() throws {
    let root = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'own'", in: path)
    let number = try #require(root.flatMap { Int($0) })
    try SharedPages.make(in: path, root: number)
    try Files.resize(path, to: 65 << 20)
    #expect(try problem()?.code == .damaged)
  }

  @Test func `A failure of the work ends the check`() throws {
    let store = try StoreReader(path: path)
    for _ in 0..<50 {
      let error = #expect(throws: MigrationError.self) {
        try store.checkingPages { () throws(MigrationError) in throw MigrationError(.interrupted) }
      }
      #expect(error?.code == .interrupted)
    }
    try store.checkingPages {}
    try store.close()
  }
}

import SQLiteDatabase
import TestSupport
import Testing

@Suite("The walk over pages") struct PageWalkTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("store") }

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  private static let rows = """
    CREATE TABLE t (k INTEGER PRIMARY KEY, a INTEGER, b TEXT, c REAL);
    CREATE INDEX i ON t (a, b); CREATE INDEX j ON t (b DESC, c); CREATE INDEX n ON t (b COLLATE NOCASE);
    CREATE TABLE l (a INTEGER, b INTEGER, PRIMARY KEY (a, b)); CREATE INDEX m ON l (b, a);
    CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000)
    INSERT INTO t SELECT x * 3 % 3001, CASE WHEN x % 7 THEN x % 100 END, hex(x * x), x / 4.0 FROM n;
    INSERT INTO l SELECT a, k FROM t WHERE a > 3; INSERT INTO w SELECT b, k FROM t WHERE k % 3 = 0;
    """

  private func fittingTables(comparing comparesIndexes: Bool = true) throws -> Set<String>? {
    try Connection(path: path, access: .readOnly).tablesWithFittingIndexes(comparesIndexes: comparesIndexes)
  }

  @Test(arguments: [
    "SELECT 1", "PRAGMA auto_vacuum = FULL; VACUUM", "PRAGMA page_size = 512; VACUUM",
    "PRAGMA page_size = 65536; VACUUM",
    "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA page_size = 1024; VACUUM; DELETE FROM t WHERE k % 40 > 3",
    "DELETE FROM t; DELETE FROM l", "INSERT INTO t VALUES (9000, 1, hex(zeroblob(90000)), 2)",
    "ALTER TABLE t ADD COLUMN d; CREATE INDEX o ON t (d, a); INSERT INTO t (a, d) VALUES (1, 'd')",
    "DELETE FROM t WHERE k % 3 = 1; UPDATE t SET b = b || hex(zeroblob(k % 300)) WHERE k % 2",
    "INSERT INTO t (k, a, c) VALUES (-5, 9223372036854775807, 1e300), (-4, -9223372036854775808, 4.0)",
    "UPDATE t SET b = CASE k % 4 WHEN 0 THEN zeroblob(k % 9) WHEN 1 THEN '' WHEN 2 THEN 'é' || k END, a = k * 0.5",
  ])
  func `Healthy pages fit together, and their indexes to their tables`(change: String) throws {
    try Database.run(Self.rows, in: path)
    try Database.run(change, in: path)
    for mode in ["DELETE", "WAL"] {
      try Database.run("PRAGMA journal_mode = \(mode); INSERT INTO w VALUES ('\(mode)', 1)", in: path)
      // A long value of an index is not in one page, and the order of other letters is SQLite's.
      #expect(try fittingTables() == ["l"])
      try Database.run("DROP INDEX n", in: path)
      #expect(try fittingTables() == (change.contains("90000") ? ["l"] : ["l", "t"]))
      #expect(try fittingTables(comparing: false) == [])
      try Database.run("CREATE INDEX n ON t (b COLLATE NOCASE)", in: path)
    }
  }

  private func reachesPagesOnce() throws -> Bool {
    let roots = try Database.rows("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0", in: path).compactMap(
      Int.init)
    return try Connection(path: path, access: .readOnly).reachesPagesOnce(from: roots)
  }

  @Test(arguments: ["SELECT 1", "PRAGMA auto_vacuum = FULL; VACUUM", "PRAGMA page_size = 512; VACUUM", "DELETE FROM t"])
  func `Each page of healthy tables and indexes is reached once`(change: String) throws {
    try Database.run(Self.rows + change, in: path)
    #expect(try reachesPagesOnce())
    let roots = try Database.rows("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0", in: path).compactMap(
      Int.init)
    let connection = try Connection(path: path, access: .readOnly)
    #expect(try !connection.reachesPagesOnce(from: roots + [roots[0]]))
    #expect(try !connection.reachesPagesOnce(from: [1_000_000]))
  }

  @Test(arguments: ["t", "l", "w", "i", "m"]) func `A page that is reached twice is found`(name: String) throws {
    try Database.run(Self.rows, in: path)
    let root = try #require(
      try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", in: path).flatMap { Int($0) })
    try SharedPages.make(in: path, root: root, isIndex: name != "t" && name != "l")
    #expect(try !reachesPagesOnce())
  }

  @Test func `Pages in a log are left to SQLite`() throws {
    try Database.run(Self.rows, in: path)
    let writer = try Connection(path: path, access: .readWrite)
    #expect(try writer.text("PRAGMA journal_mode = WAL") == "wal")
    #expect(try fittingTables() != nil)
    try writer.execute("INSERT INTO w VALUES ('log', 1)")
    #expect(try fittingTables() == nil)
    #expect(try !reachesPagesOnce())
  }

  @Test func `A table whose missing values have a default is left to SQLite`() throws {
    try Database.run(Self.rows + "ALTER TABLE l ADD COLUMN d DEFAULT 5; CREATE INDEX o ON l (d)", in: path)
    #expect(try fittingTables() == [])
  }

  @Test func `Cells that a page does not have room for are not read`() throws {
    let reader = TreePageReader(PageFormat(pageSize: 512, usableSize: 512, hasPageMap: false))
    // A leaf that claims 65,535 cells; the last one that it has room for goes on beyond the page.
    var page = [UInt8](repeating: 0xFF, count: 512 + TreePageReader.padding)
    page.replaceSubrange(0..<10, with: [13, 0, 0, 0xFF, 0xFF, 0, 10, 0, 1, 244])
    page.replaceSubrange(500..<502, with: [100, 1])
    try page.withUnsafeBytes { bytes in
      let start = try #require(bytes.baseAddress)
      let header = try #require(TreePageHeader(start, at: 0))
      #expect(reader.offset(0, of: start, header) == 500)
      #expect((0..<header.cellCount).allSatisfy { reader.cell($0, of: start, header) == nil })
    }
  }

  @Test func `An end request ends the walk`() throws {
    try Database.run(Self.rows, in: path)
    let connection = try Connection(path: path, access: .readOnly)
    connection.onProgress(every: 1_000_000) { true }
    let error = #expect(throws: SQLiteError.self) { try connection.tablesWithFittingIndexes(comparesIndexes: false) }
    #expect(error?.code == SQLiteError.interrupted)
    connection.onProgress(every: 0, nil)
    #expect(try connection.tablesWithFittingIndexes(comparesIndexes: false) != nil)
    connection.interrupt()
    #expect(throws: SQLiteError.self) { try connection.tablesWithFittingIndexes(comparesIndexes: false) }
  }

  /// Whatever SQLite finds in pages and indexes, the walk finds, so that SQLite is asked.
  @Test(arguments: [
    "SELECT 1", "PRAGMA auto_vacuum = FULL; PRAGMA page_size = 512; VACUUM", "DELETE FROM t WHERE k % 8 < 5",
  ])
  func `Random damage is never passed over`(change: String) throws {
    try Database.run(Self.rows, in: path)
    try Database.run("DROP INDEX n; DROP TABLE w; \(change)", in: path)
    let whole = try Files.bytes(path)
    let size = max(512, Int(whole[16]) << 8 | Int(whole[17]))
    var random = SeededGenerator(seed: 34)
    var (foundCount, passedCount) = (0, 0)
    let rounds = Rounds.count(300)
    for _ in 0..<rounds {
      var bytes = whole
      // Mostly where pages have their headers and pointers to cells.
      let page = Int(random.next() % UInt64(whole.count / size)) * size
      let place = page + Int(random.next() % (random.next() % 2 == 0 ? 64 : UInt64(size)))
      let old = bytes[place]
      bytes[place] =
        random.next() % 2 == 0 ? UInt8(truncatingIfNeeded: random.next()) : old ^ (1 << UInt8(random.next() % 8))
      try Files.write(bytes, to: path)
      if (try? fittingTables(comparing: false)) != nil {
        let answer = try? Connection(path: path, access: .readOnly).text("PRAGMA quick_check(1)")
        #expect(
          answer.map { !$0.hasPrefix("***") && !$0.hasSuffix("malformed") } == true, "\(place): \(old), \(bytes[place])"
        )
      }
      guard (try? fittingTables()) == ["l", "t"] else {
        foundCount += 1
        continue
      }
      passedCount += 1
      let answer = try Connection(path: path, access: .readOnly).text("PRAGMA integrity_check(1)")
      #expect(answer == "ok", "\(place): \(old) became \(bytes[place])")
    }
    #expect(foundCount > rounds / 5 && passedCount > rounds / 30)
  }
}

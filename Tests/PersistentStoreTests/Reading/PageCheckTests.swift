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

  private func problem(for access: RowAccess = .tables) throws -> MigrationError? {
    let store = try StoreReader(path: path)
    do {
      try store.checkingPages(for: access) {}
      return nil
    } catch let error as MigrationError {
      return error
    }
  }

  @Test(arguments: [
    "SELECT 1", "PRAGMA auto_vacuum = FULL; VACUUM",
    "PRAGMA auto_vacuum = INCREMENTAL; VACUUM; DELETE FROM ZTRACK WHERE Z_PK > 9",
    "DELETE FROM ZTRACK WHERE Z_PK % 50 > 0", "DROP TABLE Z_MODELCACHE", "PRAGMA page_size = 512; VACUUM",
    "PRAGMA encoding = 'UTF-16'",
    "INSERT INTO own VALUES (zeroblob(100000), zeroblob(3000000))", "DELETE FROM ZTRACK",
  ])
  func `A whole store passes`(change: String) throws {
    try Database.run(change, in: path)
    for mode in ["DELETE", "WAL"] {
      try Database.run("PRAGMA journal_mode = \(mode); INSERT INTO own VALUES ('\(mode)', 1)", in: path)
      for access in [RowAccess.tables, .tablesAndIndexes] { #expect(try problem(for: access)?.detail == nil) }
    }
  }

  @Test(arguments: [
    "CREATE INDEX i ON ZTRACK (ZTITLE)", "CREATE INDEX i ON ZTRACK (ZTITLE DESC, Z_ENT)",
    "CREATE INDEX i ON ZTRACK (ZTITLE COLLATE NOCASE)", "CREATE INDEX i ON ZTRACK (ZTITLE) WHERE Z_PK > 3",
    "CREATE INDEX i ON ZTRACK (length(ZTITLE))", "CREATE UNIQUE INDEX i ON ZTRACK (ZLASTPLAYEDAT)",
  ])
  func `An index that lacks a row is damage for whoever looks rows up in it`(index: String) throws {
    try Database.run(index, in: path)
    #expect(try problem(for: .tablesAndIndexes)?.detail == nil)
    let entry = "SELECT quote(sql) || ', ' || rootpage FROM sqlite_schema WHERE name = 'i'"
    let values = try #require(try Database.value(entry, in: path))
    let change = "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'i'"
    try Database.run(change, in: path)
    try Database.run("INSERT INTO ZTRACK (Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 'new')", in: path)
    try Database.run(
      """
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema (type, name, tbl_name, sql, rootpage) VALUES ('index', 'i', 'ZTRACK', \(values))
      """, in: path)
    let error = try #require(try problem(for: .tablesAndIndexes), "\(index)")
    #expect(error.code == .damaged)
    #expect(error.detail?.hasSuffix(", so rows may be missing") == true)
    #expect(try problem() == nil)
    let advice = try #require(error.advice?.worded(\.swiftName).firstRange(of: "with: "))
    let text = error.advice?.worded(\.swiftName) ?? ""
    try Database.run(String(text[advice.upperBound...]), in: path)
    #expect(try problem(for: .tablesAndIndexes)?.detail == nil)
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

  @Test(arguments: [
    "CREATE TABLE kv (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO kv SELECT hex(zeroblob(200)) || Z_PK, 1 FROM ZTRACK",
    "CREATE TABLE kv (k TEXT, v); INSERT INTO kv SELECT hex(zeroblob(200)) || Z_PK, 1 FROM ZTRACK",
  ])
  func `Rows that a page has lost are damage, whatever the kind of the table`(table: String) throws {
    try Database.run(table, in: path)
    let root = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'kv'", in: path).flatMap { Int($0) }
    var bytes = try Files.bytes(path)
    // Half of the cells, by their number in the page (sqlite.org/fileformat.html).
    bytes[(try #require(root) - 1) * 4096 + 4] /= 2
    try Files.write(bytes, to: path)
    #expect(try problem()?.code == .damaged)
  }

  @Test func `An index in an order that only the app knows is no damage`() throws {
    try Database.run(
      """
      CREATE INDEX own_order ON ZTRACK (ZTITLE COLLATE NOCASE); PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'NSCollateLocaleSensitive') WHERE name = 'own_order'
      """, in: path)
    for access in [RowAccess.tables, .tablesAndIndexes] { #expect(try problem(for: access)?.detail == nil) }
  }

  @Test func `A row that breaks a rule is no damage`() throws {
    try Database.run(
      """
      CREATE TABLE strict (a, b); INSERT INTO strict VALUES (NULL, 1); PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE TABLE strict (a NOT NULL, b)' WHERE name = 'strict'
      """, in: path)
    #expect(try Database.integrity(path) != ["ok"])
    for access in [RowAccess.tables, .tablesAndIndexes] { #expect(try problem(for: access)?.detail == nil) }
  }

  /// SQLite calls each of these files damaged.
  @Test(arguments: [
    "an index that the schema has forgotten", "an index that leads past pages", "a wrong number of free pages",
  ])
  func `Damage that hides no row passes`(kind: String) throws {
    try Database.run("CREATE INDEX long ON ZTRACK (ZTITLE)", in: path)
    switch kind {
    case "an index that the schema has forgotten":
      try Database.run("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'long'", in: path)
    case "an index that leads past pages":
      try LostWrite.make(in: path, ofRootOf: "long", during: "UPDATE ZTRACK SET ZTITLE = hex(zeroblob(300)) || Z_PK")
    default:
      try Database.run("CREATE TABLE free AS SELECT * FROM ZTRACK LIMIT 90; DROP TABLE free", in: path)
      // Their number in the header (sqlite.org/fileformat.html).
      var bytes = try Files.bytes(path)
      bytes[39] -= 1
      try Files.write(bytes, to: path)
    }
    #expect(try Database.integrity(path) != ["ok"])
    let count = try Database.value("SELECT count(*) FROM ZTRACK NOT INDEXED", in: path)
    #expect(count == "2000")
    #expect(try problem()?.detail == nil)
  }

  @Test func `Pages to which several lead are damage`() throws {
    let root = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'own'", in: path)
    let number = try #require(root.flatMap { Int($0) })
    try SharedPages.make(in: path, root: number)
    try Files.resize(path, to: 65 << 20)
    #expect(try problem()?.code == .damaged)
  }

  @Test func `Rows that cannot be counted twice are blamed on the pages, if these are damaged`() throws {
    func code() throws -> MigrationError.Code? {
      let store = try StoreReader(path: path)
      let error = #expect(throws: MigrationError.self) {
        try store.checkingPages(for: .tables) { throw MigrationError(.changedMeanwhile) }
      }
      return error?.code
    }
    #expect(try code() == .changedMeanwhile)
    try LostWrite.make(in: path, ofRootOf: "ZTRACK", during: Self.more)
    #expect(try code() == .damaged)
  }

  @Test func `A failure of the work ends the check`() throws {
    let store = try StoreReader(path: path)
    for _ in 0..<50 {
      let error = #expect(throws: MigrationError.self) {
        try store.checkingPages(for: .tables) { throw MigrationError(.interrupted) }
      }
      #expect(error?.code == .interrupted)
    }
    try store.checkingPages(for: .tables) {}
    try store.close()
  }
}

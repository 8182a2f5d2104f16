import DataModel
import FuzzTargets
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

/// Stores with a false schema.
///
/// None of their SQL runs, no read takes forever, and nothing is changed.
struct HostileStoreTests {
  private let library: ThirtyTracks
  private var path: String { library.path }

  init() throws { library = try ThirtyTracks() }

  private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "

  /// Statements that falsify the store.
  ///
  /// Each leaves a file that SQLite opens or refuses.
  static let lies = [
    "DROP TABLE ZTRACK; CREATE VIEW ZTRACK AS \(endless) i AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT, NULL AS ZJSON FROM n",
    "CREATE TRIGGER t AFTER INSERT ON ZTRACK BEGIN DELETE FROM Z_METADATA; END",
    "CREATE TRIGGER t AFTER UPDATE ON Z_PRIMARYKEY BEGIN \(endless) i FROM n; END",
    "CREATE INDEX i ON ZTRACK (abs(Z_PK), hex(ZJSON))", "CREATE INDEX i ON ZTRACK (ZTITLE) WHERE ZTITLE > 'A'",
    "CREATE TABLE t (Z_PK INTEGER PRIMARY KEY, Z_ENT, Z_OPT, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, ZJSON, ZTITLE) WITHOUT ROWID; INSERT INTO t SELECT * FROM ZTRACK; DROP TABLE ZTRACK; ALTER TABLE t RENAME TO ZTRACK",
    "ALTER TABLE ZTRACK DROP COLUMN ZJSON; ALTER TABLE ZTRACK ADD COLUMN ZJSON AS (hex(zeroblob(100000000)))",
    "ALTER TABLE ZTRACK ADD COLUMN \"a\"\"; DROP TABLE ZTRACK; --\"; CREATE TABLE \"b'; --\" (\"c\"\"\" TEXT)",
    "CREATE TABLE \"🎵 ]\" (\"\" BLOB); CREATE TABLE [a b] (x CHECK (x > (randomblob(1000000))))",
    "CREATE VIRTUAL TABLE v USING fts5(x); INSERT INTO v VALUES ('a')",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 1",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 999999 WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = -1 WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 'x', tbl_name = x'00' WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'Z' || char(0) || 'TRACK' WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE VIEW ZTRACK AS SELECT 1' WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE ZTRACK (Z_PK, Z_PK)' WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'DROP TABLE ZTRACK' WHERE name = 'ZTRACK'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = NULL",
    "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM sqlite_schema",
    "UPDATE Z_METADATA SET Z_PLIST = zeroblob(5000000)",
    "UPDATE Z_METADATA SET Z_UUID = zeroblob(1000000), Z_VERSION = -9223372036854775808",
    "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA",
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Track' || char(0), Z_MAX = 'x'",
    "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "UPDATE Z_PRIMARYKEY SET Z_ENT = 9223372036854775807",
    "UPDATE ZTRACK SET Z_PK = -Z_PK", "UPDATE ZTRACK SET ZJSON = zeroblob(3000000) WHERE Z_PK = 1",
    "UPDATE ZTRACK SET ZTITLE = CAST(x'FF00FE' AS TEXT), ZJSON = CAST(x'EDA080' AS TEXT), Z_ENT = 1.5",
    "INSERT INTO Z_MODELCACHE VALUES (zeroblob(1000000))",
    "PRAGMA user_version = -1; PRAGMA application_id = 1",
  ]

  @Test(arguments: lies) func `A false schema or row is handled`(sql: String) throws {
    try Database.run(sql, in: path)
    let bytes = try Files.bytes(path)
    let time = try CPUTime.measure { try FuzzTarget.store.read(bytes) }
    // The actual time is a few milliseconds. The rest is a margin for slow machines.
    #expect(time < .seconds(20 * Sanitizer.slowness))
  }

  private func problem() -> MigrationError? {
    do throws(MigrationError) {
      try StoreReader(path: path).close()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("Z_METADATA", "Z_VERSION INTEGER PRIMARY KEY, Z_UUID, Z_PLIST AS (zeroblob(1000000000))"),
    ("Z_PRIMARYKEY", "Z_ENT, Z_NAME AS (hex(zeroblob(100000000))), Z_SUPER, Z_MAX"),
  ])
  func `A generated column is not read`(table: String, columns: String) throws {
    try Database.run(
      "DROP TABLE \(table); CREATE TABLE \(table) (\(columns)); INSERT INTO \(table) DEFAULT VALUES", in: path)
    let error = try #require(problem())
    #expect(error.code == .damaged)
    #expect(error.detail == "table \(table) lacks columns that Core Data writes")
  }

  @Test func `A model cache with generated content is ignored`() throws {
    try Database.run(
      """
      DROP TABLE Z_MODELCACHE; CREATE TABLE Z_MODELCACHE (x, Z_CONTENT AS (zeroblob(10000000)));
      INSERT INTO Z_MODELCACHE VALUES (1)
      """, in: path)
    let reader = try StoreReader(path: path)
    #expect(try reader.cachedModel() == nil)
    try reader.close()
  }

  @Test func `A virtual table disguised as a plain one is not read`() throws {
    try Database.run(
      """
      CREATE VIRTUAL TABLE v USING fts5(Z_ENT, Z_NAME, Z_SUPER, Z_MAX); DROP TABLE Z_PRIMARYKEY;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET name = 'Z_PRIMARYKEY', tbl_name = 'Z_PRIMARYKEY', rootpage = 3,
        sql = 'CREATE VIRTUAL TABLE Z_PRIMARYKEY USING fts5(Z_ENT, Z_NAME, Z_SUPER, Z_MAX)' WHERE name = 'v';
      """, in: path)
    let error = try #require(problem())
    #expect(error.code == .notACoreDataStore || error.code == .damaged)
    #expect(error.detail?.contains("fts") != true)
  }

  @Test func `A store with too many entities is damaged`() throws {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 20001) "
    try Database.run("INSERT INTO Z_PRIMARYKEY \(numbers) SELECT i, 'E' || i, i - 1, 0 FROM n", in: path)
    #expect(problem()?.detail == "its table Z_PRIMARYKEY has more than 20000 rows")
  }

  @Test(arguments: [StoreUse.read, .lock])
  func `A damaged store in write-ahead log mode gets no log and no index`(use: StoreUse) throws {
    try Database.run(
      "PRAGMA journal_mode = WAL; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x'", in: path)
    Files.remove(path + "-wal")
    Files.remove(path + "-shm")
    let before = try library.folder.snapshot()
    #expect(throws: MigrationError.self) {
      switch use {
      case .read: _ = try StoreReader(path: path)
      case .lock: _ = try StoreWriteLock(StoreFile(path), busyTimeout: 0).takeOver()
      }
    }
    #expect(try library.folder.snapshot() == before)
  }

  enum StoreUse: Sendable { case read, lock }
}

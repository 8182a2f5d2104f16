import Foundation
import TestSupport
import Testing

@Suite("Data that the new model cannot hold")
struct ForeignContentTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try Database.run(
      """
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZAUTHOR VARCHAR);
      INSERT INTO ATRANSACTION VALUES (1, 'app'), (2, 'app');
      ALTER TABLE ZTRACK ADD COLUMN ZRATING INTEGER;
      UPDATE ZTRACK SET ZRATING = 5 WHERE Z_PK = 1;
      PRAGMA user_version = 7; PRAGMA application_id = 99;
      """, in: library)
  }

  @Test func `Data that is left behind is listed in the summary and in the statistics`() throws {
    let result = try successfully(library)
    #expect(
      result.stderr.contains(
        "left behind                2  things that the new library does not have:"))
    #expect(result.stderr.contains("ATRANSACTION: 2 rows"))
    #expect(result.stderr.contains("ZTRACK.ZRATING: 1 row\n"))
    let report = try Files.text(library + ".migration.json")
    #expect(report.contains("\"ATRANSACTION\" : 2"))
    #expect(report.contains("\"ZTRACK.ZRATING\" : 1"))
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test func `Data that would be left behind stops a strict migration without changes`() throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate(library, "--strict")
    #expect(result.status == 65)
    #expect(result.stderr.contains("ATRANSACTION (2), ZTRACK.ZRATING (1)"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A table with an empty name is reported as a table without a name`() throws {
    try Database.run("CREATE TABLE '' (a); INSERT INTO '' VALUES (1)", in: library)
    #expect(try successfully(library).stderr.contains("a table without a name: 1 row\n"))
  }

  @Test func `The user version and application ID in the header are kept`() throws {
    try successfully(library)
    #expect(try Database.rows("PRAGMA user_version", in: library) == ["7"])
    #expect(try Database.rows("PRAGMA application_id", in: library) == ["99"])
  }
}

/// SQL that is planted in a store, and the expected report.
///
/// `ZT` stands for a table of an entity.
struct PlantedContent: CustomTestStringConvertible {
  let sql: String
  let name: String
  let reason: String
  var testDescription: String { name }

  /// Returns the SQL and the name for a store with a given table.
  func `in`(_ table: String) -> (sql: String, name: String) {
    (sql.replacing("ZT", with: table), name.replacing("ZT", with: table))
  }

  static let all = [
    PlantedContent(sql: "CREATE VIEW mine AS SELECT Z_PK FROM ZT", name: "mine", reason: "view"),
    PlantedContent(
      sql: "CREATE TABLE own (a); CREATE VIEW mine AS SELECT a FROM own", name: "mine", reason: "view"),
    PlantedContent(sql: "CREATE VIRTUAL TABLE mine USING fts5(a)", name: "mine", reason: "virtual-table"),
    PlantedContent(
      sql: "CREATE VIRTUAL TABLE mine USING rtree(a, b, c)", name: "mine", reason: "virtual-table"),
    PlantedContent(sql: "CREATE INDEX mine ON ZT (Z_OPT)", name: "mine", reason: "index-of-model-table"),
    PlantedContent(
      sql: "CREATE UNIQUE INDEX ZT_ZMINE ON ZT (Z_PK, Z_OPT)", name: "ZT_ZMINE", reason: "index-of-model-table"),
    PlantedContent(
      sql: "CREATE INDEX Z_mine ON ZT (lower(Z_OPT)) WHERE Z_PK > 3", name: "Z_mine", reason: "index-of-model-table"),
    PlantedContent(
      sql: "CREATE INDEX ZT_Z_MINE_INDEX ON ZT (Z_OPT)", name: "ZT_Z_MINE_INDEX", reason: "index-of-model-table"),
    PlantedContent(
      sql: "CREATE INDEX mine ON Z_METADATA (Z_UUID)", name: "mine", reason: "index-of-model-table"),
    PlantedContent(
      sql: "CREATE TRIGGER mine AFTER INSERT ON ZT BEGIN DELETE FROM ZT; END", name: "mine", reason: "trigger"),
    PlantedContent(
      sql: "CREATE TABLE own (a); CREATE TRIGGER mine AFTER INSERT ON own BEGIN DELETE FROM ZT; END", name: "mine",
      reason: "trigger"),
    PlantedContent(
      sql: "CREATE TABLE own (a); CREATE TRIGGER own AFTER INSERT ON own BEGIN SELECT 1; END", name: "trigger own",
      reason: "trigger"),
    PlantedContent(
      sql: "ALTER TABLE ZT ADD COLUMN mine AS (Z_PK + 1) VIRTUAL", name: "ZT.mine", reason: "expression"),
    PlantedContent(
      sql: "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA", name: "Z_METADATA: further rows",
      reason: "further-metadata"),
    PlantedContent(
      sql: "INSERT INTO Z_MODELCACHE VALUES (x'01'), (x'02')", name: "Z_MODELCACHE: further rows",
      reason: "further-metadata"),
  ]
}

@Suite("Schema objects that are not copied")
struct UncopiedContentTests {
  @Test(arguments: PlantedContent.all)
  func `Schema objects of a track library are named and refused by a strict migration`(planted: PlantedContent) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let (sql, name) = planted.in("ZTRACK")
    try Database.run(sql, in: library)
    let before = try folder.snapshot()
    let strict = try tracksMigrate(library, "--strict")
    #expect(strict.status == 65)
    #expect(strict.stderr.contains("'\(name)' cannot be carried over: "), "\(strict)")
    let strictRehearsal = try tracksMigrate(library, "--strict", "--dry-run")
    #expect(strictRehearsal.status == 65)
    #expect(strictRehearsal.stderr == strict.stderr)
    let rehearsal = try successfully(library, "--dry-run")
    #expect(rehearsal.stdout.contains(" \(name): "), "\(rehearsal)")
    #expect(try folder.snapshot() == before)
    let result = try successfully(library, "--verify")
    #expect(result.stderr.contains(" \(name): "), "\(result)")
    #expect(try Files.text(library + ".migration.json").contains("\"\(name)\" : \"\(planted.reason)\""))
    #expect(try Database.rows(Self.remains, in: library) == [])
  }

  @Test(arguments: PlantedContent.all)
  func `Schema objects of an app's store are named and refused by a strict migration`(planted: PlantedContent) throws {
    let store = try SampleStore("Notes")
    let (sql, name) = planted.in("ZNOTE")
    try Database.run(sql, in: store.path)
    let line = "  not kept: \(name) ("
    let before = try store.folder.snapshot()
    #expect(try store.run("--dry-run").stdout.contains(line))
    let error = try store.refuse(65, "--strict")
    #expect(try store.refuse(65, "--strict", "--dry-run") == error)
    #expect(try store.folder.snapshot() == before)
    #expect(error.contains("'\(name)' cannot be carried over: "), "\(error)")
    let stats = store.folder.file("stats.json")
    #expect(try store.migrate("--stats", stats).stderr.contains(line))
    #expect(try Files.text(stats).contains("\"\(name)\" : \"\(planted.reason)\""))
    #expect(try store.rows(Self.remains) == [])
    // A table of the app's own is kept even though its trigger is left behind.
    let own = try store.rows("SELECT name FROM sqlite_schema WHERE name = 'own'")
    #expect(own == (sql.contains("own (a)") ? ["own"] : []))
  }

  private static let remains = """
    SELECT name FROM sqlite_schema WHERE name IN ('mine', 'trigger own') OR name LIKE '%ZMINE' OR type IN ('view', 'trigger')
    UNION ALL SELECT 'metadata' FROM Z_METADATA WHERE Z_VERSION <> 1
    UNION ALL SELECT 'model' FROM Z_MODELCACHE WHERE length(Z_CONTENT) < 3
    """

  @Test(arguments: ["Tracks/library-v1", "Tracks/library-v1-wal"])
  func `The sample libraries have no such objects`(name: String) throws {
    let folder = try TemporaryFolder()
    let library = folder.file("Library.sqlite")
    for suffix in ["", "-wal"] where Files.exists(SampleStore.data(name + ".sqlite" + suffix)) {
      try Files.copy(SampleStore.data(name + ".sqlite" + suffix), to: library + suffix)
    }
    #expect(try !successfully(library).stderr.contains("left behind"))
    #expect(try !Files.text(library + ".migration.json").contains("left_behind_reason_by_name"))
  }

  @Test(arguments: [("Books", 1), ("Notes", 1), ("Notes", 2)])
  func `The sample stores of apps have no such objects`(name: String, version: Int) throws {
    let store = try SampleStore(name, version: version)
    #expect(try !store.run("--dry-run").stdout.contains("not kept"))
    let stats = store.folder.file("stats.json")
    #expect(try !store.migrate("--stats", stats).stderr.contains("not kept"))
    #expect(try Files.text(stats).contains("\"uncopied_reason_by_name\" : {\n\n  }"))
  }
}

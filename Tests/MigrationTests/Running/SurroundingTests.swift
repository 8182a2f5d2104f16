import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("What a store's file holds besides its instances")
struct SurroundingTests {
  private static let own = """
    CREATE TABLE "my own" (k TEXT PRIMARY KEY, v); INSERT INTO "my own" VALUES ('a', 1), ('b', x'00');
    CREATE TABLE checked (a CHECK (a > 0)); INSERT INTO checked VALUES (1);
    """
  private static let history = """
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY); INSERT INTO ATRANSACTION VALUES (1), (2);
    """
  private static let mirror = "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY);"

  @Test func `An app's own tables are kept over all hops where possible`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows + ";" + Self.own)
    let result = try store.result()
    #expect(try store.rows("SELECT * FROM \"my own\"") == ["a|1", "b|x'00'"])
    #expect(result.keptTables == ["my own"])
    #expect(result.uncopied.map { "\($0.name) \($0.reason.rawValue)" } == ["checked expression"])
    #expect(try store.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'checked'") == ["0"])
  }

  @Test func `History and mirrors are dropped and reported`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows + ";" + Self.history + Self.mirror)
    let result = try store.result()
    #expect(
      result.surroundings.leftBehind.map { "\($0.name) \($0.count) \($0.kind)" }.sorted()
        == ["ANSCKRECORDMETADATA 0 cloudKitMirror", "ATRANSACTION 2 persistentHistory"])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'A%'") == [])
    #expect(try store.rows("SELECT count(*) FROM ATRANSACTION", in: store.path + ".V1-backup") == ["2"])
  }

  @Test(arguments: [
    (history, "the new file would not have the data in ATRANSACTION (2)"),
    (mirror, "the new file would not have the data in ANSCKRECORDMETADATA (0)"),
    (
      own, "'checked' cannot be carried over: its definition holds an expression, which would have to be run"
    ),
    (
      "CREATE VIEW v AS SELECT 1; CREATE TRIGGER t AFTER INSERT ON ZNOTE BEGIN SELECT 1; END",
      "'v' cannot be carried over: it is a view, which would have to be run; "
        + "'t' cannot be carried over: it is a trigger, which would have to be run"
    ),
    ("ALTER TABLE ZNOTE ADD ZOLD; UPDATE ZNOTE SET ZOLD = 1", "the new file would not have the data in ZNOTE.ZOLD (3)"),
  ])
  func `A strict migration stops before data is lost`(sql: String, detail: String) throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows + ";" + sql)
    var migration = store.migration
    migration.isStrict = true
    let error = try store.refusal(migration)
    #expect(error.code == .strictFindings)
    #expect(error.detail == detail)
  }

  @Test func `Views, triggers and foreign indexes are reported once for all hops, and tables are kept`() throws {
    let store = try AppStore(
      NoteVersions.all(),
      NoteVersions.rows + """
        ; CREATE TABLE own (a); INSERT INTO own VALUES (1); CREATE VIEW v AS SELECT a FROM own;
        CREATE TRIGGER own AFTER INSERT ON own BEGIN SELECT 1; END; CREATE INDEX i ON ZNOTE (ZTEXT);
        """)
    let result = try store.result()
    #expect(
      result.uncopied.map { "\($0.name) \($0.reason.rawValue)" }
        == ["i index-of-model-table", "v view", "trigger own trigger"])
    #expect(result.keptTables == ["own"])
    #expect(try store.rows("SELECT a FROM own") == ["1"])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger') OR name = 'i'") == [])
  }

  @Test func `A survey names the app's own tables and indexes that will not be kept`() throws {
    let note = EntityDescription("Note", attributes: [AttributeDescription("title", .string)])
    let store = try AppStore(
      NoteVersions.all() + [[note, EntityDescription("Later")]],
      NoteVersions.rows + ";" + Self.own + """
        CREATE INDEX partial ON "my own" (v) WHERE v > 0; CREATE INDEX plain ON "my own" (v);
        CREATE TABLE sorted (a COLLATE NOCASE); CREATE TABLE computed (a, b AS (a));
        CREATE VIRTUAL TABLE words USING fts5(a); CREATE TABLE ZLATER (a);
        """)
    let survey = try store.migration.survey()
    let reasons = survey.uncopied.map { "\($0.name) \($0.reason.rawValue)" }
    for expected in [
      "checked expression", "computed expression", "partial expression", "words virtual-table",
      "words_data part-of-virtual-table", "ZLATER name-taken",
    ] {
      #expect(reasons.contains(expected), "\(reasons)")
    }
    #expect(try store.result().uncopied.map { "\($0.name) \($0.reason.rawValue)" } == reasons)
  }

  @Test(arguments: [false, true])
  func `A dry run ends as the migration would and leaves nothing behind`(isStrict: Bool) throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows + ";" + Self.own)
    var migration = store.migration
    migration.isStrict = isStrict
    let before = try store.folder.snapshot()
    if isStrict {
      let error = try #require(throws: MigrationError.self) { _ = try migration.run(isDryRun: true) }
      let other = try #require(throws: MigrationError.self) { _ = try migration.run() }
      #expect("\(error)" == "\(other)")
    } else {
      _ = try migration.run(isDryRun: true)
    }
    #expect(try store.folder.snapshot() == before)
  }

  @Test func `A strict migration succeeds if nothing is lost`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.isStrict = true
    _ = try migration.run(isDryRun: true)
    _ = try store.result(migration)
    #expect(try store.rows("SELECT count(*) FROM ZNOTE") == ["3"])
  }
}

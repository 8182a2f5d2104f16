import DataModel
import Diagnostics
import Migration
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

  @Test func `an app's own tables come along over all hops, if they can`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows + ";" + Self.own)
    let result = try store.result()
    #expect(try store.rows("SELECT * FROM \"my own\"") == ["a|1", "b|x'00'"])
    #expect(result.keptTables == ["my own"])
    #expect(result.uncopied.map { "\($0.name) \($0.reason.rawValue)" } == ["checked expression"])
    #expect(try store.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'checked'") == ["0"])
  }

  @Test func `history and mirrors stay behind, and that is told`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows + ";" + Self.history + Self.mirror)
    let result = try store.result()
    #expect(
      result.surroundings.leftBehind.map { "\($0.name) \($0.count) \($0.kind)" }.sorted()
        == ["ANSCKRECORDMETADATA 0 cloudKitMirror", "ATRANSACTION 2 persistentHistory"])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'A%'") == [])
    #expect(try store.rows("SELECT count(*) FROM ATRANSACTION", in: store.path + ".V1-backup") == ["2"])
  }

  @Test(arguments: [
    (history, "the model has no place for what is in ATRANSACTION (2)"),
    (mirror, "the model has no place for what is in ANSCKRECORDMETADATA (0)"),
    (
      own, "'checked' cannot be carried over: its definition holds an expression, which would have to be run"
    ),
    ("ALTER TABLE ZNOTE ADD ZOLD; UPDATE ZNOTE SET ZOLD = 1", "the model has no place for what is in ZNOTE.ZOLD (3)"),
  ])
  func `a strict migration stops at what would be lost`(sql: String, detail: String) throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows + ";" + sql)
    var migration = store.migration
    migration.isStrict = true
    let error = try store.refusal(migration)
    #expect(error.code == .strictFindings)
    #expect(error.detail == detail)
  }

  @Test func `a strict migration goes through where nothing is lost`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.isStrict = true
    _ = try store.result(migration)
    #expect(try store.rows("SELECT count(*) FROM ZNOTE") == ["3"])
  }
}

import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Stores that lack columns and are written again all the same")
struct ColumnObstacleTests {
  @Test(
    arguments: [
      ("CREATE TABLE odd (a CHECK (a > 0))", "the file and the model differ in 'odd'"),
      ("CREATE TABLE own (a); CREATE INDEX odd ON own (a + 1)", "the file and the model differ in 'odd'"),
      ("CREATE TABLE Z_Note_byRating (a)", "the file and the model differ in 'Z_Note_byRating'"),
      (
        "CREATE TABLE own (a); CREATE INDEX Z_Note_byRating ON own (a)",
        "the file and the model differ in 'Z_Note_byRating'"
      ),
      ("CREATE VIEW v AS SELECT 1", "the file and the model differ in 'v'"),
      ("CREATE VIRTUAL TABLE words USING fts5(a)", "the file and the model differ in 'words'"),
      ("CREATE TRIGGER t AFTER INSERT ON ZNOTE BEGIN SELECT 1; END", "the file and the model differ in 't'"),
      ("CREATE INDEX own ON ZNOTE (ZTEXT)", "the file and the model differ in 'own'"),
      ("ALTER TABLE ZNOTE ADD COLUMN ZOLD INTEGER", "the file and the model differ in 'ZNOTE'"),
      ("CREATE TABLE ATRANSACTION (a)", "the file and the model differ in 'ATRANSACTION'"),
      ("DROP TABLE Z_MODELCACHE", "the file and the model differ in 'CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)'"),
      (
        "DROP INDEX ZNOTE_ZNEXT_INDEX",
        "the file and the model differ in 'CREATE INDEX ZNOTE_ZNEXT_INDEX ON ZNOTE (ZNEXT)'"
      ),
      (
        "UPDATE Z_PRIMARYKEY SET Z_ENT = 50 - Z_ENT; UPDATE ZFOLDER SET Z_ENT = 50 - Z_ENT",
        "the entities have other numbers"
      ),
      ("INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1)", "the entities have other numbers"),
      (
        "CREATE TABLE own (a); INSERT INTO own VALUES (zeroblob(500000)); DELETE FROM own",
        "much of the file is free"
      ),
      ("UPDATE ZNOTE SET Z_ENT = 77 WHERE Z_PK = 2", "'ZNOTE' has rows of no entity"),
      ("UPDATE ZNOTE SET Z_ENT = NULL WHERE Z_PK = 2", "'ZNOTE' has rows of no entity"),
      ("UPDATE ZNOTE SET Z_ENT = x'33' WHERE Z_PK = 2", "'ZNOTE' has rows of no entity"),
      ("UPDATE ZTAG SET Z_ENT = 77 WHERE Z_PK = 2", "'ZTAG' has rows of no entity"),
      ("UPDATE ZTAG SET Z_ENT = NULL WHERE Z_PK = 2", "'ZTAG' has rows of no entity"),
      ("UPDATE ZNOTE SET Z_FOK_FOLDER = NULL WHERE Z_PK = 9", "'ZNOTE' lacks the places of an ordered relationship"),
      ("UPDATE ZNOTE SET Z_FOK_FOLDER = 7 WHERE Z_PK = 2", "'ZNOTE' lacks the places of an ordered relationship"),
      ("UPDATE ZNOTE SET ZTEXT = x'00FF' WHERE Z_PK = 2", "a rule of the model is broken: Note.text: "),
      ("UPDATE ZNOTE SET ZFOLDER = 77 WHERE Z_PK = 9", "a rule of the model is broken: Letter.folder: "),
      ("DELETE FROM ZTAG WHERE Z_PK = 3", "a rule of the model is broken: "),
    ])
  func `Some contents of a store prevent copying`(change: String, obstacle: String) throws {
    let fixture = try ColumnFixture(change)
    let (first, second) = (try fixture.output(copies: true), try fixture.output(copies: false))
    #expect(first.obstacles.first?.hasPrefix(obstacle) == true, "\(first.obstacles)")
    #expect(try fixture.contents(first) == fixture.contents(second))
    #expect(first.result.steps.map(\.statistics) == second.result.steps.map(\.statistics))
    #expect(first.result.uncopied == second.result.uncopied)
    #expect(try Database.integrity(first.path) == ["ok"])
  }

  @Test func `Missing positions in a join table prevent copying`() throws {
    let model = try ColumnFixture().store.versions[0].model
    let table = try #require(StoreSchema(model).joinTables.first)
    let order = try #require(table.naming.orderColumn ?? table.inverse.orderColumn)
    let fixture = try ColumnFixture("UPDATE \(table.name) SET \(order) = NULL")
    let (first, second) = (try fixture.output(copies: true), try fixture.output(copies: false))
    #expect(first.obstacles == ["'\(table.name)' lacks the places of an ordered relationship"])
    #expect(try fixture.contents(first) == fixture.contents(second))
  }

  @Test func `A rule that was already broken prevents copying, and the violations are counted`() throws {
    let text = AttributeDescription("text", .string, validation: AttributeValidation(maximum: .integer(3)))
    let fixture = try ColumnFixture(text: text)
    let output = try fixture.output(copies: true)
    #expect(output.obstacles.count == 2)
    #expect(output.obstacles.first?.hasPrefix("a rule of the model is broken: Note.text: ") == true)
    #expect(output.result.steps[0].statistics.counters.values.contains(1))
  }

  @Test func `An index that contradicts its rows prevents copying`() throws {
    let fixture = try ColumnFixture()
    let store = fixture.store
    let root = try #require(
      Int(try store.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'ZNOTE_ZFOLDER_INDEX'")[0]))
    // The last byte of the page is that of the first cell: the key of a row.
    var bytes = try Files.bytes(store.path)
    let last = root * 4096 - 1
    bytes[last] = bytes[last] == 1 ? 9 : bytes[last] + 3
    try Files.write(bytes, to: store.path)
    #expect(try Database.integrity(store.path) != ["ok"])
    let output = try fixture.output(copies: true)
    #expect(output.obstacles == ["the file is damaged"])
    #expect(try Database.integrity(output.path) == ["ok"])
  }

  @Test func `Lost free pages prevent copying`() throws {
    let fixture = try ColumnFixture("CREATE TABLE own (a); INSERT INTO own VALUES (zeroblob(9000)); DELETE FROM own")
    let store = fixture.store
    // The number of free pages in the header (sqlite.org/fileformat.html).
    var bytes = try Files.bytes(store.path)
    #expect(bytes[39] > 1)
    bytes[39] -= 1
    try Files.write(bytes, to: store.path)
    let output = try fixture.output(copies: true)
    #expect(output.obstacles == ["the file is damaged"])
    #expect(try Database.integrity(output.path) == ["ok"])
  }

  @Test func `A write-ahead log with content prevents copying`() throws {
    let fixture = try ColumnFixture()
    try Database.run("PRAGMA journal_mode = WAL", in: fixture.store.path)
    let connection = try Connection(path: fixture.store.path, access: .readWrite)
    try connection.execute("UPDATE ZNOTE SET ZTEXT = 'new'")
    let output = try fixture.output(copies: true)
    #expect(output.obstacles == ["a part of the store is in its write-ahead log"])
    #expect(try Database.rows("SELECT DISTINCT ZTEXT FROM ZNOTE", in: output.path) == ["new"])
    try connection.close()
  }

  @Test func `An uncommitted write does not prevent copying`() throws {
    let fixture = try ColumnFixture()
    let connection = try Connection(path: fixture.store.path, access: .readWrite)
    try connection.execute("BEGIN; UPDATE ZNOTE SET ZTEXT = 'not yet'")
    let output = try fixture.output(copies: true)
    #expect(output.copyCount == 2)
    #expect(try Database.rows("SELECT count(*) FROM ZNOTE WHERE ZTEXT = 'not yet'", in: output.path) == ["0"])
    try connection.execute("COMMIT")
    try connection.close()
  }
}

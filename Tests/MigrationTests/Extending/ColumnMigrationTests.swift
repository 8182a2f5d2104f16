import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("Stores that only lack columns")
struct ColumnMigrationTests {
  /// Queries whose results are equal in two stores regardless of the order of their columns.
  private static let queries = [
    "SELECT Z_PK, Z_ENT, Z_OPT FROM ZNOTE ORDER BY 1", "SELECT * FROM Z_PRIMARYKEY ORDER BY 1",
    "SELECT Z_VERSION, Z_UUID, hex(Z_PLIST) FROM Z_METADATA", "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE",
    "SELECT type, name, CASE type WHEN 'index' THEN sql END FROM sqlite_schema ORDER BY 1, 2",
    "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('ZNOTE') ORDER BY 1",
    "PRAGMA encoding", "PRAGMA page_size", "PRAGMA journal_mode", "PRAGMA auto_vacuum", "PRAGMA user_version",
  ]

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `Copied stores equal stores whose rows are all written again, over several hops`(encoding: String) throws {
    let layout = FileLayout(pageSize: 1024, autoVacuum: 2, encoding: encoding)
    let fixture = try ColumnFixture("PRAGMA user_version = 7", layout: layout)
    let before = try Files.bytes(fixture.store.path)
    let (copied, written) = (try fixture.output(copies: true), try fixture.output(copies: false))
    #expect(copied.copyCount == 2)
    #expect(copied.obstacles == [])
    #expect(written.copyCount == 0)
    #expect(copied.result.steps.map(\.statistics) == written.result.steps.map(\.statistics))
    #expect(copied.result.steps[0].statistics.linkCounts.values.contains(3))
    let contents = try fixture.contents(copied)
    #expect(contents == (try fixture.contents(written)))
    #expect(contents.lines["Letter.data"]?.count == 1)
    #expect(contents.lines["Note.tags"]?.count == 2)
    #expect(contents.lines["Folder.notes"]?.count == 2)
    for query in Self.queries {
      #expect(try Database.rows(query, in: copied.path) == Database.rows(query, in: written.path), "\(query)")
    }
    #expect(try Database.integrity(copied.path) == ["ok"])
    #expect(try Files.bytes(fixture.store.path) == before)
  }

  @Test func `A store in write-ahead mode is replaced and can be migrated again either way`() throws {
    let fixture = try ColumnFixture()
    let store = fixture.store
    try Database.run("PRAGMA journal_mode = WAL", in: store.path)
    let expected = try fixture.contents(try fixture.output(copies: false))
    let first = try fixture.output(copies: true) { $0.destinationVersionName = "V2" }
    #expect(first.copyCount == 1)
    #expect(try store.rows("PRAGMA journal_mode") == ["delete"])
    #expect(try store.names() == ["App.sqlite", "App.sqlite.V1-backup", "false-New.sqlite"])
    // The columns stand at the end now.
    for copies in [true, false] {
      let last = try fixture.output(copies: copies, "Last.sqlite")
      #expect(last.copyCount == (copies ? 1 : 0))
      #expect(try fixture.contents(last) == expected)
      #expect(try Database.integrity(last.path) == ["ok"])
    }
  }

  @Test func `The app's own plain tables are kept`() throws {
    let fixture = try ColumnFixture(
      """
      CREATE TABLE own (k INTEGER PRIMARY KEY AUTOINCREMENT, "a, b" TEXT UNIQUE); CREATE INDEX byB ON own ("a, b");
      INSERT INTO own VALUES (7, 'x'); CREATE TABLE "Zweite Tabelle" (a); ANALYZE
      """)
    let (copied, written) = (try fixture.output(copies: true), try fixture.output(copies: false))
    #expect(copied.obstacles == [])
    #expect(copied.result.keptTables == written.result.keptTables)
    for query in ["SELECT * FROM own", "SELECT seq FROM sqlite_sequence", "SELECT * FROM \"Zweite Tabelle\""] {
      #expect(try Database.rows(query, in: copied.path) == Database.rows(query, in: written.path), "\(query)")
    }
  }

  @Test func `Small stores are not copied`() throws {
    let fixture = try ColumnFixture()
    let output = try fixture.output(copies: true) {
      $0.leastSizeOfCopies = StoreMigration(path: "", versions: []).leastSizeOfCopies
    }
    #expect(output.copyCount == 0)
    #expect(output.obstacles == [])
  }

  @Test(
    arguments: [
      AttributeDescription("late", .date, defaultValue: .date(0)),
      AttributeDescription("late", .string, renamingIdentifier: "text"),
    ])
  func `A store is written again if a new attribute has a value`(attribute: AttributeDescription) throws {
    let fixture = try ColumnFixture(last: attribute)
    let (first, second) = (try fixture.output(copies: true), try fixture.output(copies: false))
    #expect(first.copyCount == 1)
    #expect(try fixture.contents(first) == fixture.contents(second))
  }

  @Test func `Damage is reported as in any other migration`() throws {
    let fixture = try ColumnFixture()
    let store = fixture.store
    var bytes = try Files.bytes(store.path)
    let root = try #require(Int(try store.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'ZNOTE'")[0]))
    for place in (root - 1) * 4096..<(root - 1) * 4096 + 12 { bytes[place] = 0xFF }
    try Files.write(bytes, to: store.path)
    var migration = store.migration
    migration.leastSizeOfCopies = .max
    let expected = try store.refusal(migration)
    migration.leastSizeOfCopies = 0
    let error = try store.refusal(migration)
    #expect((error.code, error.detail) == (expected.code, expected.detail))
    #expect(expected.code == .damaged)
  }

  @Test func `A canceled migration leaves nothing behind`() throws {
    let store = try ColumnFixture().store
    var migration = store.migration
    migration.leastSizeOfCopies = 0
    migration.cancellation.cancel()
    #expect(try store.refusal(migration).code == .interrupted)
  }
}

import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Copying an app's own tables")
struct ForeignTableTests {
  private struct Copied {
    let uncopied: [String]
    let path: String
    let store: StoreFixture

    func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: path) }
  }

  /// Copies tables of a store that was changed by some SQL.
  private func copy(
    _ names: String..., layout: FileLayout = .coreData, model: ManagedObjectModel = TrackModels.v2, sql: String
  ) throws -> Copied {
    let store = try StoreFixture(TrackModels.v1, layout: layout, sql)
    let reader = try store.reader()
    let path = store.folder.file("New.sqlite")
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: reader.layout)
    try writer.attach(reader)
    let uncopied = try writer.copyForeignTables(names)
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
    #expect(try Database.integrity(path) == ["ok"])
    return Copied(uncopied: uncopied.map { "\($0.name): \($0.reason.rawValue)" }, path: path, store: store)
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `A copy keeps rows, row numbers, declarations and indexes`(encoding: String) throws {
    let name = #"my "own" 'täble'"#
    let table = name.quotedIdentifier
    let result = try copy(
      name, layout: FileLayout(pageSize: 4096, autoVacuum: 2, encoding: encoding),
      sql: """
        CREATE TABLE \(table) ( -- a comment (
          a INTEGER NOT NULL DEFAULT -7, `b` VARCHAR(20, 3) COLLATE NOCASE DEFAULT 'it''s',
          [c d] /* ) */ BLOB DEFAULT x'0Aff', e REAL DEFAULT 15e-1 REFERENCES other(x) ON DELETE SET NULL,
          UNIQUE (a, "b"), CONSTRAINT k UNIQUE ([c d]));
        INSERT INTO \(table) (rowid, a, b, "c d") VALUES (70, 1, 'x', x'01'), (7, 2, NULL, NULL);
        CREATE INDEX "i 1" ON \(table) (b COLLATE RTRIM DESC, a);
        CREATE UNIQUE INDEX i2 ON \(table) ("c d")
        """)
    #expect(result.uncopied.isEmpty)
    try Database.run("INSERT INTO \(table) DEFAULT VALUES", in: result.path)
    #expect(
      try result.rows("SELECT rowid, * FROM \(table) ORDER BY rowid")
        == ["7|2|NULL|NULL|1.5", "70|1|x|x'01'|1.5", "71|-7|it's|x'0AFF'|1.5"])
    #expect(
      try result.rows(
        "SELECT name, \"unique\" FROM pragma_index_list(\(name.quotedLiteral)) WHERE origin = 'c' ORDER BY 1")
        == ["i 1|0", "i2|1"])
    #expect(throws: SQLiteError.self) {
      try Database.run("INSERT INTO \(table) (a, b) VALUES (1, 'X')", in: result.path)
    }
  }

  @Test func `A copy keeps the greatest number that was ever used`() throws {
    let result = try copy(
      "counted", "empty",
      sql: """
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, rowid, oid, _rowid_);
        CREATE TABLE empty (id INTEGER PRIMARY KEY AUTOINCREMENT);
        INSERT INTO counted (id) VALUES (5), (90); DELETE FROM counted WHERE id = 90;
        INSERT INTO empty VALUES (40); DELETE FROM empty
        """)
    #expect(result.uncopied.isEmpty)
    #expect(try result.rows("SELECT * FROM sqlite_sequence ORDER BY 1") == ["counted|90", "empty|40"])
    #expect(try result.rows("SELECT id FROM counted") == ["5"])
  }

  @Test func `A copy keeps tables without row numbers and strict tables`() throws {
    let result = try copy(
      "w", "s",
      sql: """
        CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w VALUES ('b', 1), ('a', 2);
        CREATE TABLE s (k TEXT, v INT) STRICT; INSERT INTO s VALUES ('b', 1)
        """)
    #expect(result.uncopied.isEmpty)
    #expect(try result.rows("SELECT * FROM w") == ["a|2", "b|1"])
    #expect(
      try result.rows("SELECT name, wr, strict FROM pragma_table_list WHERE name IN ('w', 's') ORDER BY 1")
        == ["s|0|1", "w|1|0"])
  }

  @Test(arguments: [
    ("CREATE TABLE t (a CHECK (a > 1))", "expression"),
    ("CREATE TABLE t (a DEFAULT (abs(-9223372036854775807)))", "expression"),
    ("CREATE TABLE t (a, b GENERATED ALWAYS AS (zeroblob(1000000000)))", "expression"),
    ("CREATE TABLE t (a, b AS (a) STORED)", "expression"),
    ("CREATE TABLE t (a, b, CHECK(zeroblob(1000000000) IS NULL))", "expression"),
    ("CREATE VIEW t AS SELECT 1", "not-a-table"),
    ("CREATE VIRTUAL TABLE t USING rtree(a, b, c)", "not-a-table"),
    ("CREATE TABLE other (t)", "not-a-table"),
  ])
  func `Tables whose definitions would run code are not copied`(sql: String, reason: String) throws {
    let result = try copy("t", sql: sql)
    #expect(result.uncopied == ["t: \(reason)"])
    #expect(try result.rows("SELECT count(*) FROM sqlite_schema WHERE name = 't'") == ["0"])
  }

  @Test func `keeps every collation and direction that SQLite itself has, in whatever case`() throws {
    let words = ["BINARY", "NOCASE", "RTRIM", "binary", "nocase", "rtrim", "Binary"]
    let columns = words.indices.map { "c\($0) TEXT COLLATE \(words[$0])" }.joined(separator: ", ")
    let indexes = words.indices.map { number in
      "CREATE INDEX i\(number) ON t (c0 COLLATE \(words[number]) \(["ASC", "DESC", ""][number % 3]), c1 asc);"
    }
    let sql = "CREATE TABLE t (\(columns)); \(indexes.joined())"
    let result = try copy("t", sql: sql)
    #expect(result.uncopied.isEmpty)
    for index in ["t_info", "i0", "i1", "i2", "i3", "i4", "i5", "i6"] {
      let query = "SELECT seqno, name, \"desc\", coll FROM pragma_index_xinfo('\(index)')"
      #expect(try result.rows(query) == Database.rows(query, in: result.store.path))
    }
    let values = "VALUES ('x ', 'x ', 'x ', 'x ', 'x ', 'x ', 'x ')"
    for path in [result.path, result.store.path] { try Database.run("INSERT INTO t \(values)", in: path) }
    let comparisons = words.indices.flatMap { ["c\($0) = 'x'", "c\($0) = 'X '"] }.joined(separator: ", ")
    let query = "SELECT \(comparisons) FROM t"
    #expect(try result.rows(query) == Database.rows(query, in: result.store.path))
  }

  @Test(arguments: [
    "a COLLATE evil", "a COLLATE evil DESC", "a, b COLLATE evil", "a, b + 1", "(a)", "a COLLATE NOCASE, abs(b)",
  ])
  func `leaves an index that needs more than SQLite has`(parts: String) throws {
    let store = try StoreFixture(
      TrackModels.v1, "CREATE TABLE t (a, b); CREATE INDEX i ON t (a, b)",
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = \("CREATE INDEX i ON t (\(parts))".quotedLiteral) WHERE name = 'i'
      """)
    guard let reader = try? store.reader() else { return }
    let dropped = try? reader.uncopiableTables(among: ["t"], to: StoreSchema(TrackModels.v1))
    #expect(dropped?.map(\.name) == ["i"] || dropped == nil)
  }

  @Test func `Tables that belong to a virtual table are not copied`() throws {
    #expect(
      try copy("t_node", sql: "CREATE VIRTUAL TABLE t USING rtree(a, b, c)").uncopied
        == ["t_node: part-of-virtual-table"])
  }

  @Test func `A table with quoted keywords as names is copied`() throws {
    let result = try copy(
      "t",
      sql:
        #"CREATE TABLE t ("check" TEXT DEFAULT 'CHECK (1)', [as] INT, `generated` INT); INSERT INTO t DEFAULT VALUES"#)
    #expect(result.uncopied.isEmpty)
    #expect(try result.rows("SELECT \"check\" FROM t") == ["CHECK (1)"])
  }

  @Test func `Individual indexes and triggers are dropped, and their table is kept`() throws {
    let model = TrackModels.model([
      EntityDescription(
        "Track", attributes: text("title"), fetchIndexes: [FetchIndexDescription("byTitle", properties: ["title"])])
    ])
    let result = try copy(
      "t", model: model,
      sql: """
        CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2);
        CREATE INDEX partial ON t (a) WHERE b > 1; CREATE INDEX computed ON t (abs(a)); CREATE INDEX fine ON t (a);
        CREATE INDEX z_track_byTitle ON t (a);
        CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM ZTRACK; END
        """)
    #expect(
      result.uncopied == [
        "computed: expression", "partial: expression", "z_track_byTitle: name-taken",
      ])
    #expect(try result.rows("SELECT name FROM sqlite_schema WHERE tbl_name = 't' ORDER BY 1") == ["fine", "t"])
    #expect(try result.rows("SELECT * FROM t") == ["1|2"])
  }

  @Test(arguments: ["zartist", "Z_1TRACKS", "ZARTIST_ZX_INDEX"])
  func `Tables and indexes with names that the new model uses are not copied`(name: String) throws {
    let model = TrackModels.model([
      EntityDescription("Artist", relationships: [one("x", "Artist"), many("tracks", "Track", "artists")]),
      EntityDescription("Track", relationships: [many("artists", "Artist", "tracks")]),
    ])
    #expect(try copy(name, model: model, sql: "CREATE TABLE \(name) (x)").uncopied == ["\(name): name-taken"])
  }

  /// A schema that no SQLite wrote, as an attacker would write one.
  @Test(arguments: [
    "CREATE TABLE t(a); DROP TABLE ZTRACK", "CREATE TABLE t(a COLLATE evil)", "CREATE TABLE t(a DEFAULT 0x10)",
    "CREATE TABLE t(a) STRICT, WITHOUT",
  ])
  func `Code in the schema is never run`(sql: String) throws {
    let store = try StoreFixture(
      TrackModels.v1, "CREATE TABLE t (a); INSERT INTO t VALUES (1)",
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = \(sql.quotedLiteral) WHERE name = 't'
      """)
    // SQLite itself may refuse the file already.
    guard let reader = try? store.reader() else { return }
    let writer = try StoreWriter(
      path: store.folder.file("New.sqlite"), schema: StoreSchema(TrackModels.v1), layout: reader.layout)
    try writer.attach(reader)
    #expect(try writer.copyForeignTables(["t"]).map(\.name) == ["t"])
    try writer.finish(metadata: .new(for: TrackModels.v1, uuid: "ID"))
    #expect(
      try Database.rows("SELECT name FROM sqlite_schema WHERE name IN ('t', 'ZTRACK')", in: writer.path) == ["ZTRACK"])
  }
}

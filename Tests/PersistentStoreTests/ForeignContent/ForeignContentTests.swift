import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite("Content that a model knows nothing of")
struct ForeignContentTests {
  private static let changes = """
    CREATE TABLE ACHANGE (Z_PK); CREATE TABLE ATRANSACTION (Z_PK); CREATE TABLE ATRANSACTIONSTRING (Z_PK);
    INSERT INTO ATRANSACTION VALUES (1), (2);
    CREATE TABLE ANSCKRECORDMETADATA (Z_PK); CREATE TABLE ANSCKEVENT (Z_PK);
    CREATE VIRTUAL TABLE Z_RT_Track_place USING rtree(id, a, b);
    CREATE TABLE Z_RT_own_node (x); CREATE TABLE [my 'own' "table"] (x); INSERT INTO [my 'own' "table"] VALUES (1);
    CREATE TABLE atransactions (x); CREATE VIEW v AS SELECT 1;
    ALTER TABLE ZTRACK ADD COLUMN ZRATING INTEGER; ALTER TABLE ZTRACK RENAME COLUMN ZTITLE TO zTitle;
    ALTER TABLE ZTRACK RENAME TO x; ALTER TABLE x RENAME TO zTrack;
    """

  private func content(_ schema: (StoreReader) throws -> StoreSchema) throws -> [String] {
    let store = try StoreFixture(TrackModels.v1, Self.changes)
    defer { withExtendedLifetime(store) {} }
    let reader = try store.reader()
    return try reader.foreignContent(besides: schema(reader)).map { "\($0.name) \($0.count) \($0.kind)" }
  }

  private static let expected = [
    "ACHANGE 0 persistentHistory", "ANSCKEVENT 0 cloudKitMirror", "ANSCKRECORDMETADATA 0 cloudKitMirror",
    "ATRANSACTION 2 persistentHistory", "ATRANSACTIONSTRING 0 persistentHistory",
    "Z_RT_Track_place_node 1 spatialIndex", "Z_RT_Track_place_parent 0 spatialIndex",
    "Z_RT_Track_place_rowid 0 spatialIndex", "Z_RT_own_node 0 app", "atransactions 0 app",
    "my 'own' \"table\" 1 app", "zTrack.ZRATING 0 column",
  ]

  @Test func `Foreign content is reported by kind`() throws {
    #expect(try content { try StoreSchema(TrackModels.v1, introspecting: $0) } == Self.expected)
    // SQLite ignores case, and so is it here.
    #expect(try content { _ in StoreSchema(TrackModels.v1) } == Self.expected)
  }

  @Test func `Tables and columns found under other names are not foreign`() throws {
    let store = try StoreFixture(
      TrackModels.v2, "ALTER TABLE Z_1TRACKS RENAME TO Z_2ARTISTS; ALTER TABLE ZTRACK RENAME COLUMN ZTITLE TO ztitle")
    defer { withExtendedLifetime(store) {} }
    let reader = try store.reader()
    #expect(try reader.foreignContent(besides: StoreSchema(TrackModels.v2, introspecting: reader)).isEmpty)
  }

  @Test func `Rows without a concrete entity are reported unless all rows of the table are of one entity`()
    throws
  {
    let model = TrackModels.model([
      EntityDescription("A", isAbstract: true), EntityDescription("B", superentityName: "A"), EntityDescription("C"),
      EntityDescription("D", isAbstract: true),
    ])
    let store = try StoreFixture(
      model,
      """
      INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 1, 1), (3, 77, 1), (4, NULL, 1), (5, 3, 1);
      INSERT INTO ZC (Z_PK, Z_ENT, Z_OPT) VALUES (1, 77, 1); INSERT INTO ZD (Z_PK, Z_ENT, Z_OPT) VALUES (1, 4, 1);
      """)
    defer { withExtendedLifetime(store) {} }
    let reader = try store.reader()
    #expect(
      try reader.foreignContent(besides: StoreSchema(model, introspecting: reader)).map {
        "\($0.name) \($0.count) \($0.kind)"
      }
        == ["ZA: rows of no entity 4 rows", "ZD: rows of no entity 1 rows"])
  }

  @Test func `Foreign content in join tables and in standard tables is reported`() throws {
    let model = TrackModels.model([
      EntityDescription("Artist", relationships: [many("tracks", "Track", "artists", isOrdered: true)]),
      EntityDescription("Track", relationships: [many("artists", "Artist", "tracks", isOrdered: true)]),
    ])
    let clean = try StoreFixture(model, "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 7)")
    let store = try StoreFixture(
      model,
      """
      ALTER TABLE Z_1TRACKS ADD COLUMN mine; INSERT INTO Z_1TRACKS (Z_1ARTISTS, Z_2TRACKS, mine) VALUES (1, 2, 3);
      ALTER TABLE Z_METADATA ADD COLUMN mine; ALTER TABLE Z_MODELCACHE ADD COLUMN mine;
      ALTER TABLE Z_PRIMARYKEY ADD COLUMN mine; UPDATE Z_PRIMARYKEY SET mine = 1;
      INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME) VALUES (3, 'Album'), (-1, 'Odd');
      """)
    defer { withExtendedLifetime((clean, store)) {} }
    #expect(try clean.reader().foreignContent(besides: StoreSchema(model)) == [])
    #expect(
      try store.reader().foreignContent(besides: StoreSchema(model)).map { "\($0.name) \($0.count) \($0.kind)" } == [
        "Z_1TRACKS.mine 1 column", "Z_METADATA.mine 0 column", "Z_MODELCACHE.mine 0 column",
        "Z_PRIMARYKEY.mine 2 column", "Z_PRIMARYKEY: rows of no entity 2 rows",
      ])
  }

  @Test(arguments: [("Foo", 1), ("Song", 0), ("Track", 0)])
  func `includes a name that no entity has or had`(name: String, count: Int64) throws {
    let model = TrackModels.model([EntityDescription("Track", renamingIdentifier: "Song")])
    let store = try StoreFixture(model, "UPDATE Z_PRIMARYKEY SET Z_NAME = '\(name)'")
    defer { withExtendedLifetime(store) {} }
    let reader = try store.reader()
    let content = try reader.foreignContent(besides: StoreSchema(model, introspecting: reader))
    #expect(content.map(\.count) == (count == 0 ? [] : [count]))
    #expect(content.allSatisfy { $0.name == "Z_PRIMARYKEY: rows of no entity" && $0.kind == .rows })
  }

  private func uncopied(_ model: ManagedObjectModel, _ changes: String) throws -> [String] {
    let store = try StoreFixture(model, changes)
    defer { withExtendedLifetime(store) {} }
    let reader = try store.reader()
    return try reader.droppedContent(besides: StoreSchema(model, introspecting: reader)).map {
      "\($0.name) \($0.reason)"
    }
  }

  @Test func `Content that no migration carries over is reported with its reason`() throws {
    let names = try uncopied(
      TrackModels.v2,
      """
      CREATE TABLE own (a, b AS (a)); CREATE INDEX of_own ON own (a);
      CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE words USING fts5(a); CREATE VIRTUAL TABLE z_rt_mine USING rtree(i, a, b);
      CREATE INDEX i ON ZTRACK (ZTITLE); CREATE INDEX ZTrack_ZTITLE ON ZTRACK (ZTITLE);
      CREATE UNIQUE INDEX ZTRACK_ZTITLE_UNIQUE ON ZTRACK (ZTITLE, Z_PK); CREATE INDEX links ON z_1tracks (Z_1ARTISTS);
      CREATE INDEX fixed ON Z_METADATA (Z_UUID);
      CREATE INDEX Z_foo ON ZTRACK (lower(ZTITLE)) WHERE Z_PK > 3; CREATE UNIQUE INDEX Z_my_own ON ZTRACK (ZTITLE, Z_PK);
      CREATE INDEX Z_Track_lower ON ZTRACK (lower(ZTITLE) COLLATE BINARY ASC); CREATE INDEX Z_Track_own ON ZTRACK (ZTITLE);
      CREATE INDEX Z_Track_part ON ZTRACK (ZTITLE COLLATE BINARY ASC) WHERE Z_OPT > 1;
      CREATE UNIQUE INDEX Z_Track_UNIQUE_z ON ZTRACK (Z_PK COLLATE BINARY ASC);
      CREATE INDEX ZTRACK_ZTITLE_INDEX ON ZTRACK (Z_OPT); CREATE INDEX ZTRACK_Z_OPT ON ZTRACK (Z_OPT) WHERE Z_PK > 3;
      CREATE INDEX ZTRACK_Z_OPT_INDEX ON ZTRACK (Z_OPT COLLATE NOCASE); CREATE INDEX Z_1TRACKS_own ON Z_1TRACKS (Z_2TRACKS);
      CREATE TRIGGER own AFTER INSERT ON own BEGIN SELECT 1; END;
      CREATE TRIGGER V INSTEAD OF INSERT ON v BEGIN SELECT 1; END;
      CREATE TRIGGER z_da_mine AFTER DELETE ON ZTRACK BEGIN SELECT 1; END;
      ALTER TABLE ZTRACK ADD COLUMN c AS (Z_PK) VIRTUAL; ALTER TABLE Z_1TRACKS ADD COLUMN c AS (1);
      INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA;
      """)
    #expect(
      names.sorted() == [
        "ZTRACK.c expression", "ZTRACK_ZTITLE_INDEX indexOfModelTable", "ZTRACK_ZTITLE_UNIQUE indexOfModelTable",
        "ZTRACK_Z_OPT indexOfModelTable", "ZTRACK_Z_OPT_INDEX indexOfModelTable", "ZTrack_ZTITLE indexOfModelTable",
        "Z_1TRACKS.c expression", "Z_1TRACKS_own indexOfModelTable", "Z_METADATA: further rows furtherMetadata",
        "Z_Track_UNIQUE_z indexOfModelTable", "Z_Track_lower indexOfModelTable", "Z_Track_own indexOfModelTable",
        "Z_Track_part indexOfModelTable", "Z_foo indexOfModelTable", "Z_my_own indexOfModelTable",
        "fixed indexOfModelTable",
        "i indexOfModelTable", "links indexOfModelTable", "trigger V trigger", "trigger own trigger", "v view",
        "words virtualTable", "z_da_mine trigger", "z_rt_mine virtualTable",
      ])
  }

  @Test func `The unique index of a composite attribute is the model's`() throws {
    let place = AttributeDescription("at", .composite, elements: text("x", "label"))
    let model = TrackModels.model([
      EntityDescription("P", uniquenessConstraints: [["at"], ["at.x", "n"]], attributes: [place] + text("n"))
    ])
    #expect(try uncopied(model, "CREATE UNIQUE INDEX Z_P_UNIQUE_by ON ZP (ZX COLLATE BINARY ASC)").count == 1)
    let store = try StoreFixture(model)
    defer { withExtendedLifetime(store) {} }
    #expect(
      try Database.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'Z_P_UNIQUE*'", in: store.path).count == 2)
    try store.reader().requireLayout(of: model)
  }

  @Test func `Objects that Core Data or SQLite creates are not reported`() throws {
    let unique = TrackModels.model([
      EntityDescription("Track", uniquenessConstraints: [["title"]], attributes: text("title"))
    ])
    let names = try uncopied(
      unique,
      """
      CREATE VIRTUAL TABLE Z_RT_Track_place USING rtree(Z_PK INTEGER PRIMARY KEY, ZA_MIN, ZA_MAX);
      CREATE TRIGGER Z_RT_Track_place_INSERT AFTER INSERT ON ZTRACK BEGIN SELECT 1; END;
      CREATE TRIGGER Z_DA_ZTRACK_Track_count_SOURCE_INSERT AFTER INSERT ON ZTRACK BEGIN SELECT 1; END;
      CREATE TRIGGER ZT_ZTRACK_TITLE AFTER UPDATE ON ZTRACK BEGIN SELECT 1; END;
      CREATE INDEX Z_Track_best ON ZTRACK (ZTITLE COLLATE BINARY DESC); CREATE INDEX ZTRACK_Z_ENT_INDEX ON ZTRACK (Z_ENT);
      CREATE INDEX ZTRACK_ZTITLE_Z_OPT ON ZTRACK (ZTITLE, Z_OPT);
      ALTER TABLE ZTRACK ADD COLUMN "ZLÄNGE"; CREATE INDEX "ZTRACK_ZLÄNGE_INDEX" ON ZTRACK ("ZLÄNGE");
      ALTER TABLE ZTRACK ADD COLUMN Z12ALBUM; CREATE INDEX ZTRACK_Z9ALBUM_INDEX ON ZTRACK (Z12ALBUM);
      CREATE UNIQUE INDEX ZTRACK_ZTITLE ON ZTRACK (ZTITLE);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZAUTHOR);
      CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR);
      CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHOR);
      CREATE TABLE counted (k INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE); INSERT INTO counted DEFAULT VALUES; ANALYZE;
      """)
    #expect(names == [])
  }
}

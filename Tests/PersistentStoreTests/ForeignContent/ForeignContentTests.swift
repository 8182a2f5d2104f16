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

  @Test func `is told by its kind`() throws {
    #expect(try content { try StoreSchema(TrackModels.v1, asFoundIn: $0) } == Self.expected)
    // SQLite ignores case, and so is it here.
    #expect(try content { _ in StoreSchema(TrackModels.v1) } == Self.expected)
  }

  @Test func `is asked for by kind`() throws {
    let stores = [
      try StoreFixture(TrackModels.v1, Self.changes), try StoreFixture(TrackModels.v1, "CREATE TABLE ACHANGES (x)"),
    ]
    defer { withExtendedLifetime(stores) {} }
    let reader = try stores[0].reader()
    #expect(try reader.hasHistory())
    #expect(try reader.hasCloudKitMirror())
    let plain = try stores[1].reader()
    #expect(try !plain.hasHistory())
    #expect(try !plain.hasCloudKitMirror())
  }

  @Test func `is none of what is found under other names`() throws {
    let store = try StoreFixture(
      TrackModels.v2, "ALTER TABLE Z_1TRACKS RENAME TO Z_2ARTISTS; ALTER TABLE ZTRACK RENAME COLUMN ZTITLE TO ztitle")
    defer { withExtendedLifetime(store) {} }
    let reader = try store.reader()
    #expect(try reader.foreignContent(besides: StoreSchema(TrackModels.v2, asFoundIn: reader)).isEmpty)
  }

  @Test func `rows whose number is that of no entity with instances are told, where they are not all of one entity`()
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
      try reader.foreignContent(besides: StoreSchema(model, asFoundIn: reader)).map {
        "\($0.name) \($0.count) \($0.kind)"
      }
        == ["ZA: rows of no entity 4 rows", "ZD: rows of no entity 1 rows"])
  }
}

import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite("A store as it was made")
struct FreshStoreTests {
  /// Five levels, all kinds of relationships, and names that no Xcode would let pass.
  private static let rich = TrackModels.model([
    EntityDescription(
      "Base", attributes: text("name", "größe", "a \"b\" 'c'") + [AttributeDescription("count", .integer64)],
      relationships: [
        one("parent", "Base", "children"), many("children", "Base", "parent", isOrdered: true),
        many("friends", "Base", "friends"), many("tags", "Tag's", "bases", isOrdered: true),
        many("alone", "Tag's"),
      ]),
    EntityDescription("Level2", superentityName: "Base", attributes: text("own")),
    EntityDescription("Level3", superentityName: "Level2", attributes: text("third")),
    EntityDescription(
      "Level4", superentityName: "Level3", attributes: text("text"), relationships: [one("leaf", "Level5")]),
    EntityDescription("Level5", superentityName: "Level4", attributes: text("fifth")),
    EntityDescription("Beside", superentityName: "Base", attributes: text("own", "text")),
    EntityDescription("Tag's", attributes: text("x"), relationships: [many("bases", "Base", "tags", isOrdered: true)]),
    EntityDescription("Ärger"),
  ])

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `A new store has the layout of its model`(encoding: String) throws {
    let store = try StoreFixture(Self.rich, layout: FileLayout(pageSize: 4096, autoVacuum: 2, encoding: encoding))
    let (found, fresh) = (try store.schema(), StoreSchema(Self.rich))
    #expect(found.tables.map(\.createStatement) == fresh.tables.map(\.createStatement))
    #expect(found.tables.map(\.columns) == fresh.tables.map(\.columns))
    #expect(found.tables.map(\.entityNames) == fresh.tables.map(\.entityNames))
    #expect(found.joinTables == fresh.joinTables)
    #expect(found.entityNames == fresh.entityNames)
    #expect(found.entityNames.map(found.entityNumber) == Array(1...8))
  }

  @Test func `Inspecting a store does not change it`() throws {
    let store = try StoreFixture(Self.rich)
    let before = try store.folder.snapshot()
    _ = try store.schema()
    #expect(try store.folder.snapshot() == before)
  }

  @Test func `A new store can be the source of a copy`() throws {
    let old = TrackModels.model([
      EntityDescription("Base", attributes: text("name")),
      EntityDescription("A", superentityName: "Base", attributes: text("text")),
      EntityDescription("B", superentityName: "Base", attributes: text("text")),
    ])
    let store = try StoreFixture(
      old,
      """
      UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 40, Z_SUPER = iif(Z_SUPER, Z_SUPER + 40, 0);
      INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZTEXT, ZTEXT1) VALUES
        (1, 42, 1, 'a', NULL, 'of A'), (2, 43, 3, 'b', 'of B', NULL);
      """)
    let reader = try store.reader()
    let schema = try StoreSchema(old, introspecting: reader)
    let path = store.folder.file("New.sqlite")
    let writer = try StoreWriter(path: path, schema: StoreSchema(old), layout: reader.layout)
    try writer.attach(reader)
    for entity in ["A", "B"] {
      let count = try writer.copyInstances(
        ofEntity: entity, in: schema, toEntity: entity,
        attributes: ["name", "text"].map { StoreWriter.CopiedAttribute(source: $0, destination: $0) })
      #expect(count == 1)
    }
    try writer.finish(metadata: .new(for: old, uuid: "ID"))
    #expect(
      try Database.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME, ZTEXT, ZTEXT1 FROM ZBASE", in: path)
        == ["1|2|1|a|of A|NULL", "2|3|3|b|NULL|of B"])
  }
}

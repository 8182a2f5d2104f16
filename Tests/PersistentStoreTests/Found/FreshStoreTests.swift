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
}

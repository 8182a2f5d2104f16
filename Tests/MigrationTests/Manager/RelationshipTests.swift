import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Many-to-many relationships that policies set on instances.
struct RelationshipTests {
  /// Sets a relationship of the only instance to itself or to the only other one.
  private final class LinkPolicy: EntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
      let (name, relationship, other) = (
        mapping.userInfo["entity"] ?? "", mapping.userInfo["relationship"] ?? "", mapping.userInfo["other"] ?? ""
      )
      let filler = try manager.destinationContext.insertNewObject(forEntityName: other)
      let here = try manager.destinationContext.insertNewObject(forEntityName: name)
      let there = try manager.destinationContext.insertNewObject(forEntityName: other)
      here.setInstances([there, there], forKey: relationship)
      #expect(filler.objectID != there.objectID)
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func link(_ entity: String, _ relationship: String, _ other: String, in model: ManagedObjectModel) throws
    -> [String]
  {
    let (old, new) = (folder.file("old"), folder.file("new"))
    try StoreWriter(path: old, schema: StoreSchema(model), layout: .coreData).finish(
      metadata: .new(for: model, uuid: "ID"))
    var policies = PolicyRegistry()
    policies.register("Link") { LinkPolicy() }
    let mapping = EntityMapping(
      mappingType: .add, source: nil, destination: MigrationFixture.entity(entity, in: model),
      entityMigrationPolicyClassName: "Link",
      userInfo: ["entity": entity, "relationship": relationship, "other": other])
    let manager = try MigrationManager(
      source: try StoreReader(path: old), sourceModel: model, mappingModels: [MappingModel(entityMappings: [mapping])],
      destination: try StoreWriter(path: new, schema: StoreSchema(model), layout: .coreData),
      options: MigrationManager.Options(policies: policies))
    _ = try manager.migrate()
    let table = try #require(
      try Database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z_[0-9]*'", in: new).first)
    let columns = try Database.rows("SELECT name FROM pragma_table_info('\(table)')", in: new)
    return [columns.joined(separator: "|")] + (try Database.rows("SELECT * FROM \(table)", in: new))
  }

  private static func many(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse)
  }

  /// Instances of a table of their own have the keys 1 and 2, and the one that is linked to has the key 2.
  private static let inherited = TrackModels.model([
    EntityDescription("Base", relationships: [many("tags", "Tag", "bases")]),
    EntityDescription("Leaf", superentityName: "Base"),
    EntityDescription("Tag", relationships: [many("bases", "Base", "tags")]),
  ])

  @Test(arguments: [
    ("Base", "tags", "Tag", "1|2"), ("Leaf", "tags", "Tag", "1|2"), ("Tag", "bases", "Leaf", "2|1"),
    ("Tag", "bases", "Base", "2|1"),
  ])
  func `Own and inherited relationships are written from both sides`(
    entity: String, relationship: String, other: String, row: String
  ) throws {
    #expect(try link(entity, relationship, other, in: Self.inherited) == ["Z_1BASES|Z_3TAGS", row])
  }

  @Test func `Each side of a relationship within one entity has its column`() throws {
    let model = TrackModels.model([
      EntityDescription(
        "Client",
        relationships: [Self.many("trusts", "Client", "trustedBy"), Self.many("trustedBy", "Client", "trusts")])
    ])
    // Client 2 trusts client 3: the column of a relationship holds the keys of its destinations.
    #expect(try link("Client", "trusts", "Client", in: model) == ["Z_1TRUSTEDBY|Z_1TRUSTS", "2|3"])
  }

  @Test func `A relationship that is its own inverse is written from both ends`() throws {
    let model = TrackModels.model([
      EntityDescription("Person", relationships: [Self.many("friends", "Person", "friends")])
    ])
    #expect(try link("Person", "friends", "Person", in: model) == ["Z_1FRIENDS|REFLEXIVE", "2|3", "3|2"])
  }
}

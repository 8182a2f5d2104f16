import DataModel
import Testing

@Suite struct VersionHashTests {
  private func hash(_ entity: EntityDescription) throws -> VersionHash {
    let destination = stub("Destination", RelationshipDescription("back", to: "E", inverse: "forth"))
    return try #require(try ManagedObjectModel(entities: [entity, destination]).entity(named: "E")).versionHash
  }

  private func hash(_ attribute: AttributeDescription) throws -> VersionHash {
    try hash(EntityDescription("E", attributes: [attribute], relationships: [forth]))
  }

  private let forth = RelationshipDescription("forth", to: "Destination", inverse: "back")

  @Test func `Changes to stored properties change the hash`() throws {
    let variants = [
      AttributeDescription("a", .string),
      AttributeDescription("b", .string),
      AttributeDescription("a", .integer16),
      AttributeDescription("a", .string, isOptional: false),
      AttributeDescription("a", .string, isTransient: true),
      AttributeDescription("a", .string, allowsExternalBinaryDataStorage: true),
      AttributeDescription("a", .string, versionHashModifier: "2"),
      AttributeDescription("a", .string, derivationExpression: "b"),
      AttributeDescription(
        "a", .string, allowsExternalBinaryDataStorage: true, preservesValueInHistoryOnDeletion: true),
    ]
    #expect(Set(try variants.map { try hash($0) }).count == variants.count)
  }

  @Test func `Changes that do not affect storage leave the hash unchanged`() throws {
    var rich = AttributeDescription(
      "a", .string, defaultValue: .string("x"), valueTransformerName: "T", renamingIdentifier: "old",
      userInfo: ["k": "v"], validation: AttributeValidation(minimum: .integer(1), regularExpression: ".*"))
    rich.editorAttributes = ["indexed": "YES", "customClassName": "C"]
    var cascading = forth
    cascading.deleteRule = .cascade
    cascading.renamingIdentifier = "old"
    let entity = EntityDescription(
      "E", managedObjectClassName: "C", renamingIdentifier: "Old", userInfo: ["k": "v"], attributes: [rich],
      relationships: [cascading],
      fetchedProperties: [FetchedPropertyDescription("f", fetchRequest: FetchRequestDescription("r", entityName: "E"))],
      fetchIndexes: [FetchIndexDescription("byA", properties: ["a"])])
    #expect(try hash(entity) == hash(AttributeDescription("a", .string)))
  }

  @Test func `External storage and preservation in history add the same byte`() throws {
    #expect(
      try hash(AttributeDescription("a", .binaryData, allowsExternalBinaryDataStorage: true))
        == hash(AttributeDescription("a", .binaryData, preservesValueInHistoryOnDeletion: true)))
  }

  @Test func `A relationship that is its own inverse is hashed without an inverse, also in subentities`() throws {
    func model(inverse: String?) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription(
          "Person", relationships: [RelationshipDescription("friends", to: "Person", inverse: inverse)]),
        EntityDescription("Artist", superentityName: "Person"),
        EntityDescription("Singer", superentityName: "Artist"),
      ])
    }
    #expect(try model(inverse: "friends").entityVersionHashesByName == model(inverse: nil).entityVersionHashesByName)
  }

  @Test func `Inverses of the same name on two entities are part of the hash`() throws {
    func model(inverse: String?) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        stub("A", RelationshipDescription("x", to: "B", inverse: inverse)),
        stub("B", RelationshipDescription("x", to: "A", inverse: inverse)),
      ])
    }
    #expect(try model(inverse: "x").entityVersionHashesByName != model(inverse: nil).entityVersionHashesByName)
  }

  @Test func `The order of declarations does not affect the hash`() throws {
    let parts = [
      EntityDescription("B", superentityName: "A", attributes: [optional("z", .string), optional("_y", .date)]),
      EntityDescription("A", attributes: [optional("Z", .string), optional("a", .date)]),
      EntityDescription("C", superentityName: "B"),
    ]
    let model = try ManagedObjectModel(entities: parts)
    #expect(try ManagedObjectModel(entities: parts.reversed()) == model)
    #expect(model.entity(named: "C")?.attributes.map(\.name) == ["Z", "_y", "a", "z"])
    #expect(model.entities.map(\.subentityNames) == [["B"], ["C"], []])
  }

  @Test func `A store is compatible with a model when its entities and hashes match`() throws {
    let model = try ManagedObjectModel(entities: [stub("A"), stub("B")])
    var hashes = model.entityVersionHashesByName
    #expect(model.isCompatible(withVersionHashes: hashes))
    hashes["C"] = hashes["A"]
    #expect(!model.isCompatible(withVersionHashes: hashes))
    hashes["C"] = nil
    hashes["A"] = hashes["B"]
    #expect(!model.isCompatible(withVersionHashes: hashes))
    hashes["A"] = nil
    #expect(!model.isCompatible(withVersionHashes: hashes))
  }
}

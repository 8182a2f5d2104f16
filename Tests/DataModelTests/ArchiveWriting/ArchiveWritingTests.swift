import DataModel
import PropertyListFormat
import TestSupport
import Testing

@Suite struct ArchiveWritingTests {
  @Test func `Everything that can be archived is read back`() throws {
    let model = try ArchivableModel.model()
    for again in [
      try ManagedObjectModel(archive: model.archive()), try ManagedObjectModel(modelCache: model.modelCache()),
    ] {
      for (entity, expected) in zip(again.entities, model.entities) {
        for (own, expected) in zip(entity.ownAttributes, expected.ownAttributes) { #expect(own == expected) }
        for (own, expected) in zip(entity.ownRelationships, expected.ownRelationships) { #expect(own == expected) }
        #expect(entity.ownFetchedProperties == expected.ownFetchedProperties)
        #expect(entity.fetchIndexes == expected.fetchIndexes)
      }
      #expect(again == model)
    }
  }

  @Test func `Random models are read back, and archiving them again gives the same bytes`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("ArchiveWritingTests seed \(seed)")
    var random = RandomModel(seed: seed)
    for _ in 0..<60 {
      let model = try random.model()
      let (archive, cache) = (try model.archive(), try model.modelCache())
      let (compiled, cached) = (try ManagedObjectModel(archive: archive), try ManagedObjectModel(modelCache: cache))
      #expect(compiled == model)
      #expect(cached == model)
      #expect(cached.entityVersionHashesByName == model.entityVersionHashesByName)
      #expect(try compiled.archive() == archive)
      #expect(try cached.modelCache() == cache)
    }
  }

  @Test(arguments: PinnedModel.all)
  func `Archived models have the hashes that Apple's tools computed`(pinned: PinnedModel) throws {
    let model = try ManagedObjectModel(entities: pinned.entities)
    let again = try ManagedObjectModel(modelCache: model.modelCache())
    for (name, hash) in pinned.hashes { #expect(again.entity(named: name)?.versionHash.description == hash) }
  }

  @Test func `Equal models give equal bytes regardless of how they were built`() throws {
    func model(_ order: some Sequence<Int>) throws -> ManagedObjectModel {
      var (userInfo, configurations): ([String: String], [String: [String]]) = ([:], [:])
      for index in order { (userInfo["k\(index)"], configurations["c\(index)"]) = ("v\(index)", ["E\(index)"]) }
      let entities = order.map { EntityDescription("E\($0)", userInfo: userInfo, attributes: [optional("a", .date)]) }
      return try ManagedObjectModel(entities: entities, configurations: configurations)
    }
    let (upwards, downwards) = (try model(0..<40), try model((0..<40).reversed()))
    #expect(try upwards.archive() == downwards.archive())
    #expect(try upwards.modelCache() == downwards.modelCache())
  }

  @Test func `The class of an entity in an unknown module is left open`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("E", managedObjectClassName: ".E")])
    #expect(try ManagedObjectModel(archive: model.archive()).entities[0].managedObjectClassName == nil)
  }

  @Test func `An empty model is archived`() throws {
    let model = try ManagedObjectModel(entities: [], versionIdentifiers: [])
    #expect(try ManagedObjectModel(modelCache: model.modelCache()) == model)
  }

  @Test func `Deeply nested entities and long chains of relationships are archived`() throws {
    let nested = (0..<100).map { index in
      EntityDescription(
        "E\(index)", superentityName: index == 0 ? nil : "E\(index - 1)", attributes: [optional("a\(index)", .string)])
    }
    let chained = (0..<600).map { index in
      EntityDescription(
        "E\(index)",
        relationships: [RelationshipDescription("next", to: "E\((index + 1) % 600)", inverse: "next", maxCount: 1)])
    }
    for entities in [nested, chained] {
      let model = try ManagedObjectModel(entities: entities)
      #expect(try ManagedObjectModel(modelCache: model.modelCache()) == model)
    }
  }

  @Test func `Data beyond the size limit is not packed`() throws {
    let bytes = Array(repeating: 7 as UInt8, count: 100)
    #expect(try PackedModel.unpacked(PackedModel.packed(bytes, limit: 100)) == bytes)
    #expect(throws: ModelFileProblem.unpacksBeyond(limit: 99)) { try PackedModel.packed(bytes, limit: 99) }
    #expect(try PackedModel.unpacked(PackedModel.packed([])) == [])
  }
}

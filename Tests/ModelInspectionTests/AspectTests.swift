import DataModel
import ModelInspection
import TestSupport
import Testing

/// Changes one thing, and compares what is said of it with the version hash itself.
@Suite struct AspectTests {
  typealias Alteration<Element> = (aspect: ModelAspect, alter: @Sendable (inout Element) -> Void)

  static let attributes: [Alteration<AttributeDescription>] = [
    (.attributeType, { $0.type = .integer64 }),
    (.isOptional, { $0.isOptional.toggle() }),
    (.isTransient, { $0.isTransient.toggle() }),
    (.defaultValue, { $0.defaultValue = .string("") }),
    (.allowsExternalBinaryDataStorage, { $0.allowsExternalBinaryDataStorage.toggle() }),
    (.preservesValueInHistoryOnDeletion, { $0.preservesValueInHistoryOnDeletion.toggle() }),
    (.valueTransformerName, { $0.valueTransformerName = "T" }),
    (.attributeValueClassName, { $0.editorAttributes["customClassName"] = "C" }),
    (.isIndexedBySpotlight, { $0.editorAttributes["spotlightIndexingEnabled"] = "YES" }),
    (.allowsCloudEncryption, { $0.editorAttributes["allowsCloudEncryption"] = "YES" }),
    (.versionHashModifier, { $0.versionHashModifier = "2" }),
    (.renamingIdentifier, { $0.renamingIdentifier = "older" }),
    (.userInfo, { $0.userInfo = ["k": "v"] }),
    (.minimumValue, { $0.validation.minimum = .integer(1) }),
    (.maximumValue, { $0.validation.maximum = .integer(1) }),
    (.regularExpression, { $0.validation.regularExpression = ".*" }),
    (.derivationExpression, { $0.derivationExpression = "count:(bs)" }),
  ]

  static let relationships: [Alteration<RelationshipDescription>] = [
    (.destinationEntity, { $0.destinationEntityName = "C" }),
    (.inverseRelationship, { $0.inverseName = nil }),
    (.isOptional, { $0.isOptional.toggle() }),
    (.isTransient, { $0.isTransient.toggle() }),
    (.minCount, { $0.minCount = 1 }),
    (.maxCount, { $0.maxCount = 1 }),
    (.isOrdered, { $0.isOrdered.toggle() }),
    (.deleteRule, { $0.deleteRule = .cascade }),
    (.versionHashModifier, { $0.versionHashModifier = "2" }),
    (.renamingIdentifier, { $0.renamingIdentifier = "older" }),
    (.userInfo, { $0.userInfo = ["k": "v"] }),
  ]

  static let entities: [Alteration<EntityDescription>] = [
    (.isAbstract, { $0.isAbstract.toggle() }),
    (.superentity, { $0.superentityName = "C" }),
    (.managedObjectClassName, { $0.managedObjectClassName = "App.A" }),
    (.uniquenessConstraints, { $0.uniquenessConstraints = [["a"]] }),
    (.versionHashModifier, { $0.versionHashModifier = "2" }),
    (.renamingIdentifier, { $0.renamingIdentifier = "Older" }),
    (.userInfo, { $0.userInfo = ["k": "v"] }),
  ]

  private static let attribute = AttributeDescription("a", .string)
  private static let relationship = RelationshipDescription("bs", to: "B", inverse: "a")

  private func model(
    _ attribute: AttributeDescription = attribute, _ relationship: RelationshipDescription = relationship,
    alter: (inout EntityDescription) -> Void = { _ in }
  ) -> ManagedObjectModel {
    var entity = EntityDescription("A", attributes: [attribute], relationships: [relationship])
    alter(&entity)
    return TrackModels.model([
      entity,
      EntityDescription("B", relationships: [RelationshipDescription("a", to: "A", inverse: "bs", maxCount: 1)]),
      EntityDescription("C", relationships: [RelationshipDescription("a", to: "A", inverse: "bs", maxCount: 1)]),
    ])
  }

  private func expect(_ aspect: ModelAspect, from old: ManagedObjectModel, to new: ManagedObjectModel) throws {
    let difference = ModelDifference(from: old, to: new)
    let change = try #require(difference.changes.first, "\(aspect)")
    #expect(difference.changes.count == 1)
    guard case .changed(let found, let before, let after) = change.kind else {
      Issue.record("\(change)")
      return
    }
    #expect(found == aspect)
    #expect(before != after)
    let hasOtherHash = old.entity(named: "A")?.versionHash != new.entity(named: "A")?.versionHash
    #expect(change.affectsVersionHash == hasOtherHash, "\(aspect)")
    #expect(difference.hasOtherHashes == hasOtherHash)
    #expect(!change.followsRenaming)
  }

  @Test func `Each changed aspect of an attribute is found with its effect on the version hash`() throws {
    for (aspect, alter) in Self.attributes {
      for isTransient in [false, true] {
        var old = Self.attribute
        old.isTransient = isTransient
        var new = old
        alter(&new)
        try expect(aspect, from: model(old), to: model(new))
        try expect(aspect, from: model(new), to: model(old))
      }
    }
  }

  @Test func `Each changed aspect of a derived attribute is found with its effect on the version hash`() throws {
    let filter: Alteration<AttributeDescription> = (
      .derivationFilterPredicate, { $0.derivationFilterPredicate = "a > 1" }
    )
    for (aspect, alter) in Self.attributes + [filter] {
      var old = Self.attribute
      old.derivationExpression = "bs.@count"
      var new = old
      alter(&new)
      try expect(aspect, from: model(old), to: model(new))
    }
  }

  @Test func `Each changed aspect of a relationship is found with its effect on the version hash`() throws {
    for (aspect, alter) in Self.relationships {
      for isTransient in [false, true] {
        var old = Self.relationship
        old.isTransient = isTransient
        var new = old
        alter(&new)
        try expect(aspect, from: model(Self.attribute, old), to: model(Self.attribute, new))
      }
    }
  }

  @Test func `Each changed aspect of an entity is found with its effect on the version hash`() throws {
    for (aspect, alter) in Self.entities {
      try expect(aspect, from: model(), to: model { alter(&$0) })
      try expect(aspect, from: model { alter(&$0) }, to: model())
    }
  }

  @Test func `Every aspect of these kinds is tested`() {
    let tried = Set(
      Self.attributes.map(\.aspect) + Self.relationships.map(\.aspect) + Self.entities.map(\.aspect)
        + [.derivationFilterPredicate])
    let elsewhere: Set<ModelAspect> = [
      .versionIdentifiers, .members, .predicate, .fetchedEntity, .elements, .partialIndexPredicate,
    ]
    #expect(tried.union(elsewhere) == Set(ModelAspect.allCases))
  }
}

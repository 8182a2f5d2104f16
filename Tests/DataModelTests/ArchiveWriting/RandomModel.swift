import DataModel
import TestSupport

/// Models of any shape that can be archived.
struct RandomModel {
  private var generator: SeededGenerator
  private var number = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func model() throws -> ManagedObjectModel {
    let names = (0..<Int.random(in: 0...7, using: &generator)).map { _ in name() }
    var relationships: [String: [RelationshipDescription]] = [:]
    for source in names {
      guard let destination = names.randomElement(using: &generator), flip() else { continue }
      let (forth, back) = (name(), name())
      relationships[source, default: []].append(relationship(forth, to: destination, inverse: back))
      relationships[destination, default: []].append(relationship(back, to: source, inverse: forth))
    }
    var entities: [EntityDescription] = []
    for (index, name) in names.enumerated() {
      // Only earlier entities become parents, so there are no cycles.
      let parent = flip() ? names[..<index].randomElement(using: &generator) : nil
      entities.append(entity(name, parent, relationships[name] ?? []))
    }
    return try ManagedObjectModel(
      entities: entities, versionIdentifiers: flip() ? [name()] : [],
      configurations: flip() ? [name(): names.filter { _ in flip() }.sorted { $0.precedesByBytes($1) }] : [:])
  }

  private mutating func flip() -> Bool { Bool.random(using: &generator) }

  /// No two names are equal, so that no entity declares what it inherits.
  private mutating func name() -> String {
    number += 1
    let prefix = ["x", "A b", "é", "e\u{301}", "\"'`", "漢", "🎵", "_", "", "a.b", "$null"].randomElement(
      using: &generator)
    return "\(prefix ?? "")\(number)"
  }

  private mutating func entity(
    _ name: String, _ parent: String?, _ relationships: [RelationshipDescription]
  ) -> EntityDescription {
    let attributes = (0..<Int.random(in: 0...5, using: &generator)).map { _ in attribute() }
    let names = attributes.map(\.name).filter { !$0.contains(".") }
    return EntityDescription(
      name, isAbstract: flip(), superentityName: parent, managedObjectClassName: flip() ? "C\(name)" : nil,
      renamingIdentifier: flip() ? self.name() : nil, versionHashModifier: flip() ? "m" : nil, userInfo: userInfo(),
      uniquenessConstraints: flip() && !names.isEmpty ? [names] : [], attributes: attributes,
      relationships: relationships,
      fetchedProperties: flip()
        ? [
          FetchedPropertyDescription(
            self.name(), fetchRequest: FetchRequestDescription("fetchedPropertyFetchRequest", entityName: name))
        ] : [],
      fetchIndexes: flip() && !names.isEmpty ? [FetchIndexDescription(self.name(), properties: names)] : [])
  }

  private mutating func relationship(_ name: String, to: String, inverse: String) -> RelationshipDescription {
    RelationshipDescription(
      name, to: to, inverse: inverse, minCount: flip() ? 1 : 0, maxCount: flip() ? 1 : 0, isOrdered: flip(),
      deleteRule: DeleteRule.allCases.randomElement(using: &generator) ?? .deny, isOptional: flip(),
      isTransient: flip(), versionHashModifier: flip() ? "r" : nil, userInfo: userInfo())
  }

  private mutating func attribute() -> AttributeDescription {
    let (type, value) = ArchivableModel.values.randomElement(using: &generator) ?? (.string, nil)
    return AttributeDescription(
      name(), type, isOptional: flip(), isTransient: flip(), defaultValue: flip() ? value : nil,
      allowsExternalBinaryDataStorage: flip(), preservesValueInHistoryOnDeletion: flip(),
      valueTransformerName: flip() ? "T" : nil, versionHashModifier: flip() ? "a" : nil, userInfo: userInfo())
  }

  private mutating func userInfo() -> [String: String] { flip() ? [name(): name(), "a": ""] : [:] }
}

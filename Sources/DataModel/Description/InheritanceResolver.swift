/// Fills in what entities inherit, who their children are, and their version hashes.
struct InheritanceResolver {
  /// The most properties that all entities together may end up with.
  ///
  /// The greatest models of Apple's own apps have a few ten thousand.
  static let propertyLimit = 200_000

  private let declared: [String: EntityDescription]
  private let childNames: [String: [String]]

  init(_ entities: [EntityDescription]) throws(ModelError) {
    var declared: [String: EntityDescription] = [:]
    var childNames: [String: [String]] = [:]
    for entity in entities {
      guard declared.updateValue(entity, forKey: entity.name) == nil else { throw .duplicateEntity(entity.name) }
      if let parent = entity.superentityName { childNames[parent, default: []].append(entity.name) }
    }
    self.declared = declared
    self.childNames = childNames.mapValues { $0.sorted { $0.precedesByBytes($1) } }
  }

  /// The entities with all that they inherit, sorted by name.
  func resolved() throws(ModelError) -> [EntityDescription] {
    for entity in declared.values.sorted(by: { $0.name.precedesByBytes($1.name) }) {
      guard let parent = entity.superentityName else { continue }
      guard declared[parent] != nil else { throw .unknownSuperentity(entity: entity.name, superentity: parent) }
    }
    // Parents first, with a list of our own instead of recursion: a hostile model may nest as deep as it likes.
    var resolved: [String: EntityDescription] = [:]
    var hashes: [String: PropertyHashes] = [:]
    var propertyCount = 0
    var waiting = declared.values.filter { $0.superentityName == nil }
    while var entity = waiting.popLast() {
      let parent = entity.superentityName.flatMap { resolved[$0] }
      if let parent { inherit(from: parent, &entity) }
      let propertyHashes = PropertyHashes(
        of: entity, inheriting: entity.superentityName.flatMap { hashes[$0] } ?? PropertyHashes())
      entity.subentityNames = childNames[entity.name] ?? []
      entity.versionHash = entity.computeVersionHash(propertyHashes, superentityHash: parent?.versionHash)
      resolved[entity.name] = entity
      hashes[entity.name] = entity.subentityNames.isEmpty ? nil : propertyHashes
      propertyCount += entity.attributes.count + entity.relationships.count
      guard propertyCount <= Self.propertyLimit else { throw .tooManyInheritedProperties(limit: Self.propertyLimit) }
      waiting += entity.subentityNames.compactMap { declared[$0] }
    }
    // What no root leads to is part of a cycle.
    let unreached = declared.keys.filter { resolved[$0] == nil }
    if let entity = unreached.min(by: { $0.precedesByBytes($1) }) { throw .inheritanceCycle(entity: entity) }
    return resolved.values.sorted { $0.name.precedesByBytes($1.name) }
  }

  private func inherit(from parent: EntityDescription, _ entity: inout EntityDescription) {
    let own = Set(entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name))
    entity.attributes = (entity.ownAttributes + parent.attributes.filter { !own.contains($0.name) })
      .sorted { $0.name.precedesByBytes($1.name) }
    entity.relationships = (entity.ownRelationships + parent.relationships.filter { !own.contains($0.name) })
      .sorted { $0.name.precedesByBytes($1.name) }
  }
}

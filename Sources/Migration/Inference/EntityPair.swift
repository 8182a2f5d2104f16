internal import DataModel

/// An entity of the destination with the one of the source whose instances become its own, and their properties.
struct EntityPair {
  let source: EntityDescription
  let destination: EntityDescription
  /// The stored attributes.
  let attributes: RenamingMatcher
  /// The stored relationships.
  let relationships: RenamingMatcher
  let sourceAttributes: [String: AttributeDescription]
  let sourceRelationships: [String: RelationshipDescription]

  init(_ source: EntityDescription, _ destination: EntityDescription) {
    self.source = source
    self.destination = destination
    sourceAttributes = source.attributesByName
    sourceRelationships = source.relationshipsByName
    attributes = RenamingMatcher(from: Self.stored(source.attributes), to: Self.stored(destination.attributes))
    relationships = RenamingMatcher(
      from: Self.stored(source.relationships), to: Self.stored(destination.relationships))
  }

  private static func stored(_ properties: [some PropertyDescription]) -> [RenamingMatcher.Element] {
    properties.filter { !$0.isTransient }.map { RenamingMatcher.Element($0) }
  }

  func source(of attribute: AttributeDescription) -> AttributeDescription? {
    attributes.sourceNames[attribute.name].flatMap { sourceAttributes[$0] }
  }

  func source(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationships.sourceNames[relationship.name].flatMap { sourceRelationships[$0] }
  }

  /// What the source calls these properties, or `nil` if one is new.
  func oldNames(_ names: [String]) -> Set<String>? {
    guard !names.contains(where: { attributes.isNew($0) || relationships.isNew($0) }) else { return nil }
    // What is not stored, or lies inside a composite attribute, has no other name.
    return Set(names.map { attributes.sourceNames[$0] ?? relationships.sourceNames[$0] ?? $0 })
  }

  /// Whether nothing has changed that has to do with how instances are stored.
  var isUnchanged: Bool {
    source.name == destination.name && source.versionHash == destination.versionHash
      && attributes.isIdentity && relationships.isIdentity
  }
}

/// Checks that the names in a model lead somewhere, so that whoever uses the model need not doubt them.
struct ModelValidator {
  private let entities: [EntityDescription]
  /// The names of all properties of each entity, own and inherited.
  private let attributeNames: [String: Set<String>]
  private let relationshipNames: [String: Set<String>]

  init(_ entities: [EntityDescription]) {
    self.entities = entities
    attributeNames = Dictionary(
      entities.map { ($0.name, Set($0.attributes.map(\.name))) }, uniquingKeysWith: { first, _ in first })
    relationshipNames = Dictionary(
      entities.map { ($0.name, Set($0.relationships.map(\.name))) }, uniquingKeysWith: { first, _ in first })
  }

  func check() throws(ModelError) {
    for entity in entities {
      try checkNames(entity)
      for attribute in entity.ownAttributes { try check(attribute, of: entity) }
      for relationship in entity.ownRelationships { try check(relationship, of: entity) }
      for constraint in entity.uniquenessConstraints { try check(constraint, of: entity) }
      for index in entity.fetchIndexes { try check(index, of: entity) }
    }
  }

  private func checkNames(_ entity: EntityDescription) throws(ModelError) {
    guard !entity.name.isEmpty else { throw .namelessEntity }
    var seen: Set<String> = []
    let names =
      entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name) + entity.ownFetchedProperties.map(\.name)
    for name in names {
      guard !name.isEmpty else { throw .namelessProperty(entity: entity.name) }
      guard seen.insert(name).inserted else { throw .duplicateProperty(entity: entity.name, property: name) }
    }
  }

  private func check(_ attribute: AttributeDescription, of entity: EntityDescription) throws(ModelError) {
    guard attribute.type != .undefined || attribute.isTransient else {
      throw .typeMissing(entity: entity.name, attribute: attribute.name)
    }
  }

  private func check(_ relationship: RelationshipDescription, of entity: EntityDescription) throws(ModelError) {
    let destination = relationship.destinationEntityName
    guard relationshipNames[destination] != nil else {
      throw .unknownDestination(entity: entity.name, relationship: relationship.name, destination: destination)
    }
    guard let inverse = relationship.inverseName else { return }
    let holder = relationship.inverseEntityName ?? destination
    guard relationshipNames[holder]?.contains(inverse) == true else {
      throw .unknownInverse(entity: entity.name, relationship: relationship.name, inverse: inverse)
    }
  }

  private func check(_ constraint: [String], of entity: EntityDescription) throws(ModelError) {
    // A dot leads into a composite attribute.
    for name in constraint where !hasProperty(name.prefix { $0 != "." }, entity) {
      throw .unknownConstraintProperty(entity: entity.name, property: name)
    }
  }

  private func check(_ index: FetchIndexDescription, of entity: EntityDescription) throws(ModelError) {
    for element in index.elements {
      guard let name = element.propertyName, !hasProperty(name.prefix { $0 != "." }, entity) else { continue }
      throw .unknownIndexProperty(entity: entity.name, index: index.name, property: name)
    }
  }

  private func hasProperty(_ name: Substring, _ entity: EntityDescription) -> Bool {
    attributeNames[entity.name]?.contains(String(name)) == true
      || relationshipNames[entity.name]?.contains(String(name)) == true
  }
}

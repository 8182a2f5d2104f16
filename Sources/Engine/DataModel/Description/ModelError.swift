/// A reason why a model is not usable.
///
/// The cases hold facts; the sentences are in `description`.
package enum ModelError: Error, Sendable, Hashable {
  case duplicateEntity(String)
  case namelessEntity
  case namelessProperty(entity: String)
  case duplicateProperty(entity: String, property: String)
  case unknownSuperentity(entity: String, superentity: String)
  case inheritanceCycle(entity: String)
  /// Deep inheritance multiplies properties until they no longer fit in memory.
  case tooManyInheritedProperties(limit: Int)
  case typeMissing(entity: String, attribute: String)
  case unknownDestination(entity: String, relationship: String, destination: String)
  case unknownInverse(entity: String, relationship: String, inverse: String)
  case unknownConstraintProperty(entity: String, property: String)
  case unknownIndexProperty(entity: String, index: String, property: String)
}

extension ModelError: CustomStringConvertible {
  /// The problem and the advice, in two sentences.
  package var description: String { "\(problem) \(advice)" }

  /// The problem, in one sentence.
  package var problem: String {
    switch self {
    case .duplicateEntity(let name): "The model has two entities named '\(name)'."
    case .namelessEntity: "The model has an entity without a name."
    case .namelessProperty(let entity): "Entity '\(entity)' has a property without a name."
    case .duplicateProperty(let entity, let property): "Entity '\(entity)' has two properties named '\(property)'."
    case .unknownSuperentity(let entity, let superentity):
      "Entity '\(entity)' names the parent '\(superentity)', which the model does not have."
    case .inheritanceCycle(let entity): "Entity '\(entity)' is its own ancestor."
    case .tooManyInheritedProperties(let limit): "The entities inherit more than \(limit) properties in total."
    case .typeMissing(let entity, let attribute): "Attribute '\(entity).\(attribute)' is stored but has no type."
    case .unknownDestination(let entity, let relationship, let destination):
      "Relationship '\(entity).\(relationship)' leads to '\(destination)', which the model does not have."
    case .unknownInverse(let entity, let relationship, let inverse):
      "Relationship '\(entity).\(relationship)' names the inverse '\(inverse)', which its destination does not have."
    case .unknownConstraintProperty(let entity, let property):
      "A uniqueness constraint of entity '\(entity)' names the property '\(property)', which the entity does not have."
    case .unknownIndexProperty(let entity, let index, let property):
      "Index '\(index)' of entity '\(entity)' names the property '\(property)', which the entity does not have."
    }
  }

  /// The advice, in one sentence.
  package var advice: String {
    switch self {
    case .duplicateEntity, .duplicateProperty: "Rename one of them."
    case .namelessEntity, .namelessProperty: "Give it a name."
    case .unknownSuperentity: "Choose a parent that exists, or none."
    case .inheritanceCycle: "Choose another parent for it."
    case .tooManyInheritedProperties: "Make the inheritance less deep."
    case .typeMissing: "Choose a type for it, or make it transient."
    case .unknownDestination: "Choose a destination that exists, or add the entity."
    case .unknownInverse: "Choose an inverse that exists, or none."
    case .unknownConstraintProperty: "Correct the constraint or add the property."
    case .unknownIndexProperty: "Correct the index or add the property."
    }
  }
}

/// Checks that all names in a model resolve, so that its users can rely on them.
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
      entity.ownAttributes.map(\.name) + entity.ownComposites.map(\.name) + entity.ownRelationships.map(\.name)
      + entity.ownFetchedProperties.map(\.name)
    for name in names {
      guard !name.isEmpty, !name.hasSuffix(".") else { throw .namelessProperty(entity: entity.name) }
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
    for name in constraint where !hasProperty(name, entity) {
      throw .unknownConstraintProperty(entity: entity.name, property: name)
    }
  }

  private func check(_ index: FetchIndexDescription, of entity: EntityDescription) throws(ModelError) {
    for element in index.elements {
      guard let name = element.propertyName, !hasProperty(name, entity) else { continue }
      throw .unknownIndexProperty(entity: entity.name, index: index.name, property: name)
    }
  }

  /// Whether there is such a property: an element of a composite by its key path, and a composite by its name.
  private func hasProperty(_ name: String, _ entity: EntityDescription) -> Bool {
    attributeNames[entity.name]?.contains(name) == true || relationshipNames[entity.name]?.contains(name) == true
      || !entity.elements(ofComposite: name).isEmpty
  }
}

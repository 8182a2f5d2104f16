internal import DataModel
internal import MappingModels

/// What can have another name in the next version of a model.
protocol Renamable {
  var name: String { get }
  var renamingIdentifier: String { get }
}

extension EntityDescription: Renamable {}
extension AttributeDescription: Renamable {}
extension RelationshipDescription: Renamable {}
extension FetchedPropertyDescription: Renamable {}

/// What is what in two versions, as ``RenamingMatcher`` finds it.
///
/// Where that is ambiguous, the elements are paired in their order: a comparison has to say something of each.
struct RenamingMatch<Element: Renamable> {
  /// In the order of the new version.
  private(set) var pairs: [(old: Element, new: Element)] = []
  let removed: [Element]
  private(set) var added: [Element] = []

  init(old: [Element], new: [Element]) {
    let matcher = RenamingMatcher(from: Self.names(old), to: Self.names(new))
    var oldNames = matcher.sourceNames
    for ambiguity in matcher.ambiguities {
      for (name, oldName) in zip(ambiguity.destinations, ambiguity.sources) { oldNames[name] = oldName }
    }
    let oldByName = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for element in new {
      if let partner = oldNames[element.name].flatMap({ oldByName[$0] }) {
        pairs.append((partner, element))
      } else {
        added.append(element)
      }
    }
    let kept = Set(oldNames.values)
    removed = old.filter { !kept.contains($0.name) }
  }

  private static func names(_ elements: [Element]) -> [RenamingMatcher.Element] {
    elements.map { RenamingMatcher.Element(name: $0.name, identifier: $0.renamingIdentifier) }
  }
}

/// The names that the new model has for what the old one names otherwise.
struct Renamings {
  private let entities: [String: String]
  /// The own properties of each entity of the new model.
  private let properties: [String: [String: String]]
  private let newEntities: [String: EntityDescription]

  init(entities pairs: [(old: EntityDescription, new: EntityDescription)], in model: ManagedObjectModel) {
    entities = Dictionary(pairs.map { ($0.old.name, $0.new.name) }, uniquingKeysWith: { first, _ in first })
    newEntities = model.entitiesByName
    properties = Dictionary(
      pairs.map { pair in
        let attributes = RenamingMatch(old: pair.old.ownAttributes, new: pair.new.ownAttributes).pairs
          .map { ($0.old.name, $0.new.name) }
        let relationships = RenamingMatch(old: pair.old.ownRelationships, new: pair.new.ownRelationships).pairs
          .map { ($0.old.name, $0.new.name) }
        return (pair.new.name, Dictionary(attributes + relationships, uniquingKeysWith: { first, _ in first }))
      }, uniquingKeysWith: { first, _ in first })
  }

  func entity(_ oldName: String) -> String { entities[oldName] ?? oldName }

  /// A property of an entity or its ancestors.
  func property(_ oldName: String, ofEntityNamed newEntityName: String) -> String {
    // Models have no cycles, so this ends.
    for entity in sequence(first: newEntityName, next: { newEntities[$0]?.superentityName }) {
      if let name = properties[entity]?[oldName] { return name }
    }
    return oldName
  }

  func translated(_ entity: EntityDescription, to newName: String) -> EntityDescription {
    var translated = entity
    translated.superentityName = entity.superentityName.map(self.entity)
    translated.uniquenessConstraints = entity.uniquenessConstraints.map { constraint in
      constraint.map { property($0, ofEntityNamed: newName) }
    }
    return translated
  }

  func translated(_ relationship: RelationshipDescription) -> RelationshipDescription {
    var translated = relationship
    translated.destinationEntityName = entity(relationship.destinationEntityName)
    translated.inverseName = relationship.inverseName.map {
      property($0, ofEntityNamed: entity(relationship.inverseEntityName ?? relationship.destinationEntityName))
    }
    return translated
  }

  func translated(_ fetchedProperty: FetchedPropertyDescription) -> FetchedPropertyDescription {
    var translated = fetchedProperty
    translated.fetchRequest.entityName = entity(fetchedProperty.fetchRequest.entityName)
    return translated
  }

  func translated(_ index: FetchIndexDescription, ofEntityNamed newName: String) -> FetchIndexDescription {
    var translated = index
    for position in translated.elements.indices {
      guard let name = translated.elements[position].propertyName else { continue }
      translated.elements[position].subject = .property(property(name, ofEntityNamed: newName))
    }
    return translated
  }
}

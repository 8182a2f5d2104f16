internal import DataModel
internal import MappingModels

/// The elements of two versions, paired by ``RenamingMatcher``.
///
/// Ambiguous elements are paired in their order, because a comparison must report something for each.
struct RenamingMatch<Element: Renamable> {
  /// In the order of the new version.
  private(set) var pairs: [(old: Element, new: Element)] = []
  let removed: [Element]
  private(set) var added: [Element] = []

  init(old: [Element], new: [Element]) {
    let matcher = RenamingMatcher(
      from: old.map { RenamingMatcher.Element($0) }, to: new.map { RenamingMatcher.Element($0) })
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
}

/// The new names of renamed entities and properties.
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

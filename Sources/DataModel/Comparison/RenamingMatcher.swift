/// Finds the source element that each destination element was before.
///
/// A renaming identifier is *set* where it differs from the name. In this order, each element being used once:
///
/// 0. the same name and the same identifier, which is set: what was renamed earlier and has not changed since;
/// 1. the same set identifier: both were renamed from the same original;
/// 2. the destination's set identifier is the source's name: it is renamed now;
/// 3. the same name, where the destination's identifier is not set;
/// 4. the destination's name is the source's set identifier: a renaming is taken back;
/// 5. the same name, where the destination's set identifier has found nothing. Apple's tools do not say that they do
///    so, but apps rely on it: a stray identifier does not make them lose their data.
///
/// If a step finds several elements of one side for the same key, it is ambiguous, and none of them is matched.
package struct RenamingMatcher {
  /// The names by which an entity, an attribute or a relationship is matched.
  package struct Element: Sendable {
    package let name: String
    package let identifier: String

    /// The identifier, if it is set.
    var setIdentifier: String? { identifier == name ? nil : identifier }
    /// The name, if it is also the identifier.
    var ownName: String? { identifier == name ? name : nil }
  }

  /// Elements that could be matched in more than one way.
  package struct Ambiguity: Sendable {
    package let sources: [String]
    package let destinations: [String]
  }

  /// The names in the source, by the names in the destination.
  package private(set) var sourceNames: [String: String] = [:]
  /// The names in the destination, by the names in the source.
  package private(set) var destinationNames: [String: String] = [:]
  /// The matches that cannot be decided.
  package private(set) var ambiguities: [Ambiguity] = []
  /// The destination elements that were matched by name, because their identifiers match nothing.
  package private(set) var foundDespiteIdentifier: Set<String> = []

  /// The elements that are not matched yet.
  private var sources: [Element]
  private var destinations: [Element]
  private var added: Set<String> = []
  private var removed: Set<String> = []

  package init(from sources: [Element], to destinations: [Element]) {
    self.sources = sources
    self.destinations = destinations
    match({ $0.setIdentifier == nil ? nil : $0.name }, { $0.name }) { $0.identifier == $1.identifier }
    match(\.setIdentifier, \.setIdentifier)
    match(\.setIdentifier, \.name)
    match(\.ownName, \.name)
    match(\.ownName, \.setIdentifier)
    foundDespiteIdentifier = Set(match(\.name, \.name))
    added = Set(self.destinations.map(\.name))
    removed = Set(self.sources.map(\.name))
  }

  /// Whether an element of the destination is new.
  package func isNew(_ destination: String) -> Bool { added.contains(destination) }

  /// Whether an element of the source is gone.
  package func isRemoved(_ source: String) -> Bool { removed.contains(source) }

  /// Whether all elements are the same under the same names.
  package var isIdentity: Bool {
    added.isEmpty && removed.isEmpty && ambiguities.isEmpty && sourceNames.allSatisfy { $0 == $1 }
  }

  /// Matches elements that alone have the same key, and returns the names of the matched destinations.
  @discardableResult
  private mutating func match(
    _ destinationKey: (Element) -> String?, _ sourceKey: (Element) -> String?,
    where agree: (Element, Element) -> Bool = { _, _ in true }
  ) -> [String] {
    let sourcesByKey = Dictionary(grouping: sources) { sourceKey($0) }
    let destinationsByKey = Dictionary(grouping: destinations) { destinationKey($0) }
    var matched: [String] = []
    var used: (sources: Set<String>, destinations: Set<String>) = ([], [])
    for destination in destinations {
      guard let key = destinationKey(destination), let found = sourcesByKey[key], let rivals = destinationsByKey[key],
        rivals.first?.name == destination.name
      else { continue }
      if let source = found.first, found.count == 1, rivals.count == 1 {
        guard agree(destination, source) else { continue }
        sourceNames[destination.name] = source.name
        destinationNames[source.name] = destination.name
        matched.append(destination.name)
      } else {
        ambiguities.append(Ambiguity(sources: found.map(\.name), destinations: rivals.map(\.name)))
      }
      used.sources.formUnion(found.map(\.name))
      used.destinations.formUnion(rivals.map(\.name))
    }
    guard !used.sources.isEmpty else { return matched }
    sources.removeAll { used.sources.contains($0.name) }
    destinations.removeAll { used.destinations.contains($0.name) }
    return matched
  }
}

extension RenamingMatcher.Element {
  package init(_ element: some Renamable) {
    self.init(name: element.name, identifier: element.renamingIdentifier)
  }
}

/// A part of a model that can have another name in the next version.
package protocol Renamable {
  var name: String { get }
  var renamingIdentifier: String { get }
}

extension EntityDescription: Renamable {}
extension AttributeDescription: Renamable {}
extension RelationshipDescription: Renamable {}
extension FetchedPropertyDescription: Renamable {}

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

/// A version of an app's data model: its entities and their relationships.
public struct ManagedObjectModel: Sendable, Hashable {
  /// The entities, sorted by name.
  public let entities: [EntityDescription]
  /// The version identifiers that the model's author chose; Xcode writes one empty string by default.
  public let versionIdentifiers: [String]
  /// The names of the entities of each configuration.
  public let configurations: [String: [String]]
  /// The fetch request templates, in the order of the model.
  package var fetchRequestTemplates: [FetchRequestDescription] = []
  /// Other attributes that Xcode wrote, such as its own version.
  ///
  /// It affects neither store nor version hash.
  package var editorAttributes: [String: String] = [:]
  private let index: EntityIndex

  /// Creates a model and resolves inheritance.
  ///
  /// - Throws: `ModelError` if a name does not resolve or the inheritance has a cycle.
  package init(
    entities: [EntityDescription],
    versionIdentifiers: [String] = [""],
    configurations: [String: [String]] = [:]
  ) throws(ModelError) {
    self.entities = try InheritanceResolver(entities).resolved()
    index = EntityIndex(self.entities)
    self.versionIdentifiers = versionIdentifiers
    self.configurations = configurations
    try ModelValidator(self.entities).check()
  }

  /// The entities by their names.
  public var entitiesByName: [String: EntityDescription] { index.byName }

  /// The entity of this name.
  public func entity(named name: String) -> EntityDescription? { index.byName[name] }
}

/// The entities of a model by their names, which are asked for so often that they are kept.
///
/// They are those of the model, and so make no difference between two models.
private struct EntityIndex: Hashable {
  let byName: [String: EntityDescription]

  init(_ entities: [EntityDescription]) {
    byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  static func == (_: Self, _: Self) -> Bool { true }
  func hash(into _: inout Hasher) {}
}

extension ManagedObjectModel {
  /// The entities in an order in which each is followed by all its descendants, siblings sorted by name.
  package var entitiesParentsFirst: [EntityDescription] {
    let byName = entitiesByName
    var ordered: [EntityDescription] = []
    // A list instead of recursion: a model may nest as deeply as it likes. The last of the list comes next.
    var waiting = Array(entities.filter { $0.superentityName == nil }.reversed())
    while let entity = waiting.popLast() {
      ordered.append(entity)
      waiting += entity.subentityNames.reversed().compactMap { byName[$0] }
    }
    return ordered
  }

  /// The names of an entity and all its ancestors, the entity first.
  package func lineage(of entityName: String) -> [String] { entitiesByName.lineage(of: entityName) }

  /// The entity that declares an attribute or a relationship: this one or the next of its ancestors that does.
  package func entity(declaring property: String, from entityName: String) -> EntityDescription? {
    var next = entity(named: entityName)
    // Models have no cycles, so this ends.
    while let entity = next, !entity.ownAttributes.contains(where: { $0.name == property }),
      !entity.ownRelationships.contains(where: { $0.name == property })
    {
      next = entity.superentityName.flatMap { self.entity(named: $0) }
    }
    return next
  }

  /// The lineages of all entities by their names.
  package var lineages: [String: [String]] {
    let byName = entitiesByName
    return byName.mapValues { byName.lineage(of: $0.name) }
  }

  /// The names of an entity and all its descendants.
  package func tree(of entityName: String) -> Set<String> {
    let byName = entitiesByName
    var names: Set<String> = []
    var waiting = [entityName]
    while let next = waiting.popLast() {
      if names.insert(next).inserted { waiting += byName[next]?.subentityNames ?? [] }
    }
    return names
  }

  /// The entity that declares an entity's own or inherited relationship.
  package func owner(ofRelationship relationship: String, from entityName: String) -> String? {
    lineage(of: entityName).first { owner in
      entity(named: owner)?.ownRelationships.contains { $0.name == relationship } == true
    }
  }
}

extension [String: EntityDescription] {
  /// The names of an entity and all its ancestors, the entity first.
  package func lineage(of entityName: String) -> [String] {
    Array(sequence(first: entityName) { self[$0]?.superentityName })
  }
}

/// Sets the inherited properties, the children and the version hashes of entities.
struct InheritanceResolver {
  /// The maximum number of properties of all entities together.
  ///
  /// The largest models of Apple's own apps have a few ten thousand.
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

  /// The entities with their inherited properties, sorted by name.
  func resolved() throws(ModelError) -> [EntityDescription] {
    for entity in declared.values.sorted(by: { $0.name.precedesByBytes($1.name) }) {
      guard let parent = entity.superentityName else { continue }
      guard declared[parent] != nil else { throw .unknownSuperentity(entity: entity.name, superentity: parent) }
    }
    // Parents first, with a list instead of recursion: a hostile model may nest as deeply as it likes.
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
    // Entities that no root leads to are part of a cycle.
    let unreached = declared.keys.filter { resolved[$0] == nil }
    if let entity = unreached.min(by: { $0.precedesByBytes($1) }) { throw .inheritanceCycle(entity: entity) }
    return resolved.values.sorted { $0.name.precedesByBytes($1.name) }
  }

  private func inherit(from parent: EntityDescription, _ entity: inout EntityDescription) {
    let own = Set(entity.ownDeclaredAttributes.map(\.name) + entity.ownRelationships.map(\.name))
    // The elements of a composite keep their order: sorting is stable.
    entity.attributes = (entity.ownAttributes + parent.attributes.filter { !own.contains($0.declaredName) })
      .sorted { $0.declaredName.precedesByBytes($1.declaredName) }
    entity.composites = entity.ownComposites + parent.composites.filter { !own.contains($0.name) }
    entity.relationships = (entity.ownRelationships + parent.relationships.filter { !own.contains($0.name) })
      .sorted { $0.name.precedesByBytes($1.name) }
  }
}

extension ManagedObjectModel {
  /// Returns the configuration whose entities are those of a store, each with the same hash.
  ///
  /// An app may keep the entities of a configuration in a separate store, which names no others.
  ///
  /// - Parameter hashes: The version hashes by entity name, from a store's metadata.
  /// - Returns: The first such configuration by name; `nil` if there is none.
  package func configurationName(compatibleWithVersionHashes hashes: [String: VersionHash]) -> String? {
    let known = entityVersionHashesByName
    return configurations.keys.sorted { $0.precedesByBytes($1) }.first { name in
      let members = Set(configurations[name] ?? [])
      return !members.isEmpty && members.count == hashes.count
        && members.allSatisfy { known[$0] != nil && known[$0] == hashes[$0] }
    }
  }

  // MARK: - Restriction

  /// Returns the model of a store that holds only the entities of one configuration.
  ///
  /// - Returns: `nil` if there is no such configuration, or if its entities depend on others: Core Data has no
  ///   relationships between stores.
  package func restricted(toConfiguration name: String) -> ManagedObjectModel? {
    guard let members = configurations[name].map(Set.init) else { return nil }
    var model = try? ManagedObjectModel(
      entities: entities.filter { members.contains($0.name) }, versionIdentifiers: versionIdentifiers,
      configurations: [name: members.sorted { $0.precedesByBytes($1) }])
    model?.editorAttributes = editorAttributes
    model?.fetchRequestTemplates = fetchRequestTemplates.filter { members.contains($0.entityName) }
    return model
  }
}

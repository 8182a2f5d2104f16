public import DataModel

/// Compares two versions of a model and writes down how instances of one become instances of the other.
///
/// Everything that stands in the way is collected, so that an author sees all of it at once.
package struct MappingInference {
  let source: EntityTree
  let destination: EntityTree
  let entities: RenamingMatcher
  /// The entities that hand on instances, by the names that the destination has for them.
  let pairs: [String: EntityPair]
  var reasons: [InferenceError.Reason] = []
  var findings: [InferenceFinding] = []
  var renames = LikelyRenames()
  /// What was found of the relationships between two destinations: it is the same for all of them.
  var destinationChanges: [DestinationChange.Key: DestinationChange] = [:]

  package init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    let tree = EntityTree(source)
    let entities = RenamingMatcher(
      from: source.entities.map { RenamingMatcher.Element($0) },
      to: destination.entities.map { RenamingMatcher.Element($0) })
    var pairs: [String: EntityPair] = [:]
    for entity in destination.entities where !entity.isAbstract {
      guard let old = entities.sourceNames[entity.name].flatMap({ tree.entity($0) }), !old.isAbstract else {
        continue
      }
      pairs[entity.name] = EntityPair(old, entity)
    }
    self.source = tree
    self.destination = EntityTree(destination)
    self.entities = entities
    self.pairs = pairs
  }

  /// The mapping model.
  ///
  /// - Throws: `InferenceError` where there is any reason.
  package mutating func mappingModel() throws(InferenceError) -> MappingModel {
    var mappings: [EntityMapping] = []
    for entity in destination.model.entities where !entity.isAbstract {
      mappings.append(pairs[entity.name].map { mapping(of: $0) } ?? addition(of: entity))
    }
    for entity in source.model.entities where !entity.isAbstract && !isKept(entity) {
      mappings.append(
        EntityMapping(name: "IEM_Remove_\(entity.name)", mappingType: .remove, source: entity, destination: nil))
    }
    checkEntities()
    checkHierarchies()
    checkUniqueness()
    guard reasons.isEmpty else { throw InferenceError(reasons: sortedReasons) }
    return MappingModel(entityMappings: mappings)
  }

  /// Whether the instances of an entity live on.
  private func isKept(_ entity: EntityDescription) -> Bool {
    entities.destinationNames[entity.name].map { pairs[$0] != nil } ?? false
  }

  private mutating func mapping(of pair: EntityPair) -> EntityMapping {
    let isCopy = pair.isUnchanged
    checkNames(of: pair)
    return EntityMapping(
      name: (isCopy ? "IEM_Copy_" : "IEM_Transform_") + pair.destination.name,
      mappingType: isCopy ? .copy : .transform, source: pair.source, destination: pair.destination,
      attributeMappings: attributeMappings(of: pair), relationshipMappings: relationshipMappings(of: pair))
  }

  /// The mapping of an entity that is new: its instances would have default values and no links.
  private func addition(of entity: EntityDescription) -> EntityMapping {
    EntityMapping(
      name: "IEM_Add_\(entity.name)", mappingType: .add, source: nil, destination: entity,
      attributeMappings: entity.attributes.filter { !$0.isTransient && !$0.isDerived }.map {
        PropertyMapping(name: $0.name, valueExpression: nil)
      },
      relationshipMappings: entity.relationships.filter { !$0.isTransient }.map {
        PropertyMapping(name: $0.name, valueExpression: nil)
      })
  }

  private mutating func checkNames(of pair: EntityPair) {
    for matcher in [pair.attributes, pair.relationships] {
      for ambiguity in matcher.ambiguities {
        reasons.append(
          InferenceError.Reason(
            pair.destination.name, ambiguity.destinations.first,
            .ambiguousRenaming(sources: ambiguity.sources, destinations: ambiguity.destinations)))
      }
    }
    for property in pair.destination.attributes where pair.attributes.foundDespiteIdentifier.contains(property.name) {
      findings.append(
        InferenceFinding(pair.destination.name, property.name, .unknownIdentifier(property.renamingIdentifier)))
    }
    for property in pair.destination.relationships
    where pair.relationships.foundDespiteIdentifier.contains(property.name) {
      findings.append(
        InferenceFinding(pair.destination.name, property.name, .unknownIdentifier(property.renamingIdentifier)))
    }
  }
}

extension MappingInference {
  /// Checks what becomes of entities as a whole.
  private mutating func checkEntities() {
    for ambiguity in entities.ambiguities {
      guard let first = ambiguity.destinations.first else { continue }
      reasons.append(
        InferenceError.Reason(
          first, nil, .ambiguousRenaming(sources: ambiguity.sources, destinations: ambiguity.destinations)))
    }
    for entity in destination.model.entities {
      if entities.foundDespiteIdentifier.contains(entity.name) {
        findings.append(InferenceFinding(entity.name, nil, .unknownIdentifier(entity.renamingIdentifier)))
      }
      guard let old = entities.sourceNames[entity.name].flatMap({ source.entity($0) }) else { continue }
      if entity.isAbstract, !old.isAbstract {
        reasons.append(InferenceError.Reason(entity.name, nil, .becomesAbstract))
      }
    }
    let removed = source.model.entities.filter { !$0.isAbstract && entities.isRemoved($0.name) }
    let added = destination.model.entities.filter { !$0.isAbstract && entities.isNew($0.name) }
    let newNames = renames.newNames(of: removed, among: added)
    for entity in removed {
      findings.append(InferenceFinding(entity.name, nil, .entityRemoved(likelyNewName: newNames[entity.name])))
    }
  }

  /// Entities that had no parent in common lie in different tables, where the same primary key means another instance.
  private mutating func checkHierarchies() {
    var sourceRoots: [String: Set<String>] = [:]
    for pair in pairs.values {
      sourceRoots[destination.rootName(of: pair.destination.name), default: []]
        .insert(source.rootName(of: pair.source.name))
    }
    for (root, others) in sourceRoots where others.count > 1 {
      let names = others.sorted { $0.precedesByBytes($1) }
      reasons.append(InferenceError.Reason(root, nil, .mergedHierarchies(sourceRoots: names)))
    }
  }

  /// Finds uniqueness constraints that the source did not have, which existing instances may violate.
  private mutating func checkUniqueness() {
    var holders: [Set<String>: [String]] = [:]
    for entity in source.model.entities {
      for constraint in entity.uniquenessConstraints { holders[Set(constraint), default: []].append(entity.name) }
    }
    for entity in destination.model.entities where !entity.uniquenessConstraints.isEmpty {
      let family = destination.concreteFamily(of: entity.name).compactMap { pairs[$0.name] }
      for constraint in entity.uniquenessConstraints where !family.isEmpty && !held(constraint, by: family, holders) {
        findings.append(InferenceFinding(entity.name, nil, .uniquenessConstraintAdded(constraint)))
      }
    }
  }

  /// Whether one constraint of the source was for all instances together that it is for now.
  private func held(_ constraint: [String], by family: [EntityPair], _ holders: [Set<String>: [String]]) -> Bool {
    let candidates = family.map { pair in
      (name: pair.source.name, holders: Set(pair.oldNames(constraint).flatMap { holders[$0] } ?? []))
    }
    return candidates.first?.holders.contains { holder in
      candidates.allSatisfy { $0.holders.contains(holder) && source.descends($0.name, from: holder) }
    } ?? false
  }

  // MARK: - Order

  /// The reasons in their order, without those that an entity only inherits.
  private var sortedReasons: [InferenceError.Reason] {
    let all = Set(reasons)
    return all.filter { reason in
      var inherited = reason
      guard reason.property != nil, let parent = destination.entity(reason.entity)?.superentityName else { return true }
      inherited.entity = parent
      return !all.contains(inherited)
    }
    .sorted { Self.precedes(($0.entity, $0.property, "\($0)"), ($1.entity, $1.property, "\($1)")) }
  }

  /// The findings in their order, without those that an entity only inherits.
  package var sortedFindings: [InferenceFinding] {
    let all = Set(findings)
    return all.filter { finding in
      var inherited = finding
      let tree = finding.kind.isOfSource ? source : destination
      guard finding.property != nil, let parent = tree.entity(finding.entity)?.superentityName else { return true }
      inherited.entity = parent
      return !all.contains(inherited)
    }
    .sorted { Self.precedes(($0.entity, $0.property, "\($0)"), ($1.entity, $1.property, "\($1)")) }
  }

  private static func precedes(
    _ left: (entity: String, property: String?, text: String),
    _ right: (entity: String, property: String?, text: String)
  ) -> Bool {
    if left.entity != right.entity { return left.entity.precedesByBytes(right.entity) }
    if left.property != right.property { return (left.property ?? "").precedesByBytes(right.property ?? "") }
    return left.text.precedesByBytes(right.text)
  }
}

extension InferenceFinding.Kind {
  /// Whether the finding has the names of the source.
  fileprivate var isOfSource: Bool {
    switch self {
    case .entityRemoved, .attributeRemoved, .relationshipRemoved: true
    default: false
    }
  }
}

/// A mapping model that was inferred from two versions of a model, and what their author should know of it.
public struct InferredMappingModel: Sendable, Hashable {
  /// The mapping model.
  ///
  /// Its entity mappings are called `IEM_Copy_X` where entity `X` did not change, `IEM_Transform_X`, `IEM_Add_X` and
  /// `IEM_Remove_X`, with the name that the destination has for the entity, except for `IEM_Remove_X`. First come the
  /// entities of the destination, in the order of their names, then those that are removed. An abstract entity has no
  /// instances and therefore no entity mapping; one that is no longer abstract counts as new.
  ///
  /// Each lists all stored attributes and relationships of its destination, inherited ones included, in the order of
  /// their names. Derived attributes are listed only where they are derived as before: then their values are carried
  /// over.
  public let mappingModel: MappingModel
  /// What the migration drops, and where it may fail or the models may not say what their author meant.
  ///
  /// Sorted by entity and property. What subentities inherit is told once, of the entity that hands it down, unless
  /// that is abstract.
  public let findings: [InferenceFinding]

  /// Infers a mapping model.
  ///
  /// - Throws: `InferenceError` with all reasons why a mapping model has to be written by hand.
  public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) throws(InferenceError) {
    var inference = MappingInference(from: source, to: destination)
    mappingModel = try inference.mappingModel()
    findings = inference.sortedFindings
  }
}

extension MappingModel {
  /// Infers the mapping model between two versions of a model, as a lightweight migration needs it.
  ///
  /// Nothing but the two models decides; no store is looked at. Allowed are the changes that Core Data allows:
  /// entities, attributes and relationships may be removed, or renamed by their renaming identifiers; attributes may be
  /// added if they are optional or have a default value; what is optional may become required and the other way round;
  /// hierarchies may change as long as two of them do not become one; to-one relationships may become to-many ones;
  /// relationships may be ordered or no longer. Of the types, only whole numbers may become wider or `Double`, and
  /// `Float` may become `Double`.
  ///
  /// What only the instances can tell is left to the validation of the copy: whether something that becomes required is
  /// missing anywhere, and whether instances agree where they must be unique.
  ///
  /// What an inference would lose is told by `InferredMappingModel.findings`.
  ///
  /// - Throws: `InferenceError` with all reasons why a mapping model has to be written by hand.
  public static func inferred(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws(InferenceError) -> MappingModel {
    try InferredMappingModel(from: source, to: destination).mappingModel
  }
}

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

/// The entities of a model, and who descends from whom.
package struct EntityTree {
  let model: ManagedObjectModel
  private let entities: [String: EntityDescription]
  private let relationships: [String: [String: RelationshipDescription]]
  /// Parents before their children, so that each entity is followed by all its descendants.
  private let inOrder: [EntityDescription]
  private let places: [String: Place]

  private struct Place {
    let index: Int
    /// The place after the last descendant.
    var end: Int
    let rootName: String
  }

  package init(_ model: ManagedObjectModel) {
    self.model = model
    entities = model.entitiesByName
    inOrder = model.entitiesParentsFirst
    var places: [String: Place] = [:]
    for (index, entity) in inOrder.enumerated() {
      let root = entity.superentityName.flatMap { places[$0]?.rootName } ?? entity.name
      places[entity.name] = Place(index: index, end: index + 1, rootName: root)
    }
    for entity in inOrder.reversed() {
      guard let parent = entity.superentityName, let end = places[entity.name]?.end else { continue }
      if let other = places[parent]?.end, other < end { places[parent]?.end = end }
    }
    relationships = entities.mapValues(\.relationshipsByName)
    self.places = places
  }

  package func entity(_ name: String) -> EntityDescription? { entities[name] }

  /// The topmost ancestor, or the entity itself.
  func rootName(of name: String) -> String { places[name]?.rootName ?? name }

  /// The entity and all its descendants, as far as they may have instances.
  package func concreteFamily(of name: String) -> some Sequence<EntityDescription> {
    let place = places[name].map { $0.index..<$0.end } ?? 0..<0
    return inOrder[place].lazy.filter { !$0.isAbstract }
  }

  /// Whether an entity is another one or descends from it.
  func descends(_ name: String, from ancestor: String) -> Bool {
    guard let place = places[name], let other = places[ancestor] else { return false }
    return (other.index..<other.end).contains(place.index)
  }

  /// The relationship that leads back.
  func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    guard let name = relationship.inverseName else { return nil }
    return relationships[relationship.inverseEntityName ?? relationship.destinationEntityName]?[name]
  }
}

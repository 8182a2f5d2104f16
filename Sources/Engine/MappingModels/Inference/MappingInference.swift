public import DataModel

/// Compares two versions of a model and infers how instances of one become instances of the other.
///
/// All obstacles are collected, so that an author sees them at once.
package struct MappingInference {
  let source: EntityTree
  let destination: EntityTree
  let entities: RenamingMatcher
  /// The pairs of entities whose instances are migrated, by their names in the destination.
  let pairs: [String: EntityPair]
  var reasons: [InferenceError.Reason] = []
  var findings: [InferenceFinding] = []
  var renames = LikelyRenames()
  /// The results for pairs of old and new destinations, which many relationships share.
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
  /// - Throws: `InferenceError` if there is any reason.
  package mutating func mappingModel() throws(InferenceError) -> MappingModel {
    let mappings = entityMappings()
    guard reasons.isEmpty else { throw InferenceError(reasons: sortedReasons) }
    return MappingModel(entityMappings: mappings)
  }

  /// All entity mappings; properties that have a reason against them have no expression.
  mutating func entityMappings() -> [EntityMapping] {
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
    return mappings
  }

  /// Whether the instances of an entity are migrated.
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

  /// The mapping of a new entity: its instances would have default values and no links.
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
      for ambiguity in matcher.ambiguities { refuse(ambiguity, pair.destination.name, ambiguity.destinations.first) }
    }
    // Derived attributes have no values of their own to begin with.
    reportIdentifiers(pair.destination.attributes.filter { !$0.isDerived }, pair.attributes, pair.destination.name)
    reportIdentifiers(pair.destination.relationships, pair.relationships, pair.destination.name)
  }

  /// Returns whether a new element has a renaming identifier, which then matches nothing.
  ///
  /// An element of a composite attribute has the identifier of each part of its key path. A part that leads to others that
  /// match does so, too: then the element was added to a renamed composite.
  private func hasUnmatchedIdentifier(
    _ element: some Renamable, among elements: [some Renamable], _ matcher: RenamingMatcher
  ) -> Bool {
    let names = element.name.split(separator: "."), identifiers = element.renamingIdentifier.split(separator: ".")
    guard names.count == identifiers.count else { return true }
    return names.indices.contains { last in
      let path = names[...last].joined(separator: ".")
      return names[last] != identifiers[last]
        && elements.allSatisfy { $0.name != path && !$0.name.hasPrefix(path + ".") || matcher.isNew($0.name) }
    }
  }

  /// Reports renaming identifiers that match nothing, and elements whose names others claim.
  ///
  /// - Parameter entity: The entity whose properties they are; `nil` if they are entities.
  private mutating func reportIdentifiers(
    _ elements: [some Renamable], _ matcher: RenamingMatcher, _ entity: String? = nil
  ) {
    let claims = Dictionary(matcher.claimed.map { ($0.name, $0.newName) }, uniquingKeysWith: { first, _ in first })
    for element in elements {
      let kind: InferenceFinding.Kind?
      if matcher.foundDespiteIdentifier.contains(element.name) {
        kind = .unknownIdentifier(element.renamingIdentifier)
      } else if let newName = claims[element.name] {
        // With an identifier of its own, it says that it is another one under a name that has become free, unless that
        // identifier may be a misspelt one of something that is gone.
        let isOther = element.renamingIdentifier != element.name
        kind =
          !isOther
          ? .claimedByRenaming(newName: newName)
          : matcher.hasRemovals ? unmatchedIdentifier(of: element) : nil
      } else if matcher.isNew(element.name), hasUnmatchedIdentifier(element, among: elements, matcher) {
        kind = unmatchedIdentifier(of: element)
      } else {
        kind = nil
      }
      if let kind { find(kind, entity ?? element.name, entity == nil ? nil : element.name) }
    }
  }

  /// A finding about a renaming identifier, which is of no consequence where the other end brings the links.
  private func unmatchedIdentifier(of element: some Renamable) -> InferenceFinding.Kind {
    let isFed = (element as? RelationshipDescription).map { isFedByInverse($0) } ?? false
    return .unmatchedIdentifier(element.renamingIdentifier, beginsEmpty: !isFed)
  }

  // MARK: - Remarks

  /// Adds a finding.
  mutating func find(_ kind: InferenceFinding.Kind, _ entity: String, _ property: String? = nil) {
    findings.append(InferenceFinding(entity, property, kind))
  }

  /// Adds a reason why no mapping model can be inferred.
  mutating func refuse(
    _ kind: InferenceError.Kind, _ entity: String, _ property: String? = nil, likelyOldName: String? = nil
  ) {
    reasons.append(InferenceError.Reason(entity, property, kind, likelyOldName: likelyOldName))
  }

  private mutating func refuse(_ ambiguity: RenamingMatcher.Ambiguity, _ entity: String, _ property: String? = nil) {
    refuse(.ambiguousRenaming(sources: ambiguity.sources, destinations: ambiguity.destinations), entity, property)
  }
}

extension MappingInference {
  /// Checks entities as a whole.
  private mutating func checkEntities() {
    for ambiguity in entities.ambiguities {
      if let first = ambiguity.destinations.first { refuse(ambiguity, first) }
    }
    reportIdentifiers(destination.model.entities, entities)
    for entity in destination.model.entities {
      guard let old = entities.sourceNames[entity.name].flatMap({ source.entity($0) }) else { continue }
      if entity.isAbstract, !old.isAbstract, !isKept(old) { find(.becomesAbstract, old.name) }
    }
    let removed = source.model.entities.filter { !$0.isAbstract && entities.isRemoved($0.name) }
    let added = destination.model.entities.filter { !$0.isAbstract && entities.isNew($0.name) }
    let newNames = renames.newNames(of: removed, among: added)
    for entity in removed { find(.entityRemoved(likelyNewName: newNames[entity.name]), entity.name) }
  }

  /// Entities without a common parent are in different tables, where the same primary key means another instance.
  private mutating func checkHierarchies() {
    var sourceRoots: [String: Set<String>] = [:]
    for pair in pairs.values {
      sourceRoots[destination.rootName(of: pair.destination.name), default: []]
        .insert(source.rootName(of: pair.source.name))
    }
    for (root, others) in sourceRoots where others.count > 1 {
      refuse(.mergedHierarchies(sourceRoots: others.sorted { $0.precedesByBytes($1) }), root)
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
        find(.uniquenessConstraintAdded(constraint), entity.name)
      }
    }
  }

  /// Whether one constraint of the source applied to all instances that it applies to now.
  private func held(_ constraint: [String], by family: [EntityPair], _ holders: [Set<String>: [String]]) -> Bool {
    let candidates = family.map { pair in
      (name: pair.source.name, holders: Set(pair.oldNames(constraint).flatMap { holders[$0] } ?? []))
    }
    return candidates.first?.holders.contains { holder in
      candidates.allSatisfy { $0.holders.contains(holder) && source.descends($0.name, from: holder) }
    } ?? false
  }

  // MARK: - Order

  var sortedReasons: [InferenceError.Reason] { sorted(reasons) { _ in destination } }

  package var sortedFindings: [InferenceFinding] {
    sorted(findings.filter { !isMatchedInFamily($0) }) { $0.kind.isOfSource ? source : destination }
  }

  /// Whether a renaming identifier, which matches nothing in this entity, does so in another one that has the property.
  ///
  /// A property that moves to a parent has its values from where it was before.
  private func isMatchedInFamily(_ finding: InferenceFinding) -> Bool {
    guard case .unmatchedIdentifier = finding.kind, let property = finding.property,
      let declaring = destination.model.entity(declaring: property, from: finding.entity)
    else { return false }
    return destination.concreteFamily(of: declaring.name).contains { entity in
      guard let pair = pairs[entity.name] else { return false }
      return pair.attributes.sourceNames[property] != nil || pair.relationships.sourceNames[property] != nil
    }
  }

  /// Sorts remarks, and leaves out those that an entity only inherits.
  ///
  /// - Parameter tree: Returns the model that a remark takes its names from.
  private func sorted<Remark: InferenceRemark>(_ remarks: [Remark], tree: (Remark) -> EntityTree) -> [Remark] {
    let all = Set(remarks)
    return all.filter { remark in
      var inherited = remark
      guard remark.property != nil, let parent = tree(remark).entity(remark.entity)?.superentityName else {
        return true
      }
      inherited.entity = parent
      return !all.contains(inherited)
    }
    .sorted { left, right in
      if left.entity != right.entity { return left.entity.precedesByBytes(right.entity) }
      if left.property != right.property { return (left.property ?? "").precedesByBytes(right.property ?? "") }
      return "\(left)".precedesByBytes("\(right)")
    }
  }
}

/// A reason or a finding of an inference.
private protocol InferenceRemark: Hashable {
  var entity: String { get set }
  var property: String? { get }
}

extension InferenceError.Reason: InferenceRemark {}
extension InferenceFinding: InferenceRemark {}

extension InferenceFinding.Kind {
  /// Whether the finding uses the names of the source: what is gone is named as it was, and the rest as it is now.
  fileprivate var isOfSource: Bool {
    consequence != .partlyLost && consequence != .nothingLost
  }
}

/// A mapping model inferred from two versions of a model, with findings for their author.
///
///     let inferred = try InferredMappingModel(from: source, to: destination)
///     for finding in inferred.findings where finding.isLoss { print(finding) }
public struct InferredMappingModel: Sendable, Hashable {
  /// The mapping model.
  ///
  /// Its entity mappings are named `IEM_Copy_X` if entity `X` did not change, `IEM_Transform_X`, `IEM_Add_X` and
  /// `IEM_Remove_X`, with the entity's name in the destination, except for `IEM_Remove_X`. The entities of the
  /// destination come first, sorted by name, then the removed ones. An abstract entity has no instances and therefore
  /// no entity mapping; one that is no longer abstract counts as new.
  ///
  /// Each lists all stored attributes and relationships of its destination, inherited ones included, sorted by name.
  /// Derived attributes are listed only if their derivation is unchanged: then their values are copied.
  public let mappingModel: MappingModel
  /// The losses of the migration, the places where it may fail, and the places where the models may differ from their
  /// author's intention.
  ///
  /// Sorted by entity and property. Inherited properties are reported once, for the entity that declares them, unless
  /// that is abstract.
  public let findings: [InferenceFinding]

  /// Infers a mapping model.
  ///
  /// - Throws: `InferenceError` with all reasons why the mapping model must be written by hand.
  public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) throws(InferenceError) {
    var inference = MappingInference(from: source, to: destination)
    mappingModel = try inference.mappingModel()
    findings = inference.sortedFindings
  }
}

extension MappingModel {
  /// Infers the mapping model between two versions of a model for a lightweight migration.
  ///
  /// Only the two models decide; no store is read. The changes that Core Data supports are supported:
  /// entities, attributes and relationships may be removed, or renamed by their renaming identifiers; attributes may be
  /// added if they are optional or have a default value; optional properties may become required and vice versa;
  /// hierarchies may change as long as two of them do not become one; to-one relationships may become to-many ones;
  /// relationships may be ordered or no longer. Of the types, only whole numbers may become wider or `Double`, and
  /// `Float` may become `Double`.
  ///
  /// Conditions that depend on the instances are checked when the copy is validated: missing values of properties that
  /// become required, and equal values where they must be unique.
  ///
  /// `InferredMappingModel.findings` reports the data that the migration would lose.
  ///
  /// - Throws: `InferenceError` with all reasons why the mapping model must be written by hand.
  public static func inferred(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws(InferenceError) -> MappingModel {
    try InferredMappingModel(from: source, to: destination).mappingModel
  }
}

/// A destination entity, the source entity whose instances become its own, and their matched properties.
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

  private static func stored(_ properties: [some PropertyDescription & Renamable]) -> [RenamingMatcher.Element] {
    properties.filter { !$0.isTransient }.map { RenamingMatcher.Element($0) }
  }

  func source(of attribute: AttributeDescription) -> AttributeDescription? {
    attributes.sourceNames[attribute.name].flatMap { sourceAttributes[$0] }
  }

  func source(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationships.sourceNames[relationship.name].flatMap { sourceRelationships[$0] }
  }

  /// The names of these properties in the source, or `nil` if one is new.
  func oldNames(_ names: [String]) -> Set<String>? {
    guard !names.contains(where: { attributes.isNew($0) || relationships.isNew($0) }) else { return nil }
    // Properties that are not stored keep their names.
    return Set(names.map { attributes.sourceNames[$0] ?? relationships.sourceNames[$0] ?? $0 })
  }

  /// Whether the instances are stored in the same way.
  var isUnchanged: Bool {
    source.name == destination.name && source.versionHash == destination.versionHash
      && attributes.isIdentity && relationships.isIdentity
  }
}

/// The entities of a model and their inheritance.
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

  /// The entity and all its descendants that may have instances.
  package func concreteFamily(of name: String) -> some Sequence<EntityDescription> {
    let place = places[name].map { $0.index..<$0.end } ?? 0..<0
    return inOrder[place].lazy.filter { !$0.isAbstract }
  }

  /// Whether an entity is the same as another one or descends from it.
  func descends(_ name: String, from ancestor: String) -> Bool {
    guard let place = places[name], let other = places[ancestor] else { return false }
    return (other.index..<other.end).contains(place.index)
  }

  /// The inverse relationship.
  func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    guard let name = relationship.inverseName else { return nil }
    return relationships[relationship.inverseEntityName ?? relationship.destinationEntityName]?[name]
  }
}

internal import DataModel

/// Compares two versions of a model and writes down how instances of one become instances of the other.
///
/// Everything that stands in the way is collected, so that an author sees all of it at once.
struct MappingInference {
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

  init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
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
  mutating func mappingModel() throws(InferenceError) -> MappingModel {
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

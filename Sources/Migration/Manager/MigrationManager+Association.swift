internal import DataModel
public import Diagnostics
internal import Expressions

extension MigrationManager {
  /// The lookup table of this name in `userInfo`, which is made on first use and kept for the whole migration.
  public func lookup(withKey key: String) -> LookupTable {
    if let table = userInfo[key] as? LookupTable { return table }
    let table = LookupTable()
    userInfo[key] = table
    return table
  }

  /// Records which destination instance a source instance has become under a mapping.
  public func associate(
    sourceInstance: ManagedObject, withDestinationInstance destinationInstance: ManagedObject,
    for mapping: EntityMapping
  ) {
    associate(sourceInstance, destinationInstance, mappingName: mapping.name)
  }

  /// Does the same without a copy of the mapping.
  package func associate(
    _ sourceInstance: ManagedObject, _ destinationInstance: ManagedObject, mappingName: String
  ) {
    guard sourceInstance.objectID.store == .source, destinationInstance.objectID.store == .destination else {
      return destinationContext.record(
        MigrationError(
          .policyFailed,
          MigrationError.Subject(
            entity: destinationInstance.entity.name, row: destinationInstance.objectID.primaryKey, name: mappingName),
          detail: "an instance of the source is to be associated with one of the destination, and not otherwise"))
    }
    associations.add(sourceInstance.objectID, destinationInstance.objectID, mappingName)
  }

  /// The instances that source instances have become under a mapping; all of the mapping's when no sources are named.
  public func destinationInstances(
    forEntityMappingName name: String, sourceInstances: [ManagedObject]? = nil
  ) -> [ManagedObject] {
    let found =
      sourceInstances.map { associations.destinations(of: $0.map(\.objectID), mappings: [name]) }
      ?? associations.destinations(mapping: name)
    return found.compactMap { destinationContext.object(with: $0) }
  }

  /// The instances that destination instances were made from under a mapping; all of the mapping's when none are named.
  public func sourceInstances(
    forEntityMappingName name: String, destinationInstances: [ManagedObject]? = nil
  ) -> [ManagedObject] {
    let found =
      destinationInstances.map { $0.flatMap { associations.sources(of: $0.objectID, mapping: name) } }
      ?? associations.sources(mapping: name)
    return found.compactMap { sourceContext.object(with: $0) }
  }

  /// The instances that the destinations of a source relationship have become, under all mappings that migrate them.
  ///
  /// - Parameters:
  ///   - name: A relationship of the source entity of the mapping at work.
  ///   - sourceInstances: The source instances that the relationship leads to.
  public func destinationInstances(
    forSourceRelationshipNamed name: String, sourceInstances: [ManagedObject]
  ) throws(MigrationError) -> [ManagedObject] {
    guard let names = entityMappingNames(forSourceRelationship: name, of: currentEntityMapping?.sourceEntityName) else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: currentEntityMapping?.sourceEntityName, property: name),
        detail: "the source entity has no such relationship")
    }
    return associations.destinations(of: sourceInstances.map(\.objectID), mappings: names)
      .compactMap { destinationContext.object(with: $0) }
  }

  /// The names of the mappings that migrate what a source relationship leads to; `nil` without such a relationship.
  func entityMappingNames(forSourceRelationship name: String, of entity: String?) -> [String]? {
    guard let entity, let relationship = sourceContext.layouts[entity]?.relationship(name)?.description else {
      return nil
    }
    let family = sourceContext.layouts[relationship.destinationEntityName]?.family ?? []
    let names = mappingModels.flatMap(\.entityMappings).filter { mapping in
      mapping.sourceEntityName.flatMap { sourceContext.layouts[$0] }.map { family.contains($0.number) } ?? false
    }.map(\.name)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  func hasEntityMapping(named name: String) -> Bool {
    mappingModels.contains { $0.entityMapping(named: name) != nil }
  }

  /// The counter of to-one relationships that an expression gave several instances, of which the first was taken.
  public static let ambiguousDestinationCounter = "ambiguous_to_one_destinations"

  /// Sets a relationship to what an expression gave.
  ///
  /// A source instance may have become instances of several entities; those that the relationship cannot lead to are
  /// other mappings' business. Only where a mapping is named and none of its instances fit, the name is wrong. Of several
  /// for a to-one relationship the first is taken, as Core Data takes any, and the case is counted.
  func connect(
    _ instance: ManagedObject, _ relationship: EntityLayout.Relationship, to destinations: [ManagedObjectID],
    isByMapping: Bool
  ) throws(MigrationError) {
    let description = relationship.description
    let family = destinationContext.layouts[description.destinationEntityName]?.family ?? []
    let fitting = destinations.filter { $0.store == .destination && family.contains($0.entityNumber) }
    var chosen = fitting.isEmpty && isByMapping ? destinations : fitting
    if !description.isToMany, let first = chosen.first, chosen.contains(where: { $0 != first }) {
      statistics.count(Self.ambiguousDestinationCounter)
      statistics.addExample(
        "\(instance.entity.name) \(instance.objectID.primaryKey).\(description.name)",
        to: Self.ambiguousDestinationCounter)
      chosen = [first]
    }
    try destinationObjects.setDestinations(chosen, of: instance.objectID, instance.layout, relationship)
  }
}

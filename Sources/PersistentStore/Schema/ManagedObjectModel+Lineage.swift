internal import DataModel

extension ManagedObjectModel {
  /// The names of an entity and all its ancestors, the entity first.
  package func lineage(of entityName: String) -> [String] { entitiesByName.lineage(of: entityName) }

  /// The lineages of all entities by their names.
  package var lineages: [String: [String]] {
    let byName = entitiesByName
    return byName.mapValues { byName.lineage(of: $0.name) }
  }
}

extension [String: EntityDescription] {
  /// The names of an entity and all its ancestors, the entity first.
  func lineage(of entityName: String) -> [String] {
    Array(sequence(first: entityName) { self[$0]?.superentityName })
  }
}

internal import DataModel

extension ManagedObjectModel {
  /// The names of an entity and all its ancestors, the entity first.
  func lineage(of entityName: String) -> [String] { entitiesByName.lineage(of: entityName) }
}

extension [String: EntityDescription] {
  /// The names of an entity and all its ancestors, the entity first.
  func lineage(of entityName: String) -> [String] {
    Array(sequence(first: entityName) { self[$0]?.superentityName })
  }
}

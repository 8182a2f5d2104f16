internal import DataModel
internal import Expressions
internal import PersistentStore

extension MigrationStep {
  /// The columns to be added, where this hop does nothing else; otherwise `nil`.
  ///
  /// - Parameter naming: How the tables of many-to-many relationships are named.
  func addedColumns(joinTables naming: JoinTableNaming) -> AddedColumns? {
    guard case .inferred(let inferred) = method else { return nil }
    let (source, destination) = (source.model, destination.model)
    let mappings = inferred.mappingModel.entityMappings
    let mapped = Set(mappings.compactMap(\.destinationEntityName))
    guard destination.entities.allSatisfy({ $0.isAbstract || mapped.contains($0.name) }),
      mapped.count == mappings.count,
      mappings.allSatisfy({ $0.keepsAll(of: source) })
    else { return nil }
    return AddedColumns(
      from: StoreSchema(source, joinTables: naming), to: StoreSchema(destination, joinTables: naming))
  }
}

extension EntityMapping {
  /// Whether every instance of a source entity goes on, with the values and links that it has, under their names.
  fileprivate func keepsAll(of source: ManagedObjectModel) -> Bool {
    guard entityMigrationPolicyClassName == nil, filterPredicate.map({ $0 == .everything }) != false,
      sourceEntityName == destinationEntityName, let entity = source.entity(named: sourceEntityName ?? "")
    else { return false }
    let copied = attributeMappings.filter { $0.valueExpression != nil }
    let linked = relationshipMappings.filter { $0.valueExpression != nil }
    return Set(copied.map(\.name)) == Set(entity.attributes.filter { !$0.isTransient }.map(\.name))
      && copied.allSatisfy { $0.valueExpression == .source($0.name) }
      && Set(linked.map(\.name)) == Set(entity.relationships.map(\.name))
      && linked.allSatisfy {
        $0.valueExpression
          == .destinationInstances(sourceRelationshipNamed: $0.name, sourceInstances: .source($0.name))
      }
  }
}

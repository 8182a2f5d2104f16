extension ManagedObjectModel {
  /// The names of an entity and all its ancestors, the entity first.
  package func lineage(of entityName: String) -> [String] { entitiesByName.lineage(of: entityName) }

  /// The lineages of all entities by their names.
  package var lineages: [String: [String]] {
    let byName = entitiesByName
    return byName.mapValues { byName.lineage(of: $0.name) }
  }

  /// The names of an entity and of all that descend from it.
  package func tree(of entityName: String) -> Set<String> {
    let byName = entitiesByName
    var names: Set<String> = []
    var waiting = [entityName]
    while let next = waiting.popLast() {
      if names.insert(next).inserted { waiting += byName[next]?.subentityNames ?? [] }
    }
    return names
  }

  /// The entity that declares a relationship which another has, itself or inherited.
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

internal import DataModel

extension ManagedObjectModel {
  /// The names of an entity and all its ancestors, the entity first.
  func ancestry(of name: String) -> [String] {
    let byName = entitiesByName
    return Array(sequence(first: name) { byName[$0]?.superentityName })
  }

  /// The names of an entity and of all that descend from it.
  func tree(of name: String) -> Set<String> {
    let byName = entitiesByName
    var names: Set<String> = []
    var waiting = [name]
    while let next = waiting.popLast() {
      if names.insert(next).inserted { waiting += byName[next]?.subentityNames ?? [] }
    }
    return names
  }

  /// The entity that declares a relationship which another has, itself or inherited.
  func owner(ofRelationship relationship: String, from name: String) -> String? {
    ancestry(of: name).first { owner in
      entity(named: owner)?.ownRelationships.contains { $0.name == relationship } == true
    }
  }
}

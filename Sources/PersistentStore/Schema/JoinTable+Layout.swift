internal import DataModel

extension JoinTable {
  static func all(in model: ManagedObjectModel, numbering: EntityNumbering) -> [JoinTable] {
    let byName = model.entitiesByName
    let smallestNames = SmallestNames(byName)
    var pairs: [Pair] = []
    for entity in model.entities {
      for relationship in entity.ownRelationships where relationship.isToMany && !relationship.isTransient {
        guard let inverseName = relationship.inverseName,
          let owner = byName.owner(of: inverseName, from: relationship.destinationEntityName),
          let inverse = owner.ownRelationships.first(where: { $0.name == inverseName }), inverse.isToMany
        else { continue }
        let here = End(entity: entity.name, relationship: relationship)
        let there = End(entity: owner.name, relationship: inverse)
        // Each pair is met from both sides, and is kept where it is met from the naming one.
        if !here.isNaming(over: there, smallestNames) { continue }
        pairs.append(Pair(naming: here, inverse: there))
      }
    }
    pairs.sort { smallestNames.precedes($0.naming, $1.naming) }
    var names = UniqueNames()
    return pairs.map { $0.table(numbering, &names) }
  }

  fileprivate struct End {
    let entity: String
    let relationship: RelationshipDescription

    /// The side with the smaller name of entity or descendant names the table.
    ///
    /// On one and the same entity Core Data follows no rule that could be found; the smaller relationship name is as
    /// good as any.
    func isNaming(over other: End, _ smallestNames: SmallestNames) -> Bool {
      if entity == other.entity {
        return !other.relationship.name.precedesByBytes(relationship.name)
      }
      let (name, otherName) = (smallestNames[entity], smallestNames[other.entity])
      // An entity and its ancestor may share the smallest name; what Core Data does then is not known.
      return name == otherName ? entity.precedesByBytes(other.entity) : name.precedesByBytes(otherName)
    }
  }

  fileprivate struct Pair {
    let naming: End
    let inverse: End

    func table(_ numbering: EntityNumbering, _ names: inout UniqueNames) -> JoinTable {
      let isReflexive = naming.entity == inverse.entity && naming.relationship.name == inverse.relationship.name
      let namingName = naming.relationship.name.uppercased()
      let inverseName = inverse.relationship.name.uppercased()
      // A column carries the number of the entity whose keys it holds.
      let inverseColumn = isReflexive ? "REFLEXIVE" : names.unique("Z_\(numbering[naming.entity])\(inverseName)")
      let namingColumn = names.unique("Z_\(numbering[inverse.entity])\(namingName)")
      func order(_ end: End, _ column: String) -> String? {
        end.relationship.isOrdered ? "Z_FOK_\(column.dropFirst(2))" : nil
      }
      return JoinTable(
        name: "Z_\(numbering[naming.entity])\(namingName)",
        naming: Side(
          entityName: naming.entity, relationshipName: naming.relationship.name, destinationColumn: namingColumn,
          orderColumn: order(naming, namingColumn)),
        inverse: Side(
          entityName: inverse.entity, relationshipName: inverse.relationship.name, destinationColumn: inverseColumn,
          orderColumn: isReflexive ? nil : order(inverse, inverseColumn)))
    }
  }

  /// The smallest name, by bytes, among each entity and all its descendants.
  fileprivate struct SmallestNames {
    private var names: [String: String] = [:]

    init(_ byName: [String: EntityDescription]) {
      for entity in byName.values {
        var ancestor = entity.superentityName
        keep(entity.name, for: entity.name)
        while let name = ancestor {
          keep(entity.name, for: name)
          ancestor = byName[name]?.superentityName
        }
      }
    }

    private mutating func keep(_ candidate: String, for name: String) {
      if let known = names[name], !candidate.precedesByBytes(known) { return }
      names[name] = candidate
    }

    subscript(name: String) -> String { names[name] ?? name }

    func precedes(_ left: End, _ right: End) -> Bool {
      let (leftName, rightName) = (self[left.entity], self[right.entity])
      return leftName == rightName
        ? left.relationship.name.precedesByBytes(right.relationship.name) : leftName.precedesByBytes(rightName)
    }
  }
}

extension [String: EntityDescription] {
  /// The entity among this one and its ancestors that declares a relationship itself.
  fileprivate func owner(of relationship: String, from entityName: String) -> EntityDescription? {
    var entity = self[entityName]
    while let current = entity {
      if current.ownRelationships.contains(where: { $0.name == relationship }) { return current }
      entity = current.superentityName.flatMap { self[$0] }
    }
    return nil
  }
}

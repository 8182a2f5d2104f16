internal import DataModel

extension JoinTable {
  /// The tables of a model, each with whether its name is a best guess.
  static func all(
    in model: ManagedObjectModel, numbering: EntityNumbering, naming: JoinTableNaming = JoinTableNaming()
  ) -> [(table: JoinTable, isDoubtful: Bool)] {
    let byName = model.entitiesByName
    let sides = NamingSide(byName, naming)
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
        let (isHere, isDoubtful) = sides.isNaming(here.identity, over: there.identity)
        if isHere { pairs.append(Pair(naming: here, inverse: there, isDoubtful: isDoubtful)) }
      }
    }
    pairs.sort { sides.smallestNames.precedes($0.naming, $1.naming) }
    var names = UniqueNames()
    return pairs.map { ($0.table(numbering, &names), $0.isDoubtful) }
  }

  fileprivate struct End {
    let entity: String
    let relationship: RelationshipDescription

    var identity: JoinTableEnd { JoinTableEnd(entity: entity, relationship: relationship.name) }
  }

  /// Decides which side names a table.
  private struct NamingSide {
    let smallestNames: SmallestNames
    private let byName: [String: EntityDescription]
    private let naming: JoinTableNaming
    private let chosen: Set<JoinTableEnd>

    init(_ byName: [String: EntityDescription], _ naming: JoinTableNaming) {
      (self.byName, self.naming) = (byName, naming)
      smallestNames = SmallestNames(byName)
      chosen = Set(
        naming.chosen.compactMap { JoinTableEnd($0) }.map { end in
          // Whoever names it may mean an entity that inherits it.
          let owner = byName.owner(of: end.relationship, from: end.entity)?.name
          return JoinTableEnd(entity: owner ?? end.entity, relationship: end.relationship)
        })
    }

    func isNaming(_ end: JoinTableEnd, over other: JoinTableEnd) -> (Bool, isDoubtful: Bool) {
      if end == other { return (true, false) }
      if chosen.contains(end) != chosen.contains(other) { return (chosen.contains(end), false) }
      if end.entity == other.entity {
        if let found = naming.found(end, other, in: byName) { return (found == end, false) }
        guard let entity = byName[end.entity] else { return (false, true) }
        let (name, isCertain) = JoinTableRule(entity).naming(end.relationship, other.relationship)
        return (name == end.relationship, !isCertain)
      }
      // The side with the smaller name of entity or descendant names the table.
      let (name, otherName) = (smallestNames[end.entity], smallestNames[other.entity])
      if name != otherName { return (name.precedesByBytes(otherName), false) }
      // An entity and its ancestor may share the smallest name; what Core Data does then is not known.
      if let found = naming.found(end, other, in: byName) { return (found == end, false) }
      return (end.entity.precedesByBytes(other.entity), true)
    }
  }

  fileprivate struct Pair {
    let naming: End
    let inverse: End
    let isDoubtful: Bool

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

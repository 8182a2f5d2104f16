internal import DataModel

/// One end of a relationship of a fixture, with its other end.
struct FixtureEnd {
  /// The relationship.
  let relationship: RelationshipDescription
  /// The concrete entities that have it.
  let owners: [String]
  /// The concrete entities that it leads to.
  let others: [String]
  /// The other end, if there is one.
  let inverse: RelationshipDescription?
  /// Whether it is its own inverse.
  let isItself: Bool

  /// The least number of destinations of an owner.
  var least: Int { Self.least(relationship) }
  /// The greatest number of destinations of an owner.
  var most: Int { Self.most(relationship) }
  /// The least number of owners of a destination.
  var leastOwners: Int { inverse.map(Self.least) ?? 0 }
  /// The greatest number of owners of a destination.
  ///
  /// A to-many relationship without inverse keeps its links in the destinations, each of which holds one.
  var mostOwners: Int { inverse.map(Self.most) ?? (relationship.isToMany ? 1 : .max) }

  /// The least number of destinations of an owner that has any: an optional minimum does not count where there are
  /// none.
  var leastIfAny: Int { relationship.isToMany ? max(1, Int(relationship.minCount)) : 1 }
  /// The same of the other end.
  var leastOwnersIfAny: Int { inverse.map { $0.isToMany ? max(1, Int($0.minCount)) : 1 } ?? 1 }

  /// The number of destinations that have owners: an optional minimum is kept by as many as there are owners for.
  func filledCount(owners: Int, others: Int) -> Int {
    min(others, leastOwners > 0 ? others : max(1, owners / leastOwnersIfAny))
  }

  private static func least(_ relationship: RelationshipDescription) -> Int {
    relationship.isOptional ? 0 : relationship.isToMany ? max(1, Int(relationship.minCount)) : 1
  }

  private static func most(_ relationship: RelationshipDescription) -> Int {
    guard relationship.isToMany else { return 1 }
    return relationship.maxCount > 0 ? Int(relationship.maxCount) : .max
  }

  /// All relationships of a model, each pair of ends once: from the side with one destination, or else from the first by
  /// name.
  static func all(in model: ManagedObjectModel) -> [FixtureEnd] {
    let lineages = model.lineages
    var families: [String: [String]] = [:]
    for entity in model.entities where !entity.isAbstract {
      for ancestor in lineages[entity.name] ?? [] { families[ancestor, default: []].append(entity.name) }
    }
    return model.entities.flatMap { entity in
      entity.ownRelationships.filter { !$0.isTransient }.compactMap { relationship in
        let holder = relationship.inverseEntityName ?? relationship.destinationEntityName
        let inverse = relationship.inverseName.flatMap { model.entity(named: holder)?.relationship(named: $0) }
        var isItself = false
        if let inverse {
          isItself = inverse.name == relationship.name && holder == entity.name
          let key = [entity.name, relationship.name], otherKey = [holder, inverse.name]
          let isFirst =
            relationship.isToMany == inverse.isToMany
            ? key.lexicographicallyPrecedes(otherKey) || isItself : !relationship.isToMany
          guard isFirst else { return nil }
        }
        return FixtureEnd(
          relationship: relationship, owners: families[entity.name] ?? [],
          others: families[relationship.destinationEntityName] ?? [], inverse: inverse, isItself: isItself)
      }
    }
  }
}

/// The number of instances of each entity in a fixture, chosen so that all required relationships have destinations.
struct FixtureCounts {
  /// The number of instances by entity.
  private(set) var counts: [String: Int]
  /// The greatest number of each: of unique values there may be only so many.
  private var limits: [String: Int]

  /// The number of instances for each wanted one beyond which rules contradict each other.
  private static let growthLimit = 64
  private static let roundLimit = 200

  /// - Parameter capacities: The number of instances that unique values are enough for, by entity.
  init(_ model: ManagedObjectModel, rowCount: Int, capacities: [String: Int], _ ends: [FixtureEnd]) {
    let names = model.entities.filter { !$0.isAbstract }.map(\.name)
    let most = max(rowCount, 1) * Self.growthLimit
    limits = Dictionary(names.map { ($0, min(capacities[$0] ?? .max, most)) }, uniquingKeysWith: { first, _ in first })
    counts = limits.mapValues { min($0, rowCount) }
    guard rowCount > 0 else { return }
    for _ in 0..<Self.roundLimit {
      let before = counts
      for end in ends { settle(end) }
      if counts == before { return }
    }
  }

  private func sum(_ entities: [String]) -> Int { entities.reduce(0) { $0 + (counts[$1] ?? 0) } }

  /// Makes both sides of a relationship large enough for each other, or else the other one small enough.
  private mutating func settle(_ end: FixtureEnd) {
    if end.isItself {
      // Pairs, or more neighbours than are needed.
      let count = sum(end.owners)
      if end.least > 0, count > 0 {
        let wanted = max(count, end.least + 1)
        raise(end.owners, to: wanted + (end.least == 1 ? wanted % 2 : 0))
      }
      return
    }
    // Each owner needs so many destinations, each of which may have so many owners.
    satisfy(
      needing: end.owners, end.least, from: end.others, atMost: end.mostOwners, isDistinct: end.relationship.isToMany)
    satisfy(needing: end.others, end.leastOwners, from: end.owners, atMost: end.most, isDistinct: end.most > 1)
  }

  private mutating func satisfy(
    needing: [String], _ least: Int, from sources: [String], atMost most: Int, isDistinct: Bool
  ) {
    let count = sum(needing)
    guard least > 0, count > 0 else { return }
    let links = count.multipliedReportingOverflow(by: least)
    let needed = max(most == .max ? 1 : (links.partialValue + most - 1) / max(most, 1), least)
    guard sum(sources) < needed else { return }
    raise(sources, to: needed)
    let found = sum(sources)
    guard found < needed else { return }
    // There cannot be as many: so many of those that need them are left out.
    let possible = found < least ? 0 : most == .max ? count : found * most / least
    lower(needing, to: min(count, possible), sparing: Set(sources))
  }

  private mutating func raise(_ entities: [String], to wanted: Int) {
    var missing = wanted - sum(entities)
    // The smallest first, so that all entities of a family have about as many.
    for entity in entities.sorted(by: { (counts[$0] ?? 0, $0) < (counts[$1] ?? 0, $1) }) where missing > 0 {
      let more = min(missing, (limits[entity] ?? 0) - (counts[entity] ?? 0))
      guard more > 0 else { continue }
      counts[entity, default: 0] += more
      missing -= more
    }
  }

  private mutating func lower(_ entities: [String], to wanted: Int, sparing spared: Set<String>) {
    var surplus = sum(entities) - wanted
    let order = entities.sorted {
      (spared.contains($0) ? 1 : 0, -(counts[$0] ?? 0), $0) < (spared.contains($1) ? 1 : 0, -(counts[$1] ?? 0), $1)
    }
    for entity in order where surplus > 0 {
      let fewer = min(surplus, counts[entity] ?? 0)
      counts[entity, default: 0] -= fewer
      // It is not raised again, so that this comes to an end.
      limits[entity] = counts[entity]
      surplus -= fewer
    }
  }
}

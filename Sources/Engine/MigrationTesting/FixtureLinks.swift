internal import DataModel
internal import Migration

/// Connects the instances at both ends of a relationship, so that each has as many destinations as it must and may.
struct FixtureLinks {
  private let end: FixtureEnd
  private let owners: [ManagedObject]
  private let others: [ManagedObject]
  /// The destination of each owner that must have a certain one, as a number among the others.
  private let places: [ObjectIdentifier: Int]
  private var name: String { end.relationship.name }

  init(
    _ end: FixtureEnd, _ owners: [ManagedObject], _ others: [ManagedObject], _ places: [ObjectIdentifier: Int]
  ) {
    (self.end, self.owners, self.others, self.places) = (end, owners, others, places)
  }

  func connect(_ random: inout FixtureRandom) {
    guard !owners.isEmpty, !others.isEmpty else { return }
    if end.isItself { return pair() }
    if !end.relationship.isToMany {
      end.mostOwners == 1 ? connectOneToOne() : connectToOne(&random)
    } else {
      connectToMany(&random)
    }
  }

  /// Connects instances with each other by a relationship that is its own inverse.
  private func pair() {
    let count = owners.count
    guard end.relationship.isToMany, end.least > 1 else {
      for index in stride(from: 0, to: count - 1, by: 2) {
        owners[index].setInstances([owners[index + 1]], forKey: name)
      }
      if end.least > 0, count % 2 == 1 { owners[count - 1].setInstances([owners[count - 1]], forKey: name) }
      return
    }
    // Each with its neighbours on both sides.
    let reach = min((end.least + 1) / 2, max(1, count / 2))
    for index in 0..<count {
      let neighbours = (1...reach).flatMap { [(index + $0) % count, (index + count - $0) % count] }
      owners[index].setInstances(Set(neighbours).sorted().map { owners[$0] }, forKey: name)
    }
  }

  private func connectOneToOne() {
    let count = min(owners.count, others.count)
    let isRequired = end.least > 0 || end.leastOwners > 0
    // Within one family an instance does not lead to itself.
    let shift = owners.first === others.first && count > 1 ? 1 : 0
    for index in 0..<count {
      // Some have none, where that is allowed.
      if !isRequired, index % 5 == 4 { continue }
      owners[index].setInstances([others[shift == 0 ? index : (index + shift) % count]], forKey: name)
    }
  }

  /// Each owner has one destination, and each destination as many owners as it needs before any has more.
  private func connectToOne(_ random: inout FixtureRandom) {
    var ownerCounts = others.map { _ in 0 }
    let least = end.leastOwnersIfAny
    let filled = end.filledCount(owners: owners.count, others: others.count)
    var next = 0
    // Those that have no choice come first.
    let ordered =
      owners.filter { places[ObjectIdentifier($0)] != nil } + owners.filter { places[ObjectIdentifier($0)] == nil }
    for (index, owner) in ordered.enumerated() {
      if end.least == 0, end.leastOwners == 0, least == 1, index % 5 == 4 { continue }
      if let place = places[ObjectIdentifier(owner)] {
        guard others.indices.contains(place), ownerCounts[place] < end.mostOwners else { continue }
        ownerCounts[place] += 1
        owner.setInstances([others[place]], forKey: name)
        continue
      }
      var place: Int
      if least > 1 || end.leastOwners > 0 {
        while next < filled, ownerCounts[next] >= least { next += 1 }
        place = next < filled ? next : random.below(filled)
      } else {
        place = end.least > 0 ? index % others.count : random.below(others.count)
      }
      if ownerCounts[place] >= end.mostOwners {
        guard let free = ownerCounts[..<filled].firstIndex(where: { $0 < end.mostOwners }) else { continue }
        place = free
      }
      ownerCounts[place] += 1
      owner.setInstances([others[place]], forKey: name)
    }
  }

  private func connectToMany(_ random: inout FixtureRandom) {
    var chosen: [[Int]] = owners.map { _ in [] }
    var ownerCounts = others.map { _ in 0 }
    func add(_ other: Int, to owner: Int) {
      chosen[owner].append(other)
      ownerCounts[other] += 1
    }
    func canAdd(_ other: Int, to owner: Int) -> Bool {
      chosen[owner].count < end.most && ownerCounts[other] < end.mostOwners && !chosen[owner].contains(other)
    }
    // What the destinations need comes first, taken from the owners in turn.
    var turn = 0
    for other in others.indices {
      for _ in 0..<(end.leastOwners * owners.count) where ownerCounts[other] < end.leastOwners {
        if canAdd(other, to: turn % owners.count) { add(other, to: turn % owners.count) }
        turn += 1
      }
    }
    // Then what the owners need.
    turn = 0
    for owner in owners.indices {
      for _ in others.indices where chosen[owner].count < end.least {
        if canAdd(turn % others.count, to: owner) { add(turn % others.count, to: owner) }
        turn += 1
      }
    }
    // Then more for some, and none for others where that is allowed.
    let most = min(end.most, 5)
    for owner in owners.indices {
      let wanted = min(owner % (most + 1), others.count)
      let more = (0..<wanted).map { (owner + $0 * 7) % others.count }.filter {
        canAdd($0, to: owner) && ownerCounts[$0] + 1 >= end.leastOwnersIfAny
      }
      guard chosen[owner].count + Set(more).count >= end.leastIfAny else { continue }
      for other in more where chosen[owner].count < max(wanted, end.least) && canAdd(other, to: owner) {
        add(other, to: owner)
      }
    }
    for (owner, places) in zip(owners, chosen) where !places.isEmpty {
      var destinations = places.map { others[$0] }
      // An order that is not that of the keys.
      if end.relationship.isOrdered { destinations.shuffle(using: &random) }
      owner.setInstances(destinations, forKey: name)
    }
  }
}

/// The associations of one entity mapping, in the order in which they were made.
///
/// Sources are read in the order of their keys and destinations get theirs in order, so nearly always both sides are
/// sorted and are found by bisection. Only where a policy does otherwise there is an index.
struct AssociationPairs {
  private struct Pair {
    let sourceKey: Int64
    let destinationKey: Int64
    let sourceEntity: Int32
    let destinationEntity: Int32
  }

  private var pairs = ChunkedArray<Pair>()
  private var bySource = PlaceTable()
  private var byDestination = PlaceTable()

  var count: Int { pairs.count }

  /// The number of different sources.
  var sourceCount: Int {
    guard bySource.isSorted else { return bySource.count }
    return (0..<count).count { $0 == 0 || self[$0].source != self[$0 - 1].source }
  }

  subscript(place: Int) -> (source: ManagedObjectID, destination: ManagedObjectID) {
    (Self.source(pairs[place]), Self.destination(pairs[place]))
  }

  mutating func add(_ source: ManagedObjectID, _ destination: ManagedObjectID) {
    let place = count
    if place > 0 {
      let last = self[place - 1]
      if source < last.source { bySource.build(count) { Self.source(pairs[$0]) } }
      if destination < last.destination { byDestination.build(count) { Self.destination(pairs[$0]) } }
    }
    pairs.append(
      Pair(
        sourceKey: source.primaryKey, destinationKey: destination.primaryKey, sourceEntity: source.entityNumber,
        destinationEntity: destination.entityNumber))
    bySource.add(place, for: source)
    byDestination.add(place, for: destination)
  }

  func forEachDestination(of source: ManagedObjectID, _ body: (ManagedObjectID) -> Void) {
    bySource.forEachPlace(of: source, count) {
      Self.source(pairs[$0])
    } _: {
      body(Self.destination(pairs[$0]))
    }
  }

  func forEachSource(of destination: ManagedObjectID, _ body: (ManagedObjectID) -> Void) {
    byDestination.forEachPlace(of: destination, count) {
      Self.destination(pairs[$0])
    } _: {
      body(Self.source(pairs[$0]))
    }
  }

  /// Hands out the destinations of some pairs, each once.
  func forEachDestination(in places: Range<Int>, _ body: (ManagedObjectID) throws -> Void) rethrows {
    var seen: Set<ManagedObjectID> = []
    var previous: ManagedObjectID?
    for place in places {
      let destination = Self.destination(pairs[place])
      guard byDestination.isSorted ? destination != previous : seen.insert(destination).inserted else { continue }
      previous = destination
      try body(destination)
    }
  }

  private static func source(_ pair: Pair) -> ManagedObjectID {
    ManagedObjectID(store: .source, entityNumber: pair.sourceEntity, primaryKey: pair.sourceKey)
  }

  private static func destination(_ pair: Pair) -> ManagedObjectID {
    ManagedObjectID(store: .destination, entityNumber: pair.destinationEntity, primaryKey: pair.destinationKey)
  }
}

/// Finds the places of identities in a list: by bisection while it is sorted, by an index afterwards.
private struct PlaceTable {
  private(set) var isSorted = true
  /// The first place of each identity.
  private var first: [ManagedObjectID: Int] = [:]
  /// The other places, of those that have several.
  private var others: [ManagedObjectID: [Int]] = [:]

  /// The number of different identities, as soon as there is an index.
  var count: Int { first.count }

  /// Makes the index, if there is none yet.
  mutating func build(_ count: Int, _ id: (Int) -> ManagedObjectID) {
    guard isSorted else { return }
    isSorted = false
    for place in 0..<count { add(place, for: id(place)) }
  }

  mutating func add(_ place: Int, for id: ManagedObjectID) {
    if isSorted { return }
    if first[id] == nil { first[id] = place } else { others[id, default: []].append(place) }
  }

  func forEachPlace(
    of wanted: ManagedObjectID, _ count: Int, _ id: (Int) -> ManagedObjectID, _ body: (Int) -> Void
  ) {
    guard isSorted else {
      guard let place = first[wanted] else { return }
      body(place)
      return others[wanted]?.forEach(body) ?? ()
    }
    var place = Self.firstPlace(of: wanted, count, id)
    while place < count, id(place) == wanted {
      body(place)
      place += 1
    }
  }

  private static func firstPlace(of wanted: ManagedObjectID, _ count: Int, _ id: (Int) -> ManagedObjectID) -> Int {
    var (low, high) = (0, count)
    // Where keys follow each other without a gap, the key tells the place.
    if count > 0,
      let guess = Int(exactly: wanted.primaryKey.subtractingReportingOverflow(id(0).primaryKey).partialValue),
      guess >= 0, guess < count, id(guess) == wanted
    {
      if guess == 0 || id(guess - 1) < wanted { return guess }
      high = guess
    }
    while low < high {
      let middle = (low + high) / 2
      if id(middle) < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

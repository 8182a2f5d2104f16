/// Which destination instances were made from which source instances, for each entity mapping.
///
/// Only identities are kept: an instance that is not in use can be released.
struct AssociationTable {
  private var tables: [String: AssociationPairs] = [:]
  /// The associations of the mapping that was at work last, which is nearly always the one at work.
  private var latest: AssociationPairs?

  /// The associations of a mapping.
  private func pairs(_ mapping: String) -> AssociationPairs? {
    if let latest, latest.mapping == mapping { return latest }
    return tables[mapping]
  }

  mutating func add(_ source: ManagedObjectID, _ destination: ManagedObjectID, _ mapping: String) {
    let pairs = pairs(mapping) ?? AssociationPairs(mapping)
    if pairs !== latest {
      tables[mapping] = pairs
      latest = pairs
    }
    pairs.add(source, destination)
  }

  /// The number of pairs of a mapping.
  func count(mapping: String) -> Int { pairs(mapping)?.count ?? 0 }

  /// The number of instances that a mapping has made something of.
  func sourceCount(mapping: String) -> Int { pairs(mapping)?.sourceCount ?? 0 }

  func forEachDestination(of source: ManagedObjectID, mapping: String, _ body: (ManagedObjectID) -> Void) {
    pairs(mapping)?.forEachDestination(of: source, body)
  }

  /// Returns the destinations of several sources under several mappings.
  func destinations(of sources: [ManagedObjectID], mappings: [String]) -> [ManagedObjectID] {
    let tables = mappings.compactMap { pairs($0) }
    var found: [ManagedObjectID] = []
    found.reserveCapacity(sources.count)
    for source in sources {
      for table in tables { table.forEachDestination(of: source) { found.append($0) } }
    }
    return found
  }

  func sources(of destination: ManagedObjectID, mapping: String) -> [ManagedObjectID] {
    var found: [ManagedObjectID] = []
    pairs(mapping)?.forEachSource(of: destination) { found.append($0) }
    return found
  }

  /// All destinations of a mapping, each once, where it was met first: it may be associated with several sources.
  func destinations(mapping: String) -> [ManagedObjectID] {
    var found: [ManagedObjectID] = []
    pairs(mapping)?.forEachDestination(in: 0..<count(mapping: mapping)) { found.append($0) }
    return found
  }

  /// Hands out the destinations of some pairs of a mapping, each once; others may be added meanwhile.
  func forEachDestination(
    mapping: String, in places: Range<Int>, _ body: (ManagedObjectID) throws -> Void
  ) rethrows {
    try pairs(mapping)?.forEachDestination(in: places, body)
  }

  /// All sources of a mapping, each once.
  func sources(mapping: String) -> [ManagedObjectID] {
    guard let pairs = pairs(mapping) else { return [] }
    var seen: Set<ManagedObjectID> = []
    return (0..<pairs.count).lazy.map { pairs[$0].source }.filter { seen.insert($0).inserted }
  }

  func contains(_ destination: ManagedObjectID) -> Bool {
    tables.values.contains { $0.hasDestination(destination) }
  }
}

/// The associations of one entity mapping, in the order in which they were made.
///
/// Sources are read in the order of their keys and destinations get theirs in order, so nearly always both sides are
/// sorted and are found by bisection. Only where a policy does otherwise there is an index.
final class AssociationPairs {
  /// The name of the mapping.
  let mapping: String
  private struct Pair {
    let sourceKey: Int64
    let destinationKey: Int64
    let sourceEntity: Int32
    let destinationEntity: Int32
  }

  @exclusivity(unchecked) private var pairs = ChunkedArray<Pair>()
  @exclusivity(unchecked) private var bySource = PlaceTable()
  @exclusivity(unchecked) private var byDestination = PlaceTable()

  /// The numbers of the destinations' entities: nearly always one.
  @exclusivity(unchecked) private var destinationEntities: [Int32] = []

  init(_ mapping: String) { self.mapping = mapping }

  var count: Int { pairs.count }

  /// The number of different sources.
  var sourceCount: Int {
    guard bySource.isSorted else { return bySource.count }
    return (0..<count).count { $0 == 0 || self[$0].source != self[$0 - 1].source }
  }

  subscript(place: Int) -> (source: ManagedObjectID, destination: ManagedObjectID) {
    (Self.source(pairs[place]), Self.destination(pairs[place]))
  }

  func add(_ source: ManagedObjectID, _ destination: ManagedObjectID) {
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
    if !destinationEntities.contains(destination.entityNumber) { destinationEntities.append(destination.entityNumber) }
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

  func hasDestination(_ destination: ManagedObjectID) -> Bool {
    guard destinationEntities.contains(destination.entityNumber) else { return false }
    var isFound = false
    forEachSource(of: destination) { _ in isFound = true }
    return isFound
  }

  /// Hands out the destinations of some pairs, each once; others may be added meanwhile.
  func forEachDestination(in places: Range<Int>, _ body: (ManagedObjectID) throws -> Void) rethrows {
    var seen: Set<ManagedObjectID> = []
    var previous: ManagedObjectID?
    let isSorted = byDestination.isSorted
    for place in places {
      let destination = Self.destination(pairs[place])
      guard isSorted ? destination != previous : seen.insert(destination).inserted else { continue }
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

/// An array that only grows, piece by piece: it never moves what it has, and takes no more room than it needs.
struct ChunkedArray<Element> {
  private var chunks: [[Element]] = []

  private static var chunkSize: Int { 1 << 14 }

  var count: Int { chunks.last.map { (chunks.count - 1) * Self.chunkSize + $0.count } ?? 0 }

  subscript(place: Int) -> Element { chunks[place / Self.chunkSize][place % Self.chunkSize] }

  mutating func append(_ element: Element) {
    if chunks.last.map({ $0.count == Self.chunkSize }) ?? true {
      chunks.append([])
      // The first one stays small, as most stores are.
      if chunks.count > 1 { chunks[chunks.count - 1].reserveCapacity(Self.chunkSize) }
    }
    chunks[chunks.count - 1].append(element)
  }

  mutating func removeLast() {
    chunks[chunks.count - 1].removeLast()
    if chunks[chunks.count - 1].isEmpty { chunks.removeLast() }
  }
}

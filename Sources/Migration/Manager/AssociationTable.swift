/// Which destination instances were made from which source instances, for each entity mapping.
///
/// Only identities are kept: an instance that nobody uses can go out of memory.
struct AssociationTable {
  private var tables: [String: AssociationPairs] = [:]

  mutating func add(_ source: ManagedObjectID, _ destination: ManagedObjectID, _ mapping: String) {
    tables[mapping, default: AssociationPairs()].add(source, destination)
  }

  /// The number of pairs of a mapping.
  func count(mapping: String) -> Int { tables[mapping]?.count ?? 0 }

  /// The number of instances that a mapping has made something of.
  func sourceCount(mapping: String) -> Int { tables[mapping]?.sourceCount ?? 0 }

  func destinations(of source: ManagedObjectID, mapping: String) -> [ManagedObjectID] {
    var found: [ManagedObjectID] = []
    tables[mapping]?.forEachDestination(of: source) { found.append($0) }
    return found
  }

  /// What several sources have become under several mappings.
  func destinations(of sources: [ManagedObjectID], mappings: [String]) -> [ManagedObjectID] {
    let tables = mappings.compactMap { self.tables[$0] }
    var found: [ManagedObjectID] = []
    found.reserveCapacity(sources.count)
    for source in sources {
      for table in tables { table.forEachDestination(of: source) { found.append($0) } }
    }
    return found
  }

  func sources(of destination: ManagedObjectID, mapping: String) -> [ManagedObjectID] {
    var found: [ManagedObjectID] = []
    tables[mapping]?.forEachSource(of: destination) { found.append($0) }
    return found
  }

  /// All destinations of a mapping, each once, where it was met first: it may be associated with several sources.
  func destinations(mapping: String) -> [ManagedObjectID] {
    var found: [ManagedObjectID] = []
    tables[mapping]?.forEachDestination(in: 0..<count(mapping: mapping)) { found.append($0) }
    return found
  }

  /// Hands out the destinations of some pairs of a mapping, each once.
  func forEachDestination(
    mapping: String, in places: Range<Int>, _ body: (ManagedObjectID) throws -> Void
  ) rethrows {
    try tables[mapping]?.forEachDestination(in: places, body)
  }

  /// All sources of a mapping, each once.
  func sources(mapping: String) -> [ManagedObjectID] {
    guard let pairs = tables[mapping] else { return [] }
    var seen: Set<ManagedObjectID> = []
    return (0..<pairs.count).lazy.map { pairs[$0].source }.filter { seen.insert($0).inserted }
  }

  func contains(_ destination: ManagedObjectID) -> Bool {
    tables.values.contains { pairs in
      var isFound = false
      pairs.forEachSource(of: destination) { _ in isFound = true }
      return isFound
    }
  }
}

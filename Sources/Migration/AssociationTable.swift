/// Which destination instances were made from which source instances, for each entity mapping.
///
/// Only identities are kept: an instance that nobody uses can go out of memory.
struct AssociationTable {
  fileprivate struct Pairs {
    var inOrder: [(source: ManagedObjectID, destination: ManagedObjectID)] = []
    /// The places in `inOrder`: of the first pair, and of more where there are several.
    fileprivate var bySource = PlaceTable()
    fileprivate var byDestination = PlaceTable()
  }

  private var pairs: [String: Pairs] = [:]
  private var associated: Set<ManagedObjectID> = []

  mutating func add(_ source: ManagedObjectID, _ destination: ManagedObjectID, _ mapping: String) {
    pairs[mapping, default: Pairs()].add(source, destination)
    associated.insert(destination)
  }

  func destinations(of source: ManagedObjectID, mapping: String) -> [ManagedObjectID] {
    guard let pairs = pairs[mapping] else { return [] }
    return pairs.bySource.places(source).map { pairs.inOrder[$0].destination }
  }

  func sources(of destination: ManagedObjectID, mapping: String) -> [ManagedObjectID] {
    guard let pairs = pairs[mapping] else { return [] }
    return pairs.byDestination.places(destination).map { pairs.inOrder[$0].source }
  }

  /// All destinations of a mapping, each once, where it was met first: it may be associated with several sources.
  func destinations(mapping: String) -> [ManagedObjectID] {
    var seen: Set<ManagedObjectID> = []
    return pairs[mapping]?.inOrder.map(\.destination).filter { seen.insert($0).inserted } ?? []
  }

  /// All sources of a mapping, each once.
  func sources(mapping: String) -> [ManagedObjectID] {
    var seen: Set<ManagedObjectID> = []
    return pairs[mapping]?.inOrder.map(\.source).filter { seen.insert($0).inserted } ?? []
  }

  func contains(_ destination: ManagedObjectID) -> Bool { associated.contains(destination) }
}

extension AssociationTable.Pairs {
  fileprivate mutating func add(_ source: ManagedObjectID, _ destination: ManagedObjectID) {
    bySource.add(inOrder.count, for: source)
    byDestination.add(inOrder.count, for: destination)
    inOrder.append((source, destination))
  }
}

/// Places by identity.
///
/// Nearly every identity has one place, so that only the others cost a list.
private struct PlaceTable {
  private var first: [ManagedObjectID: Int] = [:]
  private var others: [ManagedObjectID: [Int]] = [:]

  mutating func add(_ place: Int, for id: ManagedObjectID) {
    if first[id] == nil { first[id] = place } else { others[id, default: []].append(place) }
  }

  func places(_ id: ManagedObjectID) -> [Int] {
    guard let place = first[id] else { return [] }
    return [place] + (others[id] ?? [])
  }
}

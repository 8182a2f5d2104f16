internal import DataModel
internal import PersistentStore

/// The links between the destination's instances, in both directions.
///
/// Only keys are kept, not instances. Whenever one side is set, the other follows, as in Core Data: an instance that
/// gets a new owner in a to-one relationship leaves the old one.
struct LinkStore {
  /// One side of a relationship.
  struct End {
    let key: RelationshipKey
    let isToMany: Bool
    let isOrdered: Bool
    /// The other side; the side itself if the relationship is its own inverse.
    var inverse: Int?
    /// The declared relationship, or `nil` for the side that Core Data adds to a to-many relationship without an
    /// inverse.
    let description: RelationshipDescription?
  }

  private(set) var ends: [End] = []
  /// The indexes of declared relationships in `ends`.
  private(set) var endIndexes: [RelationshipKey: Int] = [:]
  /// The destinations of to-one sides, by the key of the owner.
  private(set) var one: [KeyMap<ManagedObjectID>] = []
  /// The destinations of to-many sides.
  private(set) var many: [LinkLists] = []
  /// The links that were set on many-to-many sides and not yet passed to their inverses.
  private var logs: [LinkLog?] = []

  init(_ model: ManagedObjectModel) {
    let lineages = model.lineages
    for entity in model.entities {
      for relationship in entity.ownRelationships {
        let key = RelationshipKey(entity: entity.name, name: relationship.name)
        endIndexes[key] = ends.count
        ends.append(
          End(
            key: key, isToMany: relationship.isToMany, isOrdered: relationship.isOrdered, inverse: nil,
            description: relationship))
      }
    }
    let declared = endIndexes
    for index in ends.indices {
      guard let relationship = ends[index].description else { continue }
      if let inverse = relationship.inverseName {
        // The inverse may be inherited.
        ends[index].inverse =
          (lineages[relationship.inverseEntityName ?? relationship.destinationEntityName] ?? []).lazy
          .compactMap { declared[RelationshipKey(entity: $0, name: inverse)] }.first
      } else if relationship.isToMany {
        // Its key is stored in the destinations' rows, which have room for one.
        ends[index].inverse = ends.count
        ends.append(
          End(key: ends[index].key, isToMany: false, isOrdered: false, inverse: index, description: nil))
      }
    }
    one = Array(repeating: KeyMap(), count: ends.count)
    many = Array(repeating: LinkLists(), count: ends.count)
    logs = Array(repeating: nil, count: ends.count)
  }

  /// Returns the destinations of an instance on one side.
  mutating func destinations(_ end: Int, of owner: Int64) -> [ManagedObjectID] {
    guard ends[end].isToMany else { return one[end][owner].map { [$0] } ?? [] }
    if let log = logs[end] { return log[owner] }
    if let inverse = ends[end].inverse { replay(inverse) }
    return many[end][owner]
  }

  /// Sets the destinations of an instance on one side; each destination occurs once.
  mutating func set(_ end: Int, of owner: ManagedObjectID, to destinations: [ManagedObjectID]) {
    if logs[end] == nil, !destinations.isEmpty, isLoggable(end) { logs[end] = LinkLog() }
    if logs[end]?.append(owner, destinations) == true { return }
    replay(end)
    setBoth(end, of: owner, to: destinations)
  }

  /// Whether a side is one of a many-to-many relationship without an order and without any links.
  private func isLoggable(_ end: Int) -> Bool {
    guard ends[end].isToMany, let inverse = ends[end].inverse, ends[inverse].isToMany, inverse != end else {
      return false
    }
    return !ends[end].isOrdered && !ends[inverse].isOrdered && logs[inverse] == nil && many[end].isEmpty
      && many[inverse].isEmpty
  }

  /// Tells the inverse what has been logged on a side.
  private mutating func replay(_ end: Int) {
    guard let log = logs[end] else { return }
    logs[end] = nil
    log.forEach { setBoth(end, of: $0, to: $1) }
  }

  /// Sets the destinations of an instance on one side, and the other side with it.
  private mutating func setBoth(_ end: Int, of owner: ManagedObjectID, to destinations: [ManagedObjectID]) {
    let old = self.destinations(end, of: owner.primaryKey)
    guard old != destinations else { return }
    guard let inverse = ends[end].inverse else { return store(end, of: owner.primaryKey, destinations) }
    if !old.isEmpty {
      let kept = Set(destinations)
      for removed in old where !kept.contains(removed) { remove(inverse, of: removed, owner) }
    }
    store(end, of: owner.primaryKey, destinations)
    let known: Set<ManagedObjectID> = old.isEmpty ? [] : Set(old)
    for added in destinations where !known.contains(added) { add(inverse, of: added, owner, back: end) }
  }

  /// Removes all links of an instance, in both directions.
  ///
  /// Links to it without an inverse stay, because they cannot be found from the instance.
  mutating func removeAll(of owner: ManagedObjectID, ends ownEnds: [Int]) {
    for end in ownEnds { set(end, of: owner, to: []) }
  }

  /// Whether a side has not been told the links that its inverse has.
  func isBehind(_ end: Int) -> Bool { ends[end].inverse.map { logs[$0] != nil } ?? false }

  /// Calls a closure with all links of a to-many side that is not behind, in no order.
  func forEachLink(_ end: Int, _ body: (_ owner: Int64, _ destination: ManagedObjectID) throws -> Void) rethrows {
    if let log = logs[end] { try log.forEachLink(body) } else { try many[end].forEachLink(body) }
  }

  /// Whether a to-many side that is not behind has no links.
  func isEmpty(_ end: Int) -> Bool { logs[end] == nil && many[end].isEmpty }

  /// Forgets the destinations of a side, which have been written.
  mutating func forget(_ end: Int) {
    one[end] = KeyMap()
    many[end] = LinkLists()
    logs[end] = nil
  }

  private mutating func store(_ end: Int, of owner: Int64, _ destinations: [ManagedObjectID]) {
    if ends[end].isToMany {
      many[end][owner] = destinations
    } else {
      one[end][owner] = destinations.first
    }
  }

  /// Adds the inverse of a link that was just created.
  private mutating func add(_ end: Int, of owner: ManagedObjectID, _ destination: ManagedObjectID, back: Int) {
    if ends[end].isToMany {
      // A link of an instance with itself, in a relationship that is its own inverse, already exists.
      if end == back, owner == destination { return }
      many[end].append(destination, to: owner.primaryKey)
    } else {
      if let previous = one[end][owner.primaryKey], previous != destination { remove(back, of: previous, owner) }
      one[end][owner.primaryKey] = destination
    }
  }

  private mutating func remove(_ end: Int, of owner: ManagedObjectID, _ destination: ManagedObjectID) {
    if !ends[end].isToMany {
      if one[end][owner.primaryKey] == destination { one[end][owner.primaryKey] = nil }
    } else {
      many[end].remove(destination, from: owner.primaryKey)
    }
  }
}

/// The links of a many-to-many relationship that were set on one side, for one instance after the other.
///
/// Policies link new instances in this way, and seldom look at the other side. To enter each link there would take longer
/// than everything else that is done for it, since the instances of the other side come in no order.
struct LinkLog {
  private struct Entry {
    let owner: ManagedObjectID
    /// The number of destinations up to those of this owner.
    let end: Int
  }

  /// In the order of the owners' keys.
  private var entries = ChunkedArray<Entry>()
  private var destinations = ChunkedArray<ManagedObjectID>()

  /// Sets the destinations of an instance that is the last one, or comes after it.
  ///
  /// - Returns: Whether it is; an earlier one stays as it was.
  mutating func append(_ owner: ManagedObjectID, _ destinations: [ManagedObjectID]) -> Bool {
    if entries.count > 0 {
      let last = entries[entries.count - 1].owner
      guard last.primaryKey <= owner.primaryKey else { return false }
      if last.primaryKey == owner.primaryKey { removeLast() }
    }
    for destination in destinations { self.destinations.append(destination) }
    entries.append(Entry(owner: owner, end: self.destinations.count))
    return true
  }

  private mutating func removeLast() {
    for _ in range(entries.count - 1) { destinations.removeLast() }
    entries.removeLast()
  }

  /// The places of an entry's destinations.
  private func range(_ entry: Int) -> Range<Int> { (entry == 0 ? 0 : entries[entry - 1].end)..<entries[entry].end }

  /// The destinations of an instance.
  subscript(owner: Int64) -> [ManagedObjectID] {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].owner.primaryKey < owner { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].owner.primaryKey == owner else { return [] }
    return range(low).map { destinations[$0] }
  }

  /// Calls a closure with all instances and their destinations, in the order in which they were set.
  func forEach(_ body: (ManagedObjectID, [ManagedObjectID]) -> Void) {
    for entry in 0..<entries.count { body(entries[entry].owner, range(entry).map { destinations[$0] }) }
  }

  /// Calls a closure with all links in the same order.
  func forEachLink(_ body: (_ owner: Int64, _ destination: ManagedObjectID) throws -> Void) rethrows {
    for entry in 0..<entries.count {
      let owner = entries[entry].owner.primaryKey
      for place in range(entry) { try body(owner, destinations[place]) }
    }
  }
}

/// The destinations of a to-many relationship, by the keys of their owners.
///
/// Most owners have one destination, which is stored without a list.
struct LinkLists {
  private var single = KeyMap<ManagedObjectID>()
  private var several = KeyMap<[ManagedObjectID]>()

  subscript(owner: Int64) -> [ManagedObjectID] {
    get { several[owner] ?? single[owner].map { [$0] } ?? [] }
    set {
      let isSingle = newValue.count == 1
      if isSingle || single[owner] != nil { single[owner] = isSingle ? newValue[0] : nil }
      if newValue.count > 1 || several[owner] != nil { several[owner] = newValue.count > 1 ? newValue : nil }
    }
  }

  mutating func append(_ destination: ManagedObjectID, to owner: Int64) {
    if several.contains(owner) {
      several.update(owner) { $0?.append(destination) }
    } else if let first = single[owner] {
      self[owner] = [first, destination]
    } else {
      single[owner] = destination
    }
  }

  mutating func remove(_ destination: ManagedObjectID, from owner: Int64) {
    if single[owner] == destination {
      single[owner] = nil
    } else if let place = several[owner]?.firstIndex(of: destination) {
      several.update(owner) { $0?.remove(at: place) }
      if let list = several[owner], list.count < 2 { self[owner] = list }
    }
  }

  var isEmpty: Bool { single.isEmpty && several.isEmpty }

  /// Calls a closure with all non-empty lists, single destinations first, in both cases in the order of the owners'
  /// keys.
  func forEach(_ body: (Int64, [ManagedObjectID]) throws -> Void) rethrows {
    try single.forEach { try body($0, [$1]) }
    try several.forEach(body)
  }

  /// Calls a closure with all links in the same order.
  func forEachLink(_ body: (_ owner: Int64, _ destination: ManagedObjectID) throws -> Void) rethrows {
    try single.forEach(body)
    try several.forEach { owner, destinations in
      for destination in destinations { try body(owner, destination) }
    }
  }
}

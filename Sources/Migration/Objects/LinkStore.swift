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
  }

  /// Returns the destinations of an instance on one side.
  func destinations(_ end: Int, of owner: Int64) -> [ManagedObjectID] {
    ends[end].isToMany ? many[end][owner] : one[end][owner].map { [$0] } ?? []
  }

  /// Sets the destinations of an instance on one side; each destination occurs once.
  mutating func set(_ end: Int, of owner: ManagedObjectID, to destinations: [ManagedObjectID]) {
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

  /// Forgets the destinations of a side, which have been written.
  mutating func forget(_ end: Int) {
    one[end] = KeyMap()
    many[end] = LinkLists()
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

/// The destinations of a to-many relationship, by the keys of the instances that they belong to.
///
/// Most lists have one destination, which is kept without a list.
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
    if several[owner] != nil {
      several[owner]?.append(destination)
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
      several[owner]?.remove(at: place)
      if let list = several[owner], list.count < 2 { self[owner] = list }
    }
  }

  var isEmpty: Bool { single.isEmpty && several.isEmpty }

  /// Hands out all lists that are not empty, first those of one destination, both in the order of their owners' keys.
  func forEach(_ body: (Int64, [ManagedObjectID]) throws -> Void) rethrows {
    try single.forEach { try body($0, [$1]) }
    try several.forEach(body)
  }
}

// Each instance that a policy meets is entered here and leaves again, usually a moment later. A dictionary keyed by
// identities would take several times as long: it hashes more thoroughly, and keeps the identities beside the objects,
// which have them already.

/// The objects of a context that are in use, found by their identities.
///
/// It does not retain them: they remove themselves when they are released.
struct ObjectsInUse {
  /// The objects where their hashes lead, or in the next free slots; the number of slots is a power of two.
  private var slots: [Unmanaged<ManagedObject>?] = Array(repeating: nil, count: 64)
  private(set) var count = 0
  /// Differs from table to table, so that no store can be crafted whose keys meet in one slot.
  private let seed = UInt64.random(in: .min ... .max)

  /// All objects, in no order.
  var all: [ManagedObject] { slots.compactMap { $0?.takeUnretainedValue() } }

  /// The object of an identity.
  subscript(id: ManagedObjectID) -> ManagedObject? {
    var slot = firstSlot(id)
    while let object = slots[slot] {
      if object._withUnsafeGuaranteedRef({ $0.objectID == id }) { return object.takeUnretainedValue() }
      slot = next(slot)
    }
    return nil
  }

  /// Enters an object, whose identity no other has.
  mutating func insert(_ object: ManagedObject) {
    if count * 2 >= slots.count { grow() }
    count += 1
    enter(.passUnretained(object), object.objectID)
  }

  /// Removes the object of an identity.
  mutating func remove(_ id: ManagedObjectID) {
    var free = firstSlot(id)
    while let object = slots[free], object._withUnsafeGuaranteedRef({ $0.objectID != id }) { free = next(free) }
    guard slots[free] != nil else { return }
    count -= 1
    slots[free] = nil
    // A displaced entry moves up, for searches end at a free slot.
    var slot = next(free)
    while let object = slots[slot] {
      slots[slot] = nil
      enter(object, object._withUnsafeGuaranteedRef { $0.objectID })
      slot = next(slot)
    }
  }

  private mutating func enter(_ object: Unmanaged<ManagedObject>, _ id: ManagedObjectID) {
    var slot = firstSlot(id)
    while slots[slot] != nil { slot = next(slot) }
    slots[slot] = object
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: nil, count: old.count * 2)
    for case let object? in old { enter(object, object._withUnsafeGuaranteedRef { $0.objectID }) }
  }

  private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

  /// Keys follow each other, and a single product would take those of some seeds to a few slots; so bits are mixed as in
  /// SplitMix64.
  private func firstSlot(_ id: ManagedObjectID) -> Int {
    var bits = UInt64(bitPattern: id.primaryKey) ^ UInt64(UInt32(bitPattern: id.entityNumber)) << 40 ^ seed
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: bits ^ (bits >> 31)) & (slots.count - 1)
  }
}

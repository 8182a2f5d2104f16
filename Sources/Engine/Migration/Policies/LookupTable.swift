internal import SystemC

/// A table that finds what was created for a key, such as the artist with a name.
///
/// Keys are bytes and compared as bytes. They are stored one after the other in one buffer, so that a table of a
/// hundred thousand names needs a few large allocations instead of a hundred thousand small ones. Hashing is keyed with
/// a random seed, so that no library can be crafted to slow it down.
///
/// Hashes can be computed ahead, on any thread. What remains is a few reads from distant places in memory, which
/// ``prepare(forHashes:)`` does for many keys at a time: the processor then waits for all of them together.
public final class LookupTable {
  /// Sixteen bytes, since there is one for each of millions of artists.
  private struct Entry {
    /// The start of the key, in the upper 40 bits, and the lower bits of its hash.
    ///
    /// The key ends where the next one starts.
    private let startAndHash: UInt64
    var value: Int64

    /// The bits of a hash that are kept: as many as tell sixteen million slots apart.
    static let hashMask: UInt64 = 0xFF_FFFF

    init(hash: UInt64, start: Int, value: Int64) {
      startAndHash = UInt64(start) << 24 | hash & Self.hashMask
      self.value = value
    }

    var start: Int { Int(startAndHash >> 24) }
    var hash: UInt64 { startAndHash & Self.hashMask }

    func mayHave(_ hash: UInt64) -> Bool { (startAndHash ^ hash) & Self.hashMask == 0 }
  }

  // Nothing here is changed while it is used: the checks for that would take longer than a lookup.
  @exclusivity(unchecked) private var keys: [UInt8] = []
  @exclusivity(unchecked) private var entries: [Entry] = []
  /// The indexes of entries plus one, by hash; 0 means free.
  ///
  /// The count is a power of two.
  @exclusivity(unchecked) private var slots: [UInt32] = Array(repeating: 0, count: 64)
  /// The result of reading ahead, kept so that the reads are not optimised away.
  private var preparation: UInt64 = 0

  /// The number of entries from which on memory for ``reservedCount`` is reserved.
  package static let manyCount = 1 << 17
  /// The number of entries for which memory is reserved where there are many.
  package static let reservedCount = 1 << 22

  /// Creates an empty table.
  public init() {}

  /// The number of keys.
  public var count: Int { entries.count }

  /// The hash of a key, for the calls that take one.
  public static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// The index of a key, in the order in which keys were added; `nil` if the key is missing.
  public func index(forKey key: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
    let place = slots[slot(for: key, hash: hash)]
    return place == 0 ? nil : Int(place) - 1
  }

  /// The value of the key at an index.
  public func value(at place: Int) -> Int64 { entries[place].value }

  /// Gives the key at an index another value.
  package func setValue(_ value: Int64, at place: Int) { entries[place].value = value }

  /// Calls a closure with the key at an index.
  package func withKey<Result>(at place: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let end = place + 1 < entries.count ? entries[place + 1].start : keys.count
    return keys.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[entries[place].start..<end])) }
  }

  /// Adds a key if it is missing.
  ///
  /// - Returns: Its index.
  @discardableResult
  public func insert(_ value: Int64, forKey key: UnsafeRawBufferPointer, hash: UInt64) -> Int {
    // Three in eight stay free: with half of them, a million keys would need twice the slots.
    if entries.count * 8 >= slots.count * 5 { grow() }
    let slot = slot(for: key, hash: hash)
    if slots[slot] != 0 { return Int(slots[slot]) - 1 }
    // Memory that is not used yet takes none; to copy all entries when there are many takes as much again for a moment.
    if entries.count == Self.manyCount { entries.reserveCapacity(Self.reservedCount) }
    entries.append(Entry(hash: hash, start: keys.count, value: value))
    keys.append(contentsOf: key)
    slots[slot] = UInt32(truncatingIfNeeded: entries.count)
    return entries.count - 1
  }

  /// Finds the value of a key, or adds it.
  ///
  /// - Parameters:
  ///   - key: The key, which the table copies.
  ///   - makeValue: Called if the key is new.
  /// - Returns: The value, and whether the key is new.
  public func value<Failure: Error>(
    forKey key: UnsafeRawBufferPointer, orInsert makeValue: () throws(Failure) -> Int64
  ) throws(Failure) -> (value: Int64, isNew: Bool) {
    let hash = Self.hash(key)
    if let place = index(forKey: key, hash: hash) { return (value(at: place), false) }
    let value = try makeValue()
    // `makeValue` may have added other keys to this table, or even this one.
    let count = entries.count
    let place = insert(value, forKey: key, hash: hash)
    return (self.value(at: place), entries.count > count)
  }

  /// The value of a key.
  public func value(forKey key: UnsafeRawBufferPointer) -> Int64? {
    index(forKey: key, hash: Self.hash(key)).map(value(at:))
  }

  /// The value of a key.
  public subscript(key: String) -> Int64? {
    var key = key
    return key.withUTF8 { value(forKey: UnsafeRawBufferPointer($0)) }
  }

  /// Loads the entries of some keys into the processor's cache, before they are looked up one after the other.
  ///
  /// - Returns: The indexes of entries that are most likely those of the keys; those of others are missing.
  @discardableResult
  public func prepare(forHashes hashes: [UInt64]) -> [Int] {
    let mask = slots.count - 1
    var likely: [Int] = []
    likely.reserveCapacity(hashes.count)
    for hash in hashes {
      let place = Int(slots[Int(truncatingIfNeeded: hash) & mask])
      if place != 0 { likely.append(place - 1) }
    }
    prepare(likely)
    return likely
  }

  /// Loads the entries at some indexes, and their keys.
  public func prepare(_ places: [Int]) {
    var sum: UInt64 = 0
    for place in places { sum &+= UInt64(entries[place].start) }
    for place in places where entries[place].start < keys.count { sum &+= UInt64(keys[entries[place].start]) }
    preparation = sum
  }

  /// The slot of a key, or the free slot where it belongs.
  private func slot(for key: UnsafeRawBufferPointer, hash: UInt64) -> Int {
    slots.withUnsafeBufferPointer { slots in
      entries.withUnsafeBufferPointer { entries in
        keys.withUnsafeBytes { keys in
          let mask = slots.count - 1
          var slot = Int(truncatingIfNeeded: hash) & mask
          while slots[slot] != 0 {
            let next = Int(slots[slot])
            if entries[next - 1].mayHave(hash) {
              let end = next < entries.count ? entries[next].start : keys.count
              if UnsafeRawBufferPointer(rebasing: keys[entries[next - 1].start..<end]).matches(key) { break }
            }
            slot = (slot + 1) & mask
          }
          return slot
        }
      }
    }
  }

  private func grow() {
    let count = slots.count * 2
    // The old ones first, so that there are never both.
    slots = []
    slots = Array(repeating: 0, count: count)
    let mask = slots.count - 1
    for (place, entry) in entries.enumerated() {
      let hash = mask <= Int(Entry.hashMask) ? entry.hash : withKey(at: place, Self.hash)
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(truncatingIfNeeded: place + 1)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these bytes equal other bytes.
  fileprivate func matches(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let bytes = baseAddress, let otherBytes = other.baseAddress else { return true }
    return memcmp(bytes, otherBytes, count) == 0
  }
}

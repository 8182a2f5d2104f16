/// A table that finds what was made for a key, such as the artist of a name.
///
/// Keys are bytes and compared as bytes. They lie one after the other in one buffer, so that a table of a hundred
/// thousand names is a few large allocations instead of a hundred thousand small ones; hashing is keyed with a random
/// seed, so that no library can be made that slows it down.
public final class LookupTable {
  private struct Entry {
    let hash: UInt64
    let start: Int
    let length: Int
    let value: Int64
  }

  private var keys: [UInt8] = []
  private var entries: [Entry] = []
  /// Places of entries plus one, by hash; 0 is free.
  ///
  /// The count is a power of two.
  private var slots: [UInt32] = Array(repeating: 0, count: 64)

  /// Creates an empty table.
  public init() {}

  /// The number of keys.
  public var count: Int { entries.count }

  /// Finds the value of a key, or adds it.
  ///
  /// - Parameters:
  ///   - key: The key, of which the table keeps a copy.
  ///   - makeValue: Called when the key is new.
  /// - Returns: The value, and whether the key is new.
  public func value<Failure: Error>(
    forKey key: UnsafeRawBufferPointer, orInsert makeValue: () throws(Failure) -> Int64
  ) throws(Failure) -> (value: Int64, isNew: Bool) {
    let hash = Self.hash(key)
    var slot = self.slot(for: key, hash: hash)
    if slots[slot] != 0 { return (entries[Int(slots[slot]) - 1].value, false) }
    let (count, slotCount) = (entries.count, slots.count)
    let value = try makeValue()
    if entries.count * 2 >= slots.count { grow() }
    // Making the value may have added other keys to this table, or even this one.
    if entries.count != count || slots.count != slotCount {
      slot = self.slot(for: key, hash: hash)
      if slots[slot] != 0 { return (entries[Int(slots[slot]) - 1].value, false) }
    }
    entries.append(Entry(hash: hash, start: keys.count, length: key.count, value: value))
    keys.append(contentsOf: key)
    slots[slot] = UInt32(truncatingIfNeeded: entries.count)
    return (value, true)
  }

  /// The value of a key.
  public func value(forKey key: UnsafeRawBufferPointer) -> Int64? {
    let place = slots[slot(for: key, hash: Self.hash(key))]
    return place == 0 ? nil : entries[Int(place) - 1].value
  }

  /// The value of a key.
  public subscript(key: String) -> Int64? {
    var key = key
    return key.withUTF8 { value(forKey: UnsafeRawBufferPointer($0)) }
  }

  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// The slot that holds a key, or the free one where it belongs.
  private func slot(for key: UnsafeRawBufferPointer, hash: UInt64) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let entry = entries[Int(slots[slot]) - 1]
      if entry.hash == hash, matches(entry, key) { break }
      slot = (slot + 1) & mask
    }
    return slot
  }

  private func matches(_ entry: Entry, _ key: UnsafeRawBufferPointer) -> Bool {
    guard entry.length == key.count else { return false }
    return keys.withUnsafeBytes { bytes in
      UnsafeRawBufferPointer(rebasing: bytes[entry.start..<(entry.start + entry.length)]).elementsEqual(key)
    }
  }

  private func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    let mask = slots.count - 1
    for (place, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(truncatingIfNeeded: place + 1)
    }
  }
}

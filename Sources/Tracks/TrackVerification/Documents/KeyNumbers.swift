internal import Verification

/// The numbers of the keys that paths name.
///
/// Hot: every key of every document is looked up. A dictionary would need an array for each, and hash it with care that
/// is not needed: those who write documents do not choose the keys of presets.
struct KeyNumbers {
  /// The length of a key, and its first and last bytes, which are all of it up to 16.
  private struct Ends: Equatable {
    let count: Int
    let first: UInt64
    let last: UInt64

    @inline(__always)
    init(_ key: UnsafeRawBufferPointer) {
      count = key.count
      switch count {
      case 8...:
        first = key.loadUnaligned(as: UInt64.self)
        last = key.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      case 4...:
        first = UInt64(key.loadUnaligned(as: UInt32.self))
        last = UInt64(key.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      case 1...:
        first = UInt64(key[0]) | UInt64(key[count &>> 1]) &<< 8
        last = UInt64(key[count &- 1])
      default: (first, last) = (0, 0)
      }
    }

    @inline(__always)
    var hash: Int {
      let product = (first ^ last &* 31 ^ UInt64(truncatingIfNeeded: count)) &* 0x9e37_79b9_7f4a_7c15
      return Int(truncatingIfNeeded: product &>> 40)
    }
  }

  private struct Key {
    let ends: Ends
    /// Its bytes, if the ends are not all of it.
    let long: [UInt8]?

    init(_ key: UnsafeRawBufferPointer) {
      ends = Ends(key)
      long = key.count > 16 ? Array(key) : nil
    }
  }

  /// Numbers plus one; 0 is free.
  private var slots: [UInt32]
  private var keys: [Key] = []

  /// Numbers keys by their places; of equal ones, the first counts.
  init(_ keys: [String]) {
    slots = [UInt32](repeating: 0, count: 16)
    while slots.count < keys.count * 4 { slots += slots }
    for key in keys {
      Array(key.utf8).withUnsafeBytes {
        let slot = slot(of: $0, Ends($0))
        self.keys.append(Key($0))
        if slots[slot] == 0 { slots[slot] = UInt32(self.keys.count) }
      }
    }
  }

  /// The number of a key; `nil` if there is no such key.
  subscript(key: UnsafeRawBufferPointer) -> Int? {
    let number = slots[slot(of: key, Ends(key))]
    return number == 0 ? nil : Int(number) - 1
  }

  /// The slot of a key, or the free one that it would get.
  @inline(__always)
  private func slot(of key: UnsafeRawBufferPointer, _ ends: Ends) -> Int {
    let mask = slots.count - 1
    var slot = ends.hash & mask
    while slots[slot] != 0, !isKey(Int(slots[slot]) - 1, key, ends) { slot = (slot + 1) & mask }
    return slot
  }

  @inline(__always)
  private func isKey(_ number: Int, _ key: UnsafeRawBufferPointer, _ ends: Ends) -> Bool {
    keys[number].ends == ends && keys[number].long.map { $0.elementsEqual(key) } ?? true
  }
}

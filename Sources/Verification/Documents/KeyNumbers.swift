internal import SystemC

/// The numbers of the keys that paths name.
///
/// Hot: every key of every document is looked up. A dictionary would need an array for each, and hash it with care that
/// is not needed: those who write documents do not choose the keys of presets.
struct KeyNumbers {
  /// Numbers plus one; 0 is free.
  private var slots: [Int]
  /// The bytes of all keys, and where each begins; the last place is the end.
  private var bytes: [UInt8] = []
  private var starts = [0]
  private var longest = 0

  /// Numbers keys by their places; of equal ones, the first counts.
  init(_ keys: [String]) {
    slots = [Int](repeating: 0, count: 16)
    while slots.count < keys.count * 4 { slots += slots }
    for (number, key) in keys.enumerated() {
      bytes += Array(key.utf8)
      starts.append(bytes.count)
      longest = max(longest, key.utf8.count)
      let slot = Array(key.utf8).withUnsafeBytes { self.slot(of: $0) }
      if slots[slot] == 0 { slots[slot] = number + 1 }
    }
  }

  /// The number of a key; `nil` if there is no such key.
  subscript(key: UnsafeRawBufferPointer) -> Int? {
    guard key.count <= longest else { return nil }
    let slot = slots[slot(of: key)]
    return slot == 0 ? nil : slot - 1
  }

  /// The slot of a key, or the free one that it would get.
  private func slot(of key: UnsafeRawBufferPointer) -> Int {
    let mask = slots.count - 1
    var slot = Self.hash(key) & mask
    while slots[slot] != 0, !isKey(slots[slot] - 1, key) { slot = (slot + 1) & mask }
    return slot
  }

  private func isKey(_ number: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    let (start, end) = (starts[number], starts[number + 1])
    guard end - start == key.count else { return false }
    return bytes.withUnsafeBytes { StoredValue.areEqual(UnsafeRawBufferPointer(rebasing: $0[start..<end]), key) }
  }

  private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
    var word: UInt64 = 0
    if key.count >= 8 {
      // The first and the last eight bytes, which may overlap.
      word = key.loadUnaligned(as: UInt64.self)
      word ^= key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self) &* 31
    } else {
      for byte in key { word = word << 8 | UInt64(byte) }
    }
    let product = (word ^ UInt64(key.count)) &* 0x9e37_79b9_7f4a_7c15
    return Int(product >> 40)
  }
}

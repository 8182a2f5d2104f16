/// A hash that the writer of a file cannot predict, since its key is a secret of the process.
///
/// Hot: `Hasher`, which is made to withstand more than that, takes ten times as many instructions for what an artist has.
struct KeyedHash {
  private static let key = UInt64.random(in: .min ... .max)

  private(set) var value = key

  @inline(__always)
  mutating func combine(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    value = product.high ^ product.low
  }

  /// Adds bytes, of which the last word may overlap the one before: their number is added too.
  mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    combine(UInt64(count))
    guard count >= 8 else {
      var word: UInt64 = 0
      for byte in bytes { word = word << 8 | UInt64(byte) }
      return combine(word)
    }
    var offset = 0
    while offset < count - 8 {
      combine(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    combine(bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
  }
}

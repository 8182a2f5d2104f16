/// Looks at eight bytes at once; each answer has bit 7 set in the bytes that are meant, the first of them lowest.
///
/// Seven bits of each byte are added to, so that nothing carries into the next byte and every flag is exact.
struct Word {
  private let bits: UInt64
  private let low: UInt64

  /// Loads eight bytes; the caller has checked that they exist.
  @inline(__always)
  init(_ base: UnsafeRawPointer, _ index: Int) {
    bits = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    low = bits & 0x7f7f_7f7f_7f7f_7f7f
  }

  /// Backslashes, bytes beyond ASCII, vertical tabs and form feeds.
  @inline(__always)
  var suspects: UInt64 {
    let blanks = (low &+ 0x7575_7575_7575_7575) & ~(low &+ 0x7373_7373_7373_7373)
    return (bits | equal(0x5c5c_5c5c_5c5c_5c5c) | blanks) & 0x8080_8080_8080_8080
  }

  /// Quotes and backslashes, and the bytes beyond ASCII that are 0x80 above them.
  @inline(__always)
  var stringStops: UInt64 {
    (equal(0x2222_2222_2222_2222) | equal(0x5c5c_5c5c_5c5c_5c5c)) & 0x8080_8080_8080_8080
  }

  /// How many bytes come before the first that is meant.
  @inline(__always)
  static func position(of flags: UInt64) -> Int { flags.trailingZeroBitCount >> 3 }

  @inline(__always)
  private func equal(_ pattern: UInt64) -> UInt64 { ~((low ^ pattern) &+ 0x7f7f_7f7f_7f7f_7f7f) }
}

// Hot: passes over all text in which there is nothing to look at.

/// Looks at sixty-four bytes at once.
///
/// Only operations whose operands are both vectors, and no `any`: with the others, Swift 6.3 goes lane by lane.
struct Block {
  private typealias Lanes = SIMD16<UInt8>

  static let length = 64

  /// Tells whether there is any byte that ``Word/suspects`` would name.
  ///
  /// The caller has checked that there are sixty-four bytes at the index.
  @inline(__always)
  static func hasSuspects(_ base: UnsafeRawPointer, _ index: Int) -> Bool {
    let flags =
      suspects(base, index) | suspects(base, index &+ 16) | suspects(base, index &+ 32) | suspects(base, index &+ 48)
    let words = unsafeBitCast(flags, to: SIMD2<UInt64>.self)
    return (words.x | words.y) & 0x8080_8080_8080_8080 != 0
  }

  /// Bit 7 of the bytes that are meant.
  @inline(__always)
  private static func suspects(_ base: UnsafeRawPointer, _ index: Int) -> Lanes {
    let bytes = base.loadUnaligned(fromByteOffset: index, as: Lanes.self)
    let isBackslash = bytes .== Lanes(repeating: 0x5c)
    let isVerticalTab = bytes .== Lanes(repeating: 0x0b)
    let isFormFeed = bytes .== Lanes(repeating: 0x0c)
    return bytes | unsafeBitCast(isBackslash, to: Lanes.self) | unsafeBitCast(isVerticalTab, to: Lanes.self)
      | unsafeBitCast(isFormFeed, to: Lanes.self)
  }
}

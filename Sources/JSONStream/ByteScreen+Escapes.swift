extension ByteScreen {
  /// Measures an escape; a malformed one is left to yajl, and only its part that cannot be anything else is taken.
  static func escape(_ bytes: UnsafeRawPointer, _ count: Int) -> Sequence {
    guard count > 1 else { return .cut }
    let kind = bytes.load(fromByteOffset: 1, as: UInt8.self)
    // A control or a character beyond ASCII is a sequence of its own, even here.
    guard kind == Byte.u else { return .whole(kind >= 0x20 && kind < 0x80 ? 2 : 1) }
    switch codeUnit(bytes, count) {
    case .cut: return .cut
    case .malformed(let length): return .whole(length)
    case .unit(let unit):
      switch unit {
      case 0xd800...0xdbff: return secondHalf(bytes, count)
      case 0xdc00...0xdfff: return .faulty(.loneSurrogate)
      default: return .whole(6)
      }
    }
  }

  /// Looks for the low half of a surrogate pair behind the high one.
  private static func secondHalf(_ bytes: UnsafeRawPointer, _ count: Int) -> Sequence {
    guard count > 6 else { return .cut }
    guard bytes.load(fromByteOffset: 6, as: UInt8.self) == Byte.backslash else { return .faulty(.loneSurrogate) }
    guard count > 7 else { return .cut }
    guard bytes.load(fromByteOffset: 7, as: UInt8.self) == Byte.u else { return .faulty(.loneSurrogate) }
    switch codeUnit(bytes + 6, count &- 6) {
    case .cut: return .cut
    case .unit(0xdc00...0xdfff): return .whole(longestSequence)
    case .unit, .malformed: return .faulty(.loneSurrogate)
    }
  }

  private enum CodeUnit {
    case unit(UInt32)
    case malformed(length: Int)
    case cut
  }

  /// Reads the four digits behind `\u`.
  private static func codeUnit(_ bytes: UnsafeRawPointer, _ count: Int) -> CodeUnit {
    var unit: UInt32 = 0
    for index in 2..<6 {
      guard index < count else { return .cut }
      guard let digit = Byte.hexValue(bytes.load(fromByteOffset: index, as: UInt8.self)) else {
        return .malformed(length: index)
      }
      unit = unit << 4 | digit
    }
    return .unit(unit)
  }
}

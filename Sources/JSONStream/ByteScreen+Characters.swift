extension ByteScreen {
  /// Measures a character beyond ASCII, by table 3-7 of the Unicode standard.
  @inline(__always)
  static func character(_ lead: UInt8, _ bytes: UnsafeRawPointer, _ count: Int) -> Sequence {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch lead {
    case 0xc2...0xdf: length = 2
    case 0xe0...0xef:
      length = 3
      if lead == 0xe0 { second = 0xa0...0xbf }  // below is overlong
      if lead == 0xed { second = 0x80...0x9f }  // above is a surrogate
    case 0xf0...0xf4:
      length = 4
      if lead == 0xf0 { second = 0x90...0xbf }  // below is overlong
      if lead == 0xf4 { second = 0x80...0x8f }  // above is beyond U+10FFFF
    default: return .faulty(.invalidUTF8)
    }
    // What is there is checked even if the rest is not: the fault is the same wherever the bytes are cut.
    guard count > 1 else { return .cut }
    guard second.contains(bytes.load(fromByteOffset: 1, as: UInt8.self)) else { return .faulty(.invalidUTF8) }
    var index = 2
    while index < length {
      guard index < count else { return .cut }
      guard bytes.load(fromByteOffset: index, as: UInt8.self) & 0xc0 == 0x80 else { return .faulty(.invalidUTF8) }
      index &+= 1
    }
    return .whole(length)
  }
}

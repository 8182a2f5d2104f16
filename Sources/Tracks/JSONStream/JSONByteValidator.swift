// Hot path: every byte of every document passes through here before yajl sees it. Hence raw pointers, eight-byte words,
// and wrapping additions, whose operands are indices into one buffer and cannot overflow.

/// Finds invalid JSON that yajl accepts.
///
/// yajl 2.1.0 accepts overlong and surrogate UTF-8, turns an escaped lone surrogate into "?", and treats vertical tab
/// and form feed as whitespace. The validator keeps no state: it stops before a sequence that the end of the buffer
/// cuts, and the caller passes that sequence again with the bytes that follow.
enum JSONByteValidator {
  /// The result of checking bytes.
  struct Finding {
    /// The number of checked bytes: all, those before the fault, or those before an incomplete sequence.
    var settled: Int
    /// The fault of the next byte, if it has any.
    var fault: JSONStreamError.Code?

    /// The number of bytes after which yajl must stop reading because of the fault.
    ///
    /// It reads the backslash of a lone surrogate, because outside a string the backslash is the greater fault.
    var readable: Int { fault == .loneSurrogate ? settled + 1 : settled }
  }

  /// The length of the longest sequence that must be seen as a whole: two `\u` escapes.
  static let longestSequence = 12

  /// Checks bytes that start at the beginning of a sequence.
  static func scan(_ bytes: UnsafeRawBufferPointer) -> Finding {
    guard let base = bytes.baseAddress else { return Finding(settled: 0) }
    let count = bytes.count
    var index = 0
    while index < count {
      if index &+ Block.length <= count, !Block.hasSuspects(base, index) {
        index &+= Block.length
        continue
      }
      // Smaller steps to the end of this block: in text with many suspicious bytes, blocks would only add cost.
      let end = min(index &+ Block.length, count)
      while index < end {
        if index &+ 8 <= count {
          let flags = ByteWord(base, index).suspects
          index &+= flags == 0 ? 8 : ByteWord.position(of: flags)
          if flags == 0 { continue }
        }
        switch sequence(base, index, count) {
        case .whole(let length): index &+= length
        case .cut: return Finding(settled: index)
        case .faulty(let code): return Finding(settled: index, fault: code)
        }
      }
    }
    return Finding(settled: count)
  }

  /// The sequence that begins at a byte.
  enum Sequence {
    case whole(Int)
    case cut
    case faulty(JSONStreamError.Code)
  }

  /// Measures the character or escape at an index below the count.
  @inline(__always)
  static func sequence(_ base: UnsafeRawPointer, _ index: Int, _ count: Int) -> Sequence {
    let byte = base.load(fromByteOffset: index, as: UInt8.self)
    if byte >= 0x80 { return character(byte, base + index, count &- index) }
    if byte == Byte.backslash { return escape(base + index, count &- index) }
    return byte == 0x0b || byte == 0x0c ? .faulty(.syntax) : .whole(1)
  }
}

extension JSONByteValidator {
  /// Finds the last position at or before a limit that is not inside a character or escape.
  ///
  /// - Parameters:
  ///   - bytes: Checked bytes, which start at such a position.
  ///   - limit: The maximum number of bytes.
  static func boundary(in bytes: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var index = 0
    while index < bytes.count, index < limit {
      guard case .whole(let length) = sequence(base, index, bytes.count), length <= limit - index else { break }
      // A backslash before something that cannot be escaped stays with it, so that it does not escape what is added
      // after the cut.
      if length == 1, bytes[index] == Byte.backslash { break }
      index += length
    }
    return index
  }

  // MARK: - Characters

  /// Measures a non-ASCII character, according to table 3-7 of the Unicode standard.
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
    // Available bytes are checked even if the rest is missing, so that the fault is the same no matter where the bytes
    // are cut.
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

  // MARK: - Escapes

  /// Measures an escape.
  ///
  /// A malformed one is left to yajl; only the part that cannot be anything else is measured.
  static func escape(_ bytes: UnsafeRawPointer, _ count: Int) -> Sequence {
    guard count > 1 else { return .cut }
    let kind = bytes.load(fromByteOffset: 1, as: UInt8.self)
    // A control or non-ASCII character is a sequence of its own, even here.
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

  /// Looks for the low half of a surrogate pair after the high one.
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

  /// Reads the four digits after `\u`.
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

/// Finds where a token begins; used once for a document that turned out to be malformed.
///
/// yajl reports the end of a misplaced token. All tokens before it are well formed.
enum TokenScan {
  /// Finds the beginning of the token that ends at an index.
  ///
  /// - Parameters:
  ///   - end: The index after the token.
  ///   - bytes: JSON that begins between two tokens.
  static func start(ofTokenThrough end: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    let limit = min(end, bytes.count)
    var start = 0
    var index = 0
    while index < limit {
      if Byte.isWhitespace(bytes[index]) {
        index += 1
      } else {
        start = index
        index = self.end(ofTokenAt: index, in: bytes)
      }
    }
    return start
  }

  private static func end(ofTokenAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    switch bytes[start] {
    case Byte.quote:
      let close = bytes.endOfString(from: start + 1)
      return close < bytes.count ? close + 1 : close
    // Anything after the letters of a literal is another token, even without a space.
    case UInt8(ascii: "t"), UInt8(ascii: "n"): return start + 4
    case UInt8(ascii: "f"): return start + 5
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return end(ofNumberAt: start, in: bytes)
    default: return start + 1
    }
  }

  private static func end(ofNumberAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var index = start
    func skip(_ matches: (UInt8) -> Bool) {
      while index < bytes.count, matches(bytes[index]) { index += 1 }
    }
    let isDigit: (UInt8) -> Bool = { $0 &- 0x30 < 10 }
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    if index < bytes.count, bytes[index] == UInt8(ascii: "0") { index += 1 } else { skip(isDigit) }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      skip(isDigit)
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      skip { isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    }
    return max(index, start + 1)
  }
}

// Hot path for documents that arrive in pieces: each of their bytes passes through here once.
extension UnsafeRawBufferPointer {
  /// Finds the first byte at or after an index that is neither whitespace nor punctuation.
  func endOfPunctuation(from start: Int) -> Int {
    var index = start
    while index < count, Byte.isWhitespace(self[index]) || Byte.isPunctuation(self[index]) { index &+= 1 }
    return index
  }

  /// Finds the first byte at or after an index that cannot belong to a number or literal.
  func endOfScalar(from start: Int) -> Int {
    var index = start
    while index < count {
      let byte = self[index]
      if byte == Byte.quote || Byte.isWhitespace(byte) || Byte.isPunctuation(byte) { break }
      index &+= 1
    }
    return index
  }

  /// Finds the quote that closes a string, or the end of the bytes.
  ///
  /// - Parameter start: An index inside the string, and not inside an escape.
  func endOfString(from start: Int) -> Int {
    guard let baseAddress else { return 0 }
    var index = start
    while index < count {
      if index &+ 8 <= count {
        let flags = ByteWord(baseAddress, index).stringStops
        if flags == 0 {
          index &+= 8
          continue
        }
        index &+= ByteWord.position(of: flags)
      }
      let byte = self[index]
      if byte == Byte.quote { return index }
      index &+= byte == Byte.backslash ? 2 : 1
    }
    return count
  }

  // MARK: - Byte order mark

  /// The number of bytes of a UTF-8 byte-order mark at the start of the document: three or zero.
  var lengthOfByteOrderMark: Int {
    count >= 3 && self[0] == 0xef && self[1] == 0xbb && self[2] == 0xbf ? 3 : 0
  }
}

/// The bytes used in JSON's grammar.
enum Byte {
  private static let tab = UInt8(ascii: "\t")
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let u = UInt8(ascii: "u")

  /// Whether JSON allows the byte between tokens.
  @inline(__always)
  static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == space || byte == newline || byte == carriageReturn || byte == tab
  }

  /// Whether the byte is a token by itself.
  @inline(__always)
  static func isPunctuation(_ byte: UInt8) -> Bool {
    // "[" and "{", "]" and "}" differ in one bit.
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || byte | 0x20 == UInt8(ascii: "{")
      || byte | 0x20 == UInt8(ascii: "}")
  }

  /// The value of a hexadecimal digit.
  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte | 0x20) - 0x57
    default: nil
    }
  }

  /// The character that a simple escape stands for.
  static func escaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): newline
    case UInt8(ascii: "r"): carriageReturn
    case UInt8(ascii: "t"): tab
    default: byte
    }
  }

  /// Whether the byte may follow a backslash, other than `u`.
  static func isSimpleEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case quote, backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      true
    default: false
    }
  }
}

/// Examines eight bytes at once.
///
/// Each result has bit 7 set in the matching bytes, the first of them lowest.
///
/// Additions use only seven bits of each byte, so that nothing carries into the next byte and every flag is exact.
struct ByteWord {
  private let bits: UInt64
  private let low: UInt64

  /// Loads eight bytes; the caller has checked that they exist.
  @inline(__always)
  init(_ base: UnsafeRawPointer, _ index: Int) {
    bits = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    low = bits & 0x7f7f_7f7f_7f7f_7f7f
  }

  /// Backslashes, non-ASCII bytes, vertical tabs and form feeds.
  @inline(__always)
  var suspects: UInt64 {
    let blanks = (low &+ 0x7575_7575_7575_7575) & ~(low &+ 0x7373_7373_7373_7373)
    return (bits | equal(0x5c5c_5c5c_5c5c_5c5c) | blanks) & 0x8080_8080_8080_8080
  }

  /// Quotes and backslashes, and the non-ASCII bytes that are 0x80 above them.
  @inline(__always)
  var stringStops: UInt64 {
    (equal(0x2222_2222_2222_2222) | equal(0x5c5c_5c5c_5c5c_5c5c)) & 0x8080_8080_8080_8080
  }

  /// The number of bytes before the first matching one.
  @inline(__always)
  static func position(of flags: UInt64) -> Int { flags.trailingZeroBitCount >> 3 }

  @inline(__always)
  private func equal(_ pattern: UInt64) -> UInt64 { ~((low ^ pattern) &+ 0x7f7f_7f7f_7f7f_7f7f) }
}

// Hot path: passes over all text that needs no attention.

/// Examines 64 bytes at once.
///
/// It uses only operations whose operands are both vectors, and no `any`: Swift 6.3 compiles the others lane by lane.
struct Block {
  private typealias Lanes = SIMD16<UInt8>

  static let length = 64

  /// Returns whether there is any byte that ``ByteWord/suspects`` would match.
  ///
  /// The caller has checked that there are 64 bytes at the index.
  @inline(__always)
  static func hasSuspects(_ base: UnsafeRawPointer, _ index: Int) -> Bool {
    let flags =
      suspects(base, index) | suspects(base, index &+ 16) | suspects(base, index &+ 32) | suspects(base, index &+ 48)
    let words = unsafeBitCast(flags, to: SIMD2<UInt64>.self)
    return (words.x | words.y) & 0x8080_8080_8080_8080 != 0
  }

  /// Bit 7 of the matching bytes.
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

/// Examines 16 bytes of a string at once, with operations that Swift 6.3 compiles to single instructions.
struct StringBlock {
  private typealias Lanes = SIMD16<Int8>

  static let length = 16

  /// The number of bytes before the first quote, backslash, control character or non-ASCII byte; 16 if there is none.
  ///
  /// The caller has checked that there are 16 bytes at the index.
  @inline(__always)
  static func plainPrefix(_ base: UnsafeRawPointer, _ index: Int) -> Int {
    let bytes = base.loadUnaligned(fromByteOffset: index, as: Lanes.self)
    // As signed numbers, non-ASCII bytes are less than the space too.
    let isSuspect = bytes .< Lanes(repeating: 0x20)
    let isQuote = bytes .== Lanes(repeating: 0x22)
    let isBackslash = bytes .== Lanes(repeating: 0x5c)
    let flags =
      unsafeBitCast(isSuspect, to: Lanes.self) | unsafeBitCast(isQuote, to: Lanes.self)
      | unsafeBitCast(isBackslash, to: Lanes.self)
    let words = unsafeBitCast(flags, to: SIMD2<UInt64>.self)
    if words.x != 0 { return UInt64(littleEndian: words.x).trailingZeroBitCount >> 3 }
    if words.y != 0 { return 8 + UInt64(littleEndian: words.y).trailingZeroBitCount >> 3 }
    return length
  }
}

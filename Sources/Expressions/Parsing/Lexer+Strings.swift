extension Lexer {
  /// The text between two quotes of the same kind.
  ///
  /// Placeholders in it are text.
  mutating func string() throws(FormatError) -> String {
    let start = position
    let quote = bytes[start]
    var text: [UInt8] = []
    position += 1
    while let byte = byte(0) {
      if byte == quote {
        position += 1
        return String(decoding: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        text += String(try escape()).utf8
      } else {
        text.append(byte)
        position += 1
      }
    }
    throw error(.unterminatedString, at: start)
  }

  private mutating func escape() throws(FormatError) -> Character {
    let start = position
    position += 1
    guard let byte = byte(0) else { throw error(.unterminatedString, at: start) }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try hexadecimalEscape(digits: 4, from: start)
    case UInt8(ascii: "x"): return try hexadecimalEscape(digits: 2, from: start)
    // Quotes, backslashes and all signs stand for themselves. A letter that has no meaning here is more likely a
    // regular expression with one backslash too few (`\d`) than what was meant.
    case 0x21..<0x7F where !Self.isDigit(byte) && !(0x41...0x5A).contains(byte & 0xDF):
      return Character(Unicode.Scalar(byte))
    default: throw error(.invalidEscape, at: start)
    }
  }

  private mutating func hexadecimalEscape(digits count: Int, from start: Int) throws(FormatError) -> Character {
    var value = try hexadecimalDigits(count, from: start)
    // Two escapes make one character beyond U+FFFF, as in Objective-C's own strings of UTF-16.
    if (0xD800..<0xDC00).contains(value), byte(0) == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u") {
      position += 2
      let low = try hexadecimalDigits(4, from: start)
      guard (0xDC00..<0xE000).contains(low) else { throw error(.invalidEscape, at: start) }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else { throw error(.invalidEscape, at: start) }
    return Character(scalar)
  }

  private mutating func hexadecimalDigits(_ count: Int, from start: Int) throws(FormatError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = byte(0).flatMap(HexadecimalText.value) else { throw error(.invalidEscape, at: start) }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}

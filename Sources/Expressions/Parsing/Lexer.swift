/// Cuts a format into tokens, one at a time.
struct Lexer {
  let format: String
  let bytes: [UInt8]
  var position = 0

  init(_ format: String) {
    self.format = format
    bytes = Array(format.utf8)
  }

  /// The next token.
  ///
  /// At the end of the text there are `end` tokens without end.
  mutating func next() throws(FormatError) -> Token {
    skipSpace()
    let start = position
    return Token(kind: try nextKind(), range: start..<position)
  }

  private mutating func nextKind() throws(FormatError) -> Token.Kind {
    guard let byte = byte(0) else { return .end }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: ".") where self.byte(1).map(Self.isDigit) == true: return try number()
    case UInt8(ascii: "%"): return .placeholder(try placeholder())
    case UInt8(ascii: "$"): return .variable(try prefixedName())
    case UInt8(ascii: "@"): return .collectionOperator(try prefixedName())
    case UInt8(ascii: "#"): return .key(try prefixedName())
    default: break
    }
    if let name = name() { return word(name) }
    guard let symbol = Symbol(byte, self.byte(1)) else { throw error(.unexpectedCharacter, at: position) }
    position += symbol.rawValue.utf8.count
    return .symbol(symbol)
  }

  /// The byte so many places ahead, or `nil` after the end.
  func byte(_ distance: Int) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  func error(_ problem: FormatError.Problem, at offset: Int) -> FormatError {
    FormatError(problem, offset: offset, format: format)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func skipSpace() {
    while let byte = byte(0), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
  }

  private mutating func placeholder() throws(FormatError) -> Placeholder {
    let start = position
    position += 1
    // Length modifiers say how C passes a number, which does not matter here.
    while let byte = byte(0), Array("hlqzjt".utf8).contains(byte) { position += 1 }
    guard let byte = byte(0), let placeholder = Placeholder(letter: byte) else {
      throw error(byte(0) == UInt8(ascii: "%") ? .percentSign : .unknownPlaceholder, at: start)
    }
    position += 1
    return placeholder
  }
}

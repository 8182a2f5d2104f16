/// Splits a format into tokens, one at a time.
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
  /// At the end of the text, every token is `end`.
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

  /// The byte at a distance, or `nil` after the end.
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
    // Length modifiers tell C the size of an argument, which does not matter here.
    while let byte = byte(0), Array("hlqzjt".utf8).contains(byte) { position += 1 }
    guard let byte = byte(0), let placeholder = Placeholder(letter: byte) else {
      throw error(byte(0) == UInt8(ascii: "%") ? .percentSign : .unknownPlaceholder, at: start)
    }
    position += 1
    return placeholder
  }
}

extension Lexer {
  /// A name at the current place, or `nil` if there is none.
  mutating func name() -> String? {
    let start = position
    while let (scalar, length) = scalar(),
      position == start ? Self.isNameStart(scalar) : Self.isNamePart(scalar)
    {
      position += length
    }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// The name after a sign such as `$`.
  private mutating func prefixedName() throws(FormatError) -> String {
    let start = position
    position += 1
    guard let name = name() else { throw error(.missingName, at: start) }
    return name
  }

  /// A keyword, a key, or a selector when colons follow.
  mutating func word(_ name: String) -> Token.Kind {
    guard byte(0) == UInt8(ascii: ":") else {
      return Keyword(word: name).map { .keyword($0, name) } ?? .key(name)
    }
    var selector = name
    while byte(0) == UInt8(ascii: ":") {
      position += 1
      selector += ":" + (selectorPart() ?? "")
    }
    return .selector(selector)
  }

  /// Whether text is a name that needs no quoting, as Core Data requires for the keys of a model.
  static func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, isNameStart(first) else { return false }
    return text.unicodeScalars.dropFirst().allSatisfy(isNamePart)
  }

  /// A name only if a colon follows: in `count:x`, the `x` is not part of the selector.
  private mutating func selectorPart() -> String? {
    let start = position
    guard let name = name(), byte(0) == UInt8(ascii: ":") else {
      position = start
      return nil
    }
    return name
  }

  private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || (scalar.isASCII ? isLetter(scalar) : scalar.properties.isXIDStart)
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    isNameStart(scalar)
      || (scalar.isASCII ? ("0"..."9").contains(scalar) || scalar == "$" : scalar.properties.isXIDContinue)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  /// The scalar at the current place, and its number of bytes.
  ///
  /// The bytes come from a `String`, so they are valid UTF-8.
  private func scalar() -> (Unicode.Scalar, Int)? {
    guard let first = byte(0) else { return nil }
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    var iterator = bytes[position..<min(position + 4, bytes.count)].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    return (scalar, scalar.utf8.count)
  }

  // MARK: - Numbers

  /// A number without a sign.
  mutating func number() throws(FormatError) -> Token.Kind {
    let start = position
    let kind = if let radix { try integer(radix) } else { try decimal() }
    guard name() == nil, byte(0).map(Self.isDigit) != true else { throw error(.invalidNumber, at: start) }
    return kind
  }

  /// The radix of a number with a prefix: `0x`, `0o` or `0b`.
  private var radix: Int? {
    guard byte(0) == UInt8(ascii: "0") else { return nil }
    switch (byte(1) ?? 0) | 0x20 {
    case UInt8(ascii: "x"): return 16
    case UInt8(ascii: "o"): return 8
    case UInt8(ascii: "b"): return 2
    default: return nil
    }
  }

  /// The digits after a prefix.
  private mutating func integer(_ radix: Int) throws(FormatError) -> Token.Kind {
    let start = position
    position += 2
    let digits = take { byte in HexadecimalText.value(of: byte).map { $0 < radix } == true }
    guard !digits.isEmpty else { throw error(.invalidNumber, at: start) }
    guard let value = UInt64(digits, radix: radix) else { throw error(.numberOutOfRange, at: start) }
    return .integer(value)
  }

  private mutating func decimal() throws(FormatError) -> Token.Kind {
    let start = position
    var text = take(Self.isDigit)
    var isReal = false
    if byte(0) == UInt8(ascii: "."), let next = byte(1), Self.isDigit(next) {
      isReal = true
      position += 1
      text = (text.isEmpty ? "0" : text) + "." + take(Self.isDigit)
    }
    if (byte(0) ?? 0) | 0x20 == UInt8(ascii: "e") {
      isReal = true
      text += try exponent(of: start)
    }
    guard isReal else {
      guard let value = UInt64(text) else { throw error(.numberOutOfRange, at: start) }
      return .integer(value)
    }
    guard let value = Double(text), value.isFinite else { throw error(.numberOutOfRange, at: start) }
    return .real(value)
  }

  private mutating func exponent(of start: Int) throws(FormatError) -> String {
    position += 1
    var sign = ""
    if let byte = byte(0), byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
      sign = String(decoding: [byte], as: UTF8.self)
      position += 1
    }
    let digits = take(Self.isDigit)
    guard !digits.isEmpty else { throw error(.invalidNumber, at: start) }
    return "e" + sign + digits
  }

  private mutating func take(_ isTaken: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = byte(0), isTaken(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  // MARK: - Strings

  /// The text between two quotes of the same kind.
  ///
  /// Placeholders inside it are text.
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
    case UInt8(ascii: "u"), UInt8(ascii: "U"): return try hexadecimalEscape(digits: 4, from: start)
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return try hexadecimalEscape(digits: 2, from: start)
    case UInt8(ascii: "0")...UInt8(ascii: "3"): return try octalEscape(from: start)
    // Quotes, backslashes and other signs stand for themselves. An unknown letter is most likely a regular expression
    // with one backslash too few (`\d`).
    case 0x21..<0x7F where !Self.isDigit(byte) && !(0x41...0x5A).contains(byte & 0xDF):
      return Character(Unicode.Scalar(byte))
    default: throw error(.invalidEscape, at: start)
    }
  }

  private mutating func hexadecimalEscape(digits count: Int, from start: Int) throws(FormatError) -> Character {
    var value = try hexadecimalDigits(count, from: start)
    // Two escapes make one character beyond U+FFFF, as in Objective-C's own strings of UTF-16.
    if (0xD800..<0xDC00).contains(value), byte(0) == UInt8(ascii: "\\"),
      byte(1).map({ $0 | 0x20 }) == UInt8(ascii: "u")
    {
      position += 2
      let low = try hexadecimalDigits(4, from: start)
      guard (0xDC00..<0xE000).contains(low) else { throw error(.invalidEscape, at: start) }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else { throw error(.invalidEscape, at: start) }
    return Character(scalar)
  }

  /// Three octal digits, the first of which has been taken.
  ///
  /// Fewer are more likely a reference of a regular expression with one backslash too few (`\1`).
  private mutating func octalEscape(from start: Int) throws(FormatError) -> Character {
    position = start + 1
    let digits = bytes[position...].prefix(3).prefix { (0x30...0x37).contains($0) }
    guard digits.count == 3 else { throw error(.invalidEscape, at: start) }
    position += 3
    return Character(Unicode.Scalar(digits.reduce(0) { $0 << 3 | ($1 - 0x30) }))
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

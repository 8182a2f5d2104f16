internal import SQLiteDatabase
internal import SystemC

/// Reads the tokens of a statement of a file's schema.
private struct SchemaScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ sql: String) {
    bytes = Array(sql.utf8)
  }

  var isAtEnd: Bool { position == bytes.count }

  /// Skips space and comments.
  ///
  /// - Returns: Whether anything follows.
  mutating func skipSpace() -> Bool {
    while let byte = peek() {
      if [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) {
        position += 1
      } else if byte == UInt8(ascii: "-"), peek(1) == byte {
        while let byte = peek(), byte != 0x0A { position += 1 }
      } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        position += 2
        while let byte = peek(), byte != UInt8(ascii: "*") || peek(1) != UInt8(ascii: "/") { position += 1 }
        position = min(position + 2, bytes.count)
      } else {
        return true
      }
    }
    return false
  }

  mutating func next() -> SchemaToken? {
    guard let byte = peek() else { return nil }
    switch byte {
    case UInt8(ascii: "'"): return quoted(byte).map { .text($0) }
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(byte).map { .quotedName($0) }
    case UInt8(ascii: "["): return bracketed().map { .quotedName($0) }
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): return number()
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard peek(1) == UInt8(ascii: "'") else { return word() }
      position += 1
      return quoted(UInt8(ascii: "'")).flatMap { text in
        text.utf8.allSatisfy { isxdigit(Int32($0)) != 0 } && text.utf8.count % 2 == 0 ? .literal("x'\(text)'") : nil
      }
    default: return word() ?? symbol()
    }
  }

  private mutating func symbol() -> SchemaToken? {
    guard let byte = peek(), 0x21...0x7E ~= byte else { return nil }
    position += 1
    return .symbol(Character(Unicode.Scalar(byte)))
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    let index = position + distance
    return index < bytes.count ? bytes[index] : nil
  }

  /// A word of letters, digits and underscores; for SQLite, every byte beyond ASCII is a letter.
  private mutating func word() -> SchemaToken? {
    let start = position
    while let byte = peek(), Self.isWordByte(byte) { position += 1 }
    return position == start ? nil : .word(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// A decimal number; other forms are not supported.
  private mutating func number() -> SchemaToken? {
    let start = position
    while let byte = peek(), Self.isWordByte(byte) || byte == UInt8(ascii: ".") || isExponentSign(byte) {
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    let isDecimal = text.utf8.allSatisfy { Self.isDigit($0) || ".eE+-".utf8.contains($0) }
    return isDecimal && Double(text) != nil ? .literal(text) : nil
  }

  private func isExponentSign(_ byte: UInt8) -> Bool {
    (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")) && position > 0
      && (bytes[position - 1] | 0x20) == UInt8(ascii: "e")
  }

  /// Text between quotes; a quote inside is doubled.
  private mutating func quoted(_ quote: UInt8) -> String? {
    position += 1
    var content: [UInt8] = []
    while let byte = peek() {
      position += 1
      if byte == quote {
        guard peek() == quote else { return String(decoding: content, as: UTF8.self) }
        position += 1
      }
      // For SQLite, a NUL would end the statement.
      if byte == 0 { return nil }
      content.append(byte)
    }
    return nil
  }

  private mutating func bracketed() -> String? {
    position += 1
    let start = position
    while let byte = peek(), byte != UInt8(ascii: "]"), byte != 0 { position += 1 }
    guard peek() == UInt8(ascii: "]") else { return nil }
    position += 1
    return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
      true
    default: isDigit(byte) || byte == UInt8(ascii: "$")
    }
  }
}

/// One token of a statement that creates a table or an index.
enum SchemaToken: Hashable {
  /// A name or keyword without quotes.
  case word(String)
  /// A name in quotes of any kind, without them.
  case quotedName(String)
  /// A text literal, without its quotes.
  case text(String)
  /// A number or a blob literal, as written.
  case literal(String)
  /// Any other ASCII character, such as a parenthesis.
  case symbol(Character)

  /// Splits a statement of a file's schema into tokens.
  ///
  /// - Returns: The tokens; `nil` for a statement with anything else in it.
  static func all(in sql: String) -> [SchemaToken]? {
    // The replacement for invalid bytes would be another name.
    guard !sql.unicodeScalars.contains("\u{FFFD}") else { return nil }
    var scanner = SchemaScanner(sql)
    var tokens: [SchemaToken] = []
    while scanner.skipSpace() {
      guard let token = scanner.next() else { return nil }
      tokens.append(token)
    }
    return scanner.isAtEnd ? tokens : nil
  }

  /// The word in uppercase, if this is a word without quotes.
  var keyword: String? {
    if case .word(let word) = self { word.uppercased() } else { nil }
  }

  /// The name, if this token is in the place of a name.
  var name: String? {
    switch self {
    case .word(let name), .quotedName(let name), .text(let name): name
    case .literal, .symbol: nil
    }
  }

  /// The token as SQL.
  ///
  /// Statements are written from tokens, so that exactly what was checked is run.
  var sql: String {
    switch self {
    case .word(let text), .literal(let text): text
    case .quotedName(let name): name.quotedIdentifier
    case .text(let text): text.quotedLiteral
    case .symbol(let symbol): String(symbol)
    }
  }
}

internal import SQLite

/// One piece of a statement that creates a table or an index.
enum SchemaToken: Hashable {
  /// A name or keyword without quotes.
  case word(String)
  /// A name in quotes of any kind, without them.
  case quotedName(String)
  /// A text literal, without its quotes.
  case text(String)
  /// A number or a blob literal, as written.
  case literal(String)
  /// Any other character of ASCII, such as a bracket.
  case symbol(Character)

  /// Takes a statement of a file's schema apart.
  ///
  /// - Returns: `nil` for a statement with anything else in it.
  static func all(in sql: String) -> [SchemaToken]? {
    // What stands for bytes that are no text would be another name.
    guard !sql.unicodeScalars.contains("\u{FFFD}") else { return nil }
    var scanner = SchemaScanner(sql)
    var tokens: [SchemaToken] = []
    while scanner.skipSpace() {
      guard let token = scanner.next() else { return nil }
      tokens.append(token)
    }
    return scanner.isAtEnd ? tokens : nil
  }

  /// The word in capitals, if this is one without quotes.
  var keyword: String? {
    if case .word(let word) = self { word.uppercased() } else { nil }
  }

  /// What is a name when it stands where a name has to.
  var name: String? {
    switch self {
    case .word(let name), .quotedName(let name), .text(let name): name
    case .literal, .symbol: nil
    }
  }

  /// The token in SQL again.
  ///
  /// What is run is written from tokens, so that it is just what was looked at.
  var sql: String {
    switch self {
    case .word(let text), .literal(let text): text
    case .quotedName(let name): name.quotedIdentifier
    case .text(let text): text.quotedLiteral
    case .symbol(let symbol): String(symbol)
    }
  }
}

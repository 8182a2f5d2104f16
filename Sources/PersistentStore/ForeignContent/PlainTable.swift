internal import SQLite

/// A table of a stranger's file that can be made again without running anything of the stranger's.
///
/// The statement that created it is taken apart, and written again from the pieces. Whatever holds an expression is
/// refused: checks, computed columns and computed defaults. What is left only declares.
struct PlainTable {
  /// The pieces from the first bracket to the last.
  private let body: [SchemaToken]
  /// What follows, such as `STRICT`.
  private let options: [SchemaToken]

  init(_ sql: String) throws(UncopiedContent.Reason) {
    guard let tokens = SchemaToken.all(in: sql), tokens.count > 4, tokens[0].keyword == "CREATE",
      tokens[1].keyword == "TABLE", tokens[2].name != nil, tokens[3] == .symbol("("),
      let end = Self.end(of: tokens)
    else { throw .unreadableDefinition }
    body = Self.withTextDefaults(Array(tokens[3...end]))
    options = Array(tokens[(end + 1)...])
    guard options.allSatisfy({ ["STRICT", "WITHOUT", "ROWID"].contains($0.keyword ?? "") || $0 == .symbol(",") })
    else { throw .unreadableDefinition }
    try Self.requireDeclarations(body)
  }

  /// Whether rows have numbers of their own.
  var hasRowID: Bool { !options.contains { $0.keyword == "WITHOUT" } }

  /// Whether SQLite keeps the greatest number ever used.
  var isAutoincrementing: Bool { body.contains { $0.keyword == "AUTOINCREMENT" } }

  /// The statement that makes the table again.
  func createStatement(named name: String) -> String {
    let text = (body + options).map(\.sql).joined(separator: " ")
    return "CREATE TABLE main.\(name.quotedIdentifier) \(text)"
  }

  /// The place of the bracket that closes the one at place 3.
  private static func end(of tokens: [SchemaToken]) -> Int? {
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token == .symbol("(") { depth += 1 }
      guard token == .symbol(")") else { continue }
      depth -= 1
      if depth <= 0 { return depth == 0 ? index : nil }
    }
    return nil
  }

  /// SQLite once took a default in double quotes for text; here it would be an error.
  private static func withTextDefaults(_ tokens: [SchemaToken]) -> [SchemaToken] {
    tokens.enumerated().map { index, token in
      // The first token is a bracket.
      guard case .quotedName(let text) = token, tokens[index - 1].keyword == "DEFAULT" else { return token }
      return .text(text)
    }
  }

  private static func requireDeclarations(_ body: [SchemaToken]) throws(UncopiedContent.Reason) {
    for (token, next) in zip(body, body.dropFirst()) {
      if case .symbol(let symbol) = token, !"(),+-".contains(symbol) { throw .expression }
      switch token.keyword {
      case "CHECK", "GENERATED", "AS", "SELECT": throw .expression
      case "DEFAULT" where next == .symbol("("): throw .expression
      case "COLLATE" where !["BINARY", "NOCASE", "RTRIM"].contains(next.name?.uppercased() ?? ""): throw .collation
      default: break
      }
    }
  }
}

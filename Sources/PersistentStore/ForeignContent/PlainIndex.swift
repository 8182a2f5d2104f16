internal import SQLite

/// An index of a stranger's file that only sorts by columns.
struct PlainIndex {
  /// The name of the index.
  let name: String
  private let isUnique: Bool
  private let parts: [SchemaToken]

  init(_ sql: String) throws(UncopiedContent.Reason) {
    guard var tokens = SchemaToken.all(in: sql).map({ $0[...] }), tokens.popFirst()?.keyword == "CREATE" else {
      throw .unreadableDefinition
    }
    isUnique = tokens.first?.keyword == "UNIQUE"
    if isUnique { tokens.removeFirst() }
    guard tokens.popFirst()?.keyword == "INDEX", let name = tokens.popFirst()?.name,
      tokens.popFirst()?.keyword == "ON", tokens.popFirst()?.name != nil, tokens.first == .symbol("(")
    else { throw .unreadableDefinition }
    self.name = name
    parts = Array(tokens)
    try Self.requireColumns(parts)
  }

  /// The statement that makes the index again.
  func createStatement(on table: String) -> String {
    let unique = isUnique ? "UNIQUE " : ""
    let text = parts.map(\.sql).joined(separator: " ")
    return "CREATE \(unique)INDEX main.\(name.quotedIdentifier) ON \(table.quotedIdentifier) \(text)"
  }

  /// Checks that each part is a column, perhaps with a collation and a direction, and that nothing follows.
  private static func requireColumns(_ parts: [SchemaToken]) throws(UncopiedContent.Reason) {
    guard parts.count > 2, parts.last == .symbol(")") else { throw .expression }
    for part in parts.dropFirst().dropLast().split(separator: .symbol(","), omittingEmptySubsequences: false) {
      var rest = part
      switch rest.popFirst() {
      case .word, .quotedName: break
      default: throw .expression
      }
      if rest.first?.keyword == "COLLATE" {
        rest.removeFirst()
        guard let name = rest.popFirst()?.name?.uppercased(), ["BINARY", "NOCASE", "RTRIM"].contains(name) else {
          throw .collation
        }
      }
      if ["ASC", "DESC"].contains(rest.first?.keyword ?? "") { rest.removeFirst() }
      guard rest.isEmpty else { throw .expression }
    }
  }
}

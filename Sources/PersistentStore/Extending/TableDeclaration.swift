internal import SQLite

/// What a statement that creates a table declares, whatever the order of its columns.
///
/// A column that was added to a table stands at its end, where a fresh store has it in another place.
struct TableDeclaration: Hashable {
  private let beginning: [SchemaToken]
  private let parts: Set<[SchemaToken]>

  /// Takes a statement apart; `nil` for one that is more than a list in brackets.
  init?(_ sql: String) {
    guard let tokens = SchemaToken.all(in: sql), let start = tokens.firstIndex(of: .symbol("(")),
      tokens.last == .symbol(")")
    else { return nil }
    var parts: [[SchemaToken]] = [[]]
    var depth = 0
    for token in tokens[(start + 1)...].dropLast() {
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      guard depth >= 0 else { return nil }
      if token == .symbol(","), depth == 0 { parts.append([]) } else { parts[parts.count - 1].append(token) }
    }
    (beginning, self.parts) = (Array(tokens[..<start]), Set(parts))
    guard depth == 0, self.parts.count == parts.count else { return nil }
  }
}

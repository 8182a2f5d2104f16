internal import MigrationDiagnostics
internal import SQLiteDatabase

/// A table of a stranger's file that can be made again without running anything of the stranger's.
///
/// The statement that created it is taken apart, and written again from the pieces. Whatever holds an expression is
/// refused: checks, computed columns and computed defaults. What is left only declares.
struct PlainTable {
  /// The pieces from the first bracket to the last.
  private let body: [SchemaToken]
  /// What follows, such as `STRICT`.
  private let options: [SchemaToken]

  init(_ sql: String) throws(DroppedContent.Reason) {
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

  private static func requireDeclarations(_ body: [SchemaToken]) throws(DroppedContent.Reason) {
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

/// An index of a stranger's file that only sorts by columns.
struct PlainIndex {
  /// The name of the index.
  let name: String
  private let isUnique: Bool
  private let parts: [SchemaToken]

  init(_ sql: String) throws(DroppedContent.Reason) {
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
  private static func requireColumns(_ parts: [SchemaToken]) throws(DroppedContent.Reason) {
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

/// Tells by their names what tables are that a model does not ask for.
struct TableKinds {
  /// The names of virtual tables, as SQLite compares them.
  private let virtualTables: [[UInt8]]

  init(_ store: StoreReader) throws(MigrationError) {
    virtualTables = try reporting(path: store.file.path) {
      // A virtual table has no page of its own.
      let statement = try store.connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
      var names: [[UInt8]] = []
      while try statement.step() { names += [statement.text(0)?.sqlNameKey].compactMap { $0 } }
      return names
    }
  }

  subscript(table: String) -> StoreReader.ForeignContent.Kind {
    let key = table.sqlNameKey
    if Self.historyTables.contains(key) { return .persistentHistory }
    if key.starts(with: "ANSCK".sqlNameKey) { return .cloudKitMirror }
    // An R-tree keeps its data in three tables that are named after it.
    let isSpatial = ["_node", "_rowid", "_parent"].contains { suffix in
      key.starts(with: "Z_RT_".sqlNameKey) && String(decoding: key, as: UTF8.self).hasSuffix(suffix)
        && virtualTables.contains(Array(key.dropLast(suffix.utf8.count)))
    }
    return isSpatial ? .spatialIndex : .app
  }

  private static let historyTables = Set(["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].map(\.sqlNameKey))
}

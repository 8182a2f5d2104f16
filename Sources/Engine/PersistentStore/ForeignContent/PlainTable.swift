package import MigrationDiagnostics
internal import SQLiteDatabase

/// A table of an untrusted file that can be recreated without running anything from that file.
///
/// The statement that created it is parsed, and written again from its tokens. Anything with an expression is refused:
/// checks, computed columns and computed defaults. The rest only declares.
struct PlainTable {
  /// The tokens from the first parenthesis to the last.
  private let body: [SchemaToken]
  /// The tokens after that, such as `STRICT`.
  private let options: [SchemaToken]

  init(_ sql: String) throws(DroppedContent.Reason) {
    try self.init(sql) { $0 }
  }

  /// Reads only which columns the rows of a table have: without its rules, and without columns that are computed and not
  /// stored.
  init(storedColumnsOf sql: String) throws(DroppedContent.Reason) {
    try self.init(sql) { body in
      let parts = body.dropFirst().dropLast().topLevelParts.compactMap(Self.withoutExpressions)
      return [.symbol("(")] + parts.joined(separator: [.symbol(",")]) + [.symbol(")")]
    }
  }

  private init(_ sql: String, reducing reduce: ([SchemaToken]) -> [SchemaToken]) throws(DroppedContent.Reason) {
    guard let tokens = SchemaToken.all(in: sql), tokens.count > 4, tokens[0].keyword == "CREATE",
      tokens[1].keyword == "TABLE", tokens[2].name != nil, tokens[3] == .symbol("("),
      let end = Self.end(of: tokens)
    else { throw .unreadableDefinition }
    body = reduce(Self.withTextDefaults(Array(tokens[3...end])))
    options = Array(tokens[(end + 1)...])
    guard options.allSatisfy({ ["STRICT", "WITHOUT", "ROWID"].contains($0.keyword ?? "") || $0 == .symbol(",") })
    else { throw .unreadableDefinition }
    try Self.requireDeclarations(body)
  }

  /// Whether rows have row ids.
  var hasRowID: Bool { !options.contains { $0.keyword == "WITHOUT" } }

  /// Whether SQLite keeps the greatest row id ever used.
  var isAutoincrementing: Bool { body.contains { $0.keyword == "AUTOINCREMENT" } }

  /// The statement that recreates the table.
  func createStatement(named name: String) -> String {
    let text = (body + options).map(\.sql).joined(separator: " ")
    return "CREATE TABLE main.\(name.quotedIdentifier) \(text)"
  }

  /// The index of the parenthesis that closes the one at index 3.
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

  /// Converts defaults in double quotes to text, as SQLite once did; here they would be errors.
  private static func withTextDefaults(_ tokens: [SchemaToken]) -> [SchemaToken] {
    tokens.enumerated().map { index, token in
      // The first token is a parenthesis.
      guard case .quotedName(let text) = token, tokens[index - 1].keyword == "DEFAULT" else { return token }
      return .text(text)
    }
  }

  /// A column or a rule of a table without expressions and foreign collations; `nil` if nothing is left that rows have.
  private static func withoutExpressions(_ part: ArraySlice<SchemaToken>) -> [SchemaToken]? {
    var (kept, rest) = ([SchemaToken](), part)
    while let token = rest.popFirst() {
      switch token.keyword {
      case "CONSTRAINT": rest = rest.dropFirst()
      case "CHECK": rest.dropGroup()
      // They may be about a column that is not stored.
      case "UNIQUE" where kept.isEmpty, "FOREIGN" where kept.isEmpty: return nil
      case "GENERATED" where !kept.isEmpty && rest.first?.keyword == "ALWAYS": rest = rest.dropFirst()
      case "AS":
        rest.dropGroup()
        guard rest.popFirst()?.keyword == "STORED" else { return nil }
      case "DEFAULT" where rest.first == .symbol("("):
        rest.dropGroup()
        // That there is one is all that matters.
        kept += [token, .literal("1")]
      case "COLLATE": rest = rest.dropFirst()
      default: kept.append(token)
      }
    }
    return kept.isEmpty ? nil : kept
  }

  private static func requireDeclarations(_ body: [SchemaToken]) throws(DroppedContent.Reason) {
    for (token, next) in zip(body, body.dropFirst()) {
      if case .symbol(let symbol) = token, !"(),+-".contains(symbol) { throw .expression }
      switch token.keyword {
      case "CHECK", "AS", "SELECT": throw .expression
      case "GENERATED" where next.keyword == "ALWAYS": throw .expression
      case "DEFAULT" where next == .symbol("("): throw .expression
      case "COLLATE" where !["BINARY", "NOCASE", "RTRIM"].contains(next.name?.uppercased() ?? ""): throw .collation
      default: break
      }
    }
  }
}

extension ArraySlice<SchemaToken> {
  /// The parts between commas that are not in parentheses.
  fileprivate var topLevelParts: [ArraySlice<SchemaToken>] {
    var depth = 0
    return split(omittingEmptySubsequences: false) { token in
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      return depth == 0 && token == .symbol(",")
    }
  }

  /// Removes what is in parentheses at the beginning.
  fileprivate mutating func dropGroup() {
    guard first == .symbol("(") else { return }
    var depth = 0
    while let token = popFirst() {
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      if depth == 0 { return }
    }
  }
}

/// An index of an untrusted file that only sorts by columns.
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

  /// The statement that recreates the index.
  func createStatement(on table: String) -> String {
    let unique = isUnique ? "UNIQUE " : ""
    let text = parts.map(\.sql).joined(separator: " ")
    return "CREATE \(unique)INDEX main.\(name.quotedIdentifier) ON \(table.quotedIdentifier) \(text)"
  }

  /// The columns in their order, all ascending; `nil` if one is not.
  var columns: [String]? {
    let columns = parts.dropFirst().dropLast().split(separator: .symbol(",")).map { part in
      part.dropFirst().contains { $0.keyword == "DESC" } ? nil : part.first?.name
    }
    return columns.contains(nil) ? nil : columns.compactMap(\.self)
  }

  /// Checks that each part is a column, possibly with a collation and a direction, and that nothing follows.
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

/// Classifies tables that a model does not require by their names.
package struct TableKinds {
  /// The names of virtual tables, as SQLite compares them.
  private let virtualTables: Set<[UInt8]>

  package init(_ store: StoreReader) throws(MigrationError) {
    virtualTables = try reporting(path: store.file.path) {
      Set(try store.connection.virtualTables(in: "main").map(\.sqlNameKey))
    }
  }

  package subscript(table: String) -> StoreReader.ForeignContent.Kind {
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

  /// Whether a table is one of persistent history.
  package static func isHistory(_ table: String) -> Bool { historyTables.contains(table.sqlNameKey) }

  private static let historyTables = Set(["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].map(\.sqlNameKey))
}

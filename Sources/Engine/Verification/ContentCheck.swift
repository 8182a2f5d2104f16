internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Checks that a store to which rows were added still has everything else that it had: its declarations, the app's own
/// tables, and the values of columns that are not in the model.
package struct ContentCheck {
  private let old: StoreSide
  private let new: StoreSide
  /// The contents that have been reported as left behind.
  private let explained: Set<String>
  private let log: DifferenceLog

  package init(old: StoreSide, new: StoreSide, explained: Set<String>, log: DifferenceLog) {
    (self.old, self.new, self.explained, self.log) = (old, new, explained, log)
  }

  /// Compares everything but the rows of the model.
  ///
  /// - Returns: Whether the tables of the model exist, so that their rows can be compared.
  package func run() throws -> Bool {
    let hasTables = try checkDeclarations()
    guard hasTables else { return false }
    try TableCheck(old: old, new: new, explained: explained, keepsAll: true, log: log).checkAppTables()
    try checkColumns()
    return true
  }

  /// The entry of a table, index, view or trigger in `sqlite_schema`.
  private struct Declaration {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  /// The declarations by type and name; a trigger may have the name of a table.
  private func declarations(in side: StoreSide) throws -> [[UInt8]: Declaration] {
    let statement = try side.connection.prepare(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      """)
    var found: [[UInt8]: Declaration] = [:]
    while try statement.step() {
      let (type, name) = (statement.text(0) ?? "", statement.text(1) ?? "")
      found[Array("\(type) \(name)".utf8)] = Declaration(
        type: type, name: name, table: statement.text(2) ?? "", sql: statement.text(3) ?? "")
    }
    return found
  }

  /// Each declaration is the one that was there, or what a new store of the model has.
  private func checkDeclarations() throws -> Bool {
    let (before, after) = (try declarations(in: old), try declarations(in: new))
    let expected = Dictionary(
      StoreCheck.statements(of: new.schema).map { (StoreCheck.key(of: $0), $0) },
      uniquingKeysWith: { first, _ in first })
    var hasTables = true
    for (key, sql) in expected where after[key] == nil && (before[key] != nil || sql.hasPrefix("CREATE TABLE")) {
      if sql.hasPrefix("CREATE TABLE") { hasTables = false }
      try log.add(.schema) { ($0.entity, $0.expected) = (StoreCheck.name(in: sql), sql) }
    }
    for (key, found) in after.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let isKnown = before[key].map { $0.sql.utf8.elementsEqual(found.sql.utf8) } ?? false
      if isKnown || expected[key]?.utf8.elementsEqual(found.sql.utf8) == true { continue }
      // The app's own tables are compared by what SQLite makes of their declarations.
      if before[key] != nil, found.type == "table", expected[key] == nil { continue }
      if before[key] != nil, found.type == "index", expected[key] == nil, !isOfModel(found.table) { continue }
      try log.add(.schema) {
        ($0.entity, $0.expected, $0.found) = (found.name, before[key]?.sql ?? expected[key], found.sql)
      }
    }
    for (key, lost) in before.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
    where after[key] == nil && expected[key] == nil && !isExplained(lost) {
      try log.add(.schema) { ($0.entity, $0.expected) = (lost.name, lost.sql) }
    }
    return hasTables
  }

  private func isOfModel(_ table: String) -> Bool {
    new.schema.tables.contains { $0.name == table } || new.schema.joinTables.contains { $0.name == table }
  }

  private func isExplained(_ lost: Declaration) -> Bool {
    // A trigger that shares its name with something else is reported as "trigger X".
    explained.contains(lost.name) || explained.contains("\(lost.type) \(lost.name)") || explained.contains(lost.table)
  }

  /// Compares the values of the columns that only the app knows, row by row.
  private func checkColumns() throws {
    for content in try old.reader.foreignContent(besides: old.schema)
    where content.kind == .column && !explained.contains(content.name) {
      guard let table = old.schema.tables.first(where: { content.name.hasPrefix("\($0.name).") })?.name else {
        continue
      }
      let column = String(content.name.dropFirst(table.count + 1))
      let (name, key) = (table.quotedIdentifier, column.quotedIdentifier)
      let before = try old.connection.prepare("SELECT Z_PK, \(key) FROM \(name) ORDER BY Z_PK")
      guard let after = try? new.connection.prepare("SELECT \(key) FROM \(name) WHERE Z_PK = ?") else {
        try log.add(.schema) { ($0.entity, $0.expected) = (table, "a column \(column)") }
        continue
      }
      while try before.step() {
        try after.bind(before.integer(0), at: 1)
        let isThere = try after.step()
        if !isThere || before.storageClass(1) != after.storageClass(0) || !StoredValue.areEqual(before, 1, after, 0) {
          try log.add(.value) {
            ($0.entity, $0.row, $0.property) = (table, before.integer(0), column)
            ($0.expected, $0.found) = (StoredValue.text(before, 1), isThere ? StoredValue.text(after, 0) : nil)
          }
        }
        after.reset()
      }
    }
  }
}

internal import DataModel
internal import SQLiteDatabase

/// Finds what may be in an app's way although its store has all that its model asks for.
///
/// Nothing of this can be judged without the app, so it is no reason to call the store damaged.
struct LayoutRemarks {
  private let schema: StoreSchema
  private let store: StoreReader

  init(_ schema: StoreSchema, _ store: StoreReader) {
    (self.schema, self.store) = (schema, store)
  }

  /// The remarks, as sentences.
  func all() throws(SQLiteError) -> [String] {
    try triggers().map { trigger in
      "the trigger '\(trigger.name)' can refuse changes of '\(trigger.table)' in '\(store.file.path)' (RAISE), so the app "
        + "may fail to save. If the app does not need it, remove it in the program 'sqlite3', with: \(trigger.removal)"
    }
      + callers().map { trigger, function in
        "the trigger '\(trigger.name)' of '\(trigger.table)' in '\(store.file.path)' calls the function '\(function)', which "
          + "SQLite does not have, so the app fails to save unless it adds that function. If the app does not need the trigger, "
          + "remove it in the program 'sqlite3', with: \(trigger.removal)"
      }
      + keys().map { table, least in
        "the table '\(table)' in '\(store.file.path)' has a row with the key \(least), and Core Data gives keys from 1 "
          + "on, so another program has added it. Check in the app that it is shown."
      }
  }

  /// The same as faults; none of them can be mended without the app.
  func faults() throws(SQLiteError) -> [SchemaFault] {
    try triggers().map { trigger in
      SchemaFault(
        .refusingTrigger, table: trigger.table, object: trigger.name,
        fact: "its trigger '\(trigger.name)' can refuse changes of '\(trigger.table)' (RAISE)", remedy: trigger.removal,
        isLossless: false)
    }
      + callers().map { trigger, function in
        SchemaFault(
          .refusingTrigger, table: trigger.table, object: trigger.name,
          fact: "its trigger '\(trigger.name)' of '\(trigger.table)' calls the function '\(function)', which "
            + "SQLite does not have", remedy: trigger.removal, isLossless: false)
      }
      + keys().map { table, least in
        SchemaFault(
          .foreignKeyValue, table: table,
          fact: "its table '\(table)' has a row with the key \(least), and Core Data gives keys from 1 on", remedy: nil)
      }
  }

  private struct Trigger {
    let name: String
    let table: String
    let sql: String
    var removal: String { "DROP TRIGGER \(name.quotedIdentifier);" }
  }

  /// The triggers of the app's own that can refuse rows.
  private func triggers() throws(SQLiteError) -> [Trigger] { try ownTriggers().filter { Self.raises($0.sql) } }

  /// The triggers of the app's own that call a function that only the app can have, with one such function.
  private func callers() throws(SQLiteError) -> [(trigger: Trigger, function: String)] {
    let triggers = try ownTriggers()
    guard !triggers.isEmpty else { return [] }
    let empty = try emptyTables()
    var found: [(trigger: Trigger, function: String)] = []
    for trigger in triggers {
      try empty.execute("SAVEPOINT one")
      if let function = try missingFunction(in: trigger, empty) { found.append((trigger, function)) }
      try empty.execute("ROLLBACK TO one; RELEASE one")
    }
    return found
  }

  /// The tables of the store, without rows and rules, in a database where triggers can be compiled without being run.
  private func emptyTables() throws(SQLiteError) -> Connection {
    let empty = try Connection(path: "", access: .temporary)
    empty.compileTriggers()
    let columns = try store.connection.prepare(
      """
      SELECT t.name, group_concat('"' || replace(c.name, '"', '""') || '"') FROM main.sqlite_schema t,
        pragma_table_info(t.name, 'main') c
      WHERE t.type = 'table' AND t.rootpage > 0 AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' GROUP BY t.name
      """)
    while try columns.step() {
      guard let name = columns.text(0)?.quotedIdentifier, let list = columns.text(1) else { continue }
      try empty.execute("CREATE TABLE \(name) (\(list))")
    }
    return empty
  }

  /// A function that a trigger would call, and that is not there.
  ///
  /// Statements are compiled, together with the trigger that they would run, and are not run.
  private func missingFunction(in trigger: Trigger, _ empty: Connection) throws(SQLiteError) -> String? {
    let name = trigger.table.quotedIdentifier
    do throws(SQLiteError) {
      // Only the first statement of the text is compiled, as when SQLite reads the schema.
      try empty.prepare(trigger.sql).run()
    } catch {
      return nil
    }
    let columns = try empty.prepare("PRAGMA table_info(\(name))")
    var changes: [String] = []
    while try columns.step() {
      if let column = columns.text(1)?.quotedIdentifier { changes.append("\(column) = \(column)") }
    }
    for sql in [
      "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(changes.joined(separator: ", "))",
      "DELETE FROM \(name)",
    ] {
      do throws(SQLiteError) {
        _ = try empty.prepare(sql)
      } catch {
        // Core Data's own functions are not here either. Any other error has another reason.
        if let (function, isCollation) = error.missingAppCode, !isCollation, !function.hasPrefix("NSCoreData") {
          return function
        }
      }
    }
    return nil
  }

  /// The triggers of the app's own on tables of Core Data's.
  private func ownTriggers() throws(SQLiteError) -> [Trigger] {
    let tables = schema.tables.map(\.name) + schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    let list = tables.map(\.quotedLiteral).joined(separator: ", ")
    let found = try store.connection.prepare(
      """
      SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN (\(list))
      ORDER BY name
      """)
    var triggers: [Trigger] = []
    while try found.step() {
      let trigger = Trigger(name: found.text(0) ?? "", table: found.text(1) ?? "", sql: found.text(2) ?? "")
      if !CoreDataName.isTrigger(trigger.name) { triggers.append(trigger) }
    }
    return triggers
  }

  /// Whether a trigger can end a statement with an error, or pass over a row.
  private static func raises(_ sql: String) -> Bool {
    let sql = sql.uppercased()
    return sql.ranges(of: "RAISE").contains { sql[$0.upperBound...].first { !$0.isWhitespace } == "(" }
  }

  /// The tables with keys that Core Data does not give, each with the least one.
  private func keys() throws(SQLiteError) -> [(table: String, least: Int64)] {
    var found: [(table: String, least: Int64)] = []
    for table in schema.tables {
      // One step in the table's tree.
      let least = try store.connection.integer("SELECT min(Z_PK) FROM \(table.name.quotedIdentifier)")
      if let least, least < 1 { found.append((table.name, least)) }
    }
    return found
  }
}

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
      + keys().map { table, least in
        SchemaFault(
          .foreignKeyValue, table: table,
          fact: "its table '\(table)' has a row with the key \(least), and Core Data gives keys from 1 on", remedy: nil)
      }
  }

  private struct Trigger {
    let name: String
    let table: String
    var removal: String { "DROP TRIGGER \(name.quotedIdentifier);" }
  }

  /// The triggers of the app's own that can refuse rows.
  private func triggers() throws(SQLiteError) -> [Trigger] {
    let tables = schema.tables.map(\.name) + schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    let list = tables.map(\.quotedLiteral).joined(separator: ", ")
    let found = try store.connection.prepare(
      """
      SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN (\(list))
      ORDER BY name
      """)
    var triggers: [Trigger] = []
    while try found.step() {
      let trigger = Trigger(name: found.text(0) ?? "", table: found.text(1) ?? "")
      guard !CoreDataName.isTrigger(trigger.name), Self.raises(found.text(2) ?? "") else { continue }
      triggers.append(trigger)
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

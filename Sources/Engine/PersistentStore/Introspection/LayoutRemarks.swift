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

  func all() throws(SQLiteError) -> [String] { try triggers() + keys() }

  /// The triggers of the app's own that can refuse rows.
  private func triggers() throws(SQLiteError) -> [String] {
    let tables = schema.tables.map(\.name) + schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    let list = tables.map(\.quotedLiteral).joined(separator: ", ")
    let found = try store.connection.prepare(
      """
      SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN (\(list))
      ORDER BY name
      """)
    var remarks: [String] = []
    while try found.step() {
      let (name, table, sql) = (found.text(0) ?? "", found.text(1) ?? "", found.text(2) ?? "")
      guard !CoreDataName.isTrigger(name), Self.raises(sql) else { continue }
      remarks.append(
        "the trigger '\(name)' can refuse changes of '\(table)' in '\(store.file.path)' (RAISE), so the app may fail to "
          + "save. If the app does not need it, remove it in the program 'sqlite3', with: DROP TRIGGER "
          + "\(name.quotedIdentifier);")
    }
    return remarks
  }

  /// Whether a trigger can end a statement with an error, or pass over a row.
  private static func raises(_ sql: String) -> Bool {
    let sql = sql.uppercased()
    return sql.ranges(of: "RAISE").contains { sql[$0.upperBound...].first { !$0.isWhitespace } == "(" }
  }

  /// The tables with keys that Core Data does not give.
  private func keys() throws(SQLiteError) -> [String] {
    var remarks: [String] = []
    for table in schema.tables {
      // One step in the table's tree.
      let least = try store.connection.integer("SELECT min(Z_PK) FROM \(table.name.quotedIdentifier)")
      guard let least, least < 1 else { continue }
      remarks.append(
        "the table '\(table.name)' in '\(store.file.path)' has a row with the key \(least), and Core Data gives keys from 1 "
          + "on, so another program has added it. Check in the app that it is shown.")
    }
    return remarks
  }
}

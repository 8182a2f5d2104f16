internal import SQLite

/// Compares what a file declares with what a fresh store of its model would.
struct FileDeclarations {
  private var tables: [String: TableDeclaration] = [:]
  /// What has to be there word for word.
  private var statements: Set<String>
  private let joinTables: Set<[UInt8]>
  private let appTables: Set<[UInt8]>
  private let reserved: Set<[UInt8]>

  /// Prepares to compare.
  ///
  /// - Parameters:
  ///   - columns: What the store lacks; its layout is the old one.
  ///   - appTables: The app's own tables, which may be there if they would be carried over as they are.
  init(_ columns: AddedColumns, appTables: [String]) {
    let schema = columns.source
    for table in schema.tables { tables[table.name] = TableDeclaration(table.createStatement) }
    statements = Set(
      schema.joinTables.map(\.createStatement) + StoreSchema.fixedTableStatements + schema.indexStatements)
    joinTables = Set(schema.joinTables.map(\.name.sqlNameKey))
    self.appTables = Set(appTables.map(\.sqlNameKey))
    reserved = Set(columns.destination.objectNames.map(\.sqlNameKey))
  }

  /// The first name of something that is only in the file or only in the model; `nil` where there is none.
  mutating func firstDifference(in connection: Connection) throws -> String? {
    let statement = try connection.prepare("SELECT type, name, tbl_name, rootpage > 0, sql FROM main.sqlite_schema")
    while try statement.step() {
      let (type, name) = (statement.text(0) ?? "", statement.text(1) ?? "")
      let sql = statement.text(4)
      if let sql, statements.remove(sql) != nil { continue }
      if type == "table", let sql, let table = tables[name], table == TableDeclaration(sql) {
        tables[name] = nil
        continue
      }
      let hasPages = statement.integer(3) == 1
      if hasPages, isKept(type, name, table: (statement.text(2) ?? "").sqlNameKey, sql) { continue }
      return name
    }
    return tables.keys.min() ?? statements.min()
  }

  /// Whether something that the model knows nothing of would be made again just so.
  private func isKept(_ type: String, _ name: String, table: [UInt8], _ sql: String?) -> Bool {
    switch type {
    case "index":
      // The index of a key has no statement.
      guard let sql else { return joinTables.contains(table) || appTables.contains(table) }
      return appTables.contains(table) && !reserved.contains(name.sqlNameKey) && (try? PlainIndex(sql)) != nil
    case "table":
      // SQLite's own: how far keys have been used, and what ANALYZE has counted.
      if ["sqlite_sequence", "sqlite_stat1", "sqlite_stat4"].contains(name) { return true }
      guard let sql, appTables.contains(name.sqlNameKey) else { return false }
      return !reserved.contains(name.sqlNameKey) && (try? PlainTable(sql)) != nil
    default: return false
    }
  }
}

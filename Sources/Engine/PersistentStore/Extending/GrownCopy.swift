package import MigrationDiagnostics
internal import SQLiteDatabase

// A store that only gets more rows goes on as a copy of its file: the app's own columns, indexes, triggers, views and
// tables, persistent history and mirrors come along, whatever they are.

extension StoreReader {
  /// Copies the whole store to an empty file, without free pages.
  package func copy(to path: String) throws(MigrationError) {
    try reporting(path: file.path) { try checkingPages(for: .tablesAndIndexes) { try connection.copy(toFile: path) } }
  }

  /// The first reason why rows cannot be added to a copy of the store; `nil` if they can.
  ///
  /// An app's own column may require a value, and its own index a function or collation that only the app has.
  ///
  /// - Parameter schema: The layout of the store.
  package func obstacle(toRowsOf schema: StoreSchema) throws(MigrationError) -> ExtensionObstacle? {
    let tables = schema.tables.map { ($0.name, FoundColumns.fixed + $0.columns.map(\.name)) }
    let joinTables = schema.joinTables.map { ($0.name, $0.keyColumns + $0.orderColumns) }
    return try reporting(path: file.path) {
      for (table, columns) in tables + joinTables {
        if let obstacle = try obstacle(toRowsIn: table, columns) { return obstacle }
      }
      return nil
    }
  }

  private func obstacle(toRowsIn table: String, _ columns: [String]) throws(SQLiteError) -> ExtensionObstacle? {
    let known = Set(columns.map(\.sqlNameKey))
    let found = try connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    while try found.step() {
      let name = found.text(1) ?? ""
      guard found.integer(3) == 1, found.isNull(4), !known.contains(name.sqlNameKey) else { continue }
      return .rows("'\(table).\(name)' requires a value, which only the app has")
    }
    if let index = try connection.appIndexes(ofTables: [table]).first {
      return .rows("'\(table)' can only be written by the app: '\(index)' needs a collation or function of its own")
    }
    do throws(SQLiteError) {
      // Only compiled: that needs everything that the indexes and checks of the table name.
      _ = try connection.prepare("INSERT INTO main.\(table.quotedIdentifier) DEFAULT VALUES")
      return nil
    } catch  where error.code == SQLiteError.general {
      return .rows("'\(table)' can only be written by the app: \(error.message)")
    }
  }

  /// The triggers of some tables, none of which this program runs.
  package func triggers(ofTables tables: [String]) throws(MigrationError) -> [String] {
    let list = tables.map(\.quotedLiteral).joined(separator: ", ")
    return try reporting(path: file.path) {
      try connection.strings(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN (\(list)) ORDER BY name")
    }
  }
}

extension StoreWriter {
  /// Continues with a copy of a store, to which rows are added.
  ///
  /// Nothing else in the file changes, except the greatest keys.
  package convenience init(growingCopyAt path: String, schema: StoreSchema) throws(MigrationError) {
    try self.init(copyAt: path, schema: schema, keepsFile: true)
  }

  /// Notes the greatest keys of the root entities, where they are greater than before.
  func raisePrimaryKeys(_ greatestKeys: [String: Int64]) throws {
    for name in schema.entityNames where schema.model.entity(named: name)?.superentityName == nil {
      guard let table = schema.table(forEntityNamed: name) else { continue }
      let inUse = try connection.integer("SELECT max(Z_PK) FROM main.\(table.name.quotedIdentifier)") ?? 0
      let greatest = max(inUse, greatestKeys[name] ?? 0)
      let row = "Z_ENT = \(schema.entityNumber(name))"
      guard try connection.integer("SELECT 1 FROM main.Z_PRIMARYKEY WHERE \(row) LIMIT 1") != nil else {
        try write(
          PrimaryKeyRow(
            entityNumber: Int64(schema.entityNumber(name)), entityName: name, superentityNumber: 0,
            greatestKey: greatest))
        continue
      }
      try connection.execute(
        "UPDATE main.Z_PRIMARYKEY SET Z_MAX = \(greatest) WHERE \(row) AND coalesce(Z_MAX, 0) < \(greatest)")
    }
  }
}

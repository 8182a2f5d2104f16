internal import DataModel
internal import Diagnostics
internal import SQLite

extension StoreSchema {
  /// The names of all tables and indexes that a store of this layout has.
  var objectNames: [String] {
    tables.map(\.name) + joinTables.map(\.name) + Self.fixedTableNames + indexStatements.compactMap(Self.indexName)
  }

  /// Checks before any work that SQLite can hold a store of this layout.
  ///
  /// - Throws: `MigrationError` for a table with too many columns, a name that SQLite cannot hold, or two tables or
  ///   indexes of one name.
  func requireWritable(path: String) throws(MigrationError) {
    for table in tables {
      let root = table.entityNames.first ?? ""
      let count = table.columns.count + FoundColumns.fixed.count
      guard count <= Self.columnLimit else {
        throw Self.fault(path, root, "its table would have \(count) columns, and SQLite's limit is \(Self.columnLimit)")
      }
      for name in [table.name] + table.columns.map(\.name) { try Self.requireUsable(name, path, root) }
    }
    for table in joinTables { try Self.requireUsable(table.name, path, table.naming.entityName) }
    var names: Set<[UInt8]> = []
    for name in objectNames {
      try Self.requireUsable(name, path, nil)
      guard names.insert(name.sqlNameKey).inserted else {
        throw Self.fault(path, nil, "the model asks for two tables or indexes named '\(name)'")
      }
    }
  }

  /// `SQLITE_MAX_COLUMN` as SQLite is built by default.
  private static let columnLimit = 2000
  /// No limit of SQLite's: longer names come from damaged or hostile models only.
  private static let nameLimit = 64 << 10

  private static func requireUsable(_ name: String, _ path: String, _ entity: String?) throws(MigrationError) {
    guard name.utf8.count <= nameLimit else {
      throw fault(path, entity, "a name begins with '\(name.prefix(40))' and has \(name.utf8.count) bytes")
    }
    guard !name.utf8.contains(0) else { throw fault(path, entity, "a name contains a NUL") }
    guard !name.sqlNameKey.starts(with: "sqlite_".sqlNameKey) else {
      throw fault(path, entity, "the name '\(name)' belongs to SQLite")
    }
  }

  private static func indexName(_ statement: String) -> String? {
    try? PlainIndex(statement).name
  }

  private static func fault(_ path: String, _ entity: String?, _ detail: String) -> MigrationError {
    MigrationError(.migrationFailed, MigrationError.Subject(path: path, entity: entity), detail: detail)
  }
}

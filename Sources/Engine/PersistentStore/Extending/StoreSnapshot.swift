package import MigrationDiagnostics
package import SQLiteDatabase

/// A state of a store that two connections see and that does not change until it is released.
///
/// The connection of the store's reader is used to copy the file, the other one to check the rows meanwhile. Both hold a
/// lock that keeps other programs from writing to the file itself, even from a write-ahead log.
package final class StoreSnapshot {
  /// The connection for checking the rows.
  package let connection: Connection
  private let source: StoreReader
  private let status: FileStatus

  /// Holds the current state of a store.
  package init(_ source: StoreReader) throws(MigrationError) {
    self.source = source
    connection = try source.openConnection().connection
    try reporting(path: source.file.path) { [connection] in
      for reader in [source.connection, connection] {
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM sqlite_schema")
      }
    }
    status = try Self.status(of: source)
  }

  private static func status(of source: StoreReader) throws(MigrationError) -> FileStatus {
    guard let status = FileStatus(source.file.resolvedPath) else {
      throw FileSystem.failure(.unreadable, source.file.path)
    }
    return status
  }

  /// The first difference between the file, apart from its rows, and a new store of its model.
  ///
  /// - Parameters:
  ///   - columns: The columns that the store lacks.
  ///   - appTables: The tables of the app's own that are carried over.
  package func obstacle(
    to columns: AddedColumns, appTables: [String]
  ) throws(MigrationError) -> ExtensionObstacle? {
    guard !source.isImmutable else { return .noLocks }
    return try reporting(path: source.file.path) {
      guard try isWhole() else { return .changesBeside }
      var declarations = FileDeclarations(columns, appTables: appTables)
      if let name = try declarations.firstDifference(in: connection) { return .otherDeclaration(name) }
      guard Set(source.primaryKeys.map(EntityRow.init)) == EntityRow.all(columns.source),
        source.primaryKeys.count == columns.source.entityNames.count
      else { return .otherNumbers }
      let (free, all) = (try connection.integer("PRAGMA freelist_count"), try connection.integer("PRAGMA page_count"))
      return (free ?? 0) > (all ?? 0) / 4 ? .freeSpace : nil
    }
  }

  /// Whether the file contains the whole store.
  ///
  /// If the log is empty after both connections have begun, they read nothing from it, and what others add to it is not moved
  /// into the file while they read. Without a log, readers keep others from writing to the file.
  private func isWhole() throws -> Bool {
    guard try connection.text("PRAGMA main.journal_mode") == "wal" else { return true }
    return FileStatus(source.file.resolvedPath + "-wal")?.size == 0
  }

  /// Starts copying the file.
  ///
  /// - Parameters:
  ///   - path: A file that is empty or does not exist.
  ///   - isCancelled: Called now and then, on another thread.
  package func copy(to path: String, isCancelled: @escaping @Sendable () -> Bool) throws(MigrationError) -> StoreCopy {
    let (file, size) = try reporting(path: source.file.path) {
      let pages = try source.connection.integer("PRAGMA page_count") ?? 0
      return (try DatabaseFile(source.connection), pages.multipliedReportingOverflow(by: source.layout.pageSize))
    }
    return StoreCopy(
      file, size: size.overflow ? .max : size.partialValue, named: source.file.path, to: path, isCancelled: isCancelled)
  }

  /// Whether the file has not changed.
  ///
  /// Programs that do not use SQLite ignore its locks.
  package func isUnchanged() throws(MigrationError) -> Bool {
    let now = try Self.status(of: source)
    return now.isSameFile(as: source.file.status) && now.size == status.size && now.changeTime == status.changeTime
  }

  /// Lets others write to the store again.
  package func release() throws(MigrationError) {
    try reporting(path: source.file.path) {
      try connection.close()
      try source.connection.execute("COMMIT")
    }
  }
}

/// A row of `Z_PRIMARYKEY` without its greatest key.
private struct EntityRow: Hashable {
  let number: Int64
  let superentityNumber: Int64
  let name: String

  init(_ row: PrimaryKeyRow) {
    (number, superentityNumber, name) = (row.entityNumber, row.superentityNumber, row.entityName)
  }

  private init(_ name: String, _ schema: StoreSchema) {
    self.name = name
    number = Int64(schema.entityNumber(name))
    superentityNumber = Int64(schema.model.entity(named: name)?.superentityName.map(schema.entityNumber) ?? 0)
  }

  static func all(_ schema: StoreSchema) -> Set<EntityRow> {
    Set(schema.entityNames.map { EntityRow($0, schema) })
  }
}

/// Compares the schema of a file with that of a new store of its model.
private struct FileDeclarations {
  private var tables: [String: TableDeclaration] = [:]
  /// The statements that must match word for word.
  private var statements: Set<String>
  private let joinTables: Set<[UInt8]>
  private let appTables: Set<[UInt8]>
  private let reserved: Set<[UInt8]>

  /// Prepares to compare.
  ///
  /// - Parameters:
  ///   - columns: The columns that the store lacks; it has the old layout.
  ///   - appTables: The app's own tables, which are allowed if they would be carried over unchanged.
  init(_ columns: AddedColumns, appTables: [String]) {
    let schema = columns.source
    for table in schema.tables { tables[table.name] = TableDeclaration(table.createStatement) }
    statements = Set(
      schema.joinTables.map(\.createStatement) + StoreSchema.fixedTableStatements + schema.indexStatements)
    joinTables = Set(schema.joinTables.map(\.name.sqlNameKey))
    self.appTables = Set(appTables.map(\.sqlNameKey))
    reserved = Set(columns.destination.objectNames.map(\.sqlNameKey))
  }

  /// The name of the first object that is only in the file or only in the model; `nil` if there is none.
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

  /// Whether an object that the model does not know would be recreated unchanged.
  private func isKept(_ type: String, _ name: String, table: [UInt8], _ sql: String?) -> Bool {
    switch type {
    case "index":
      // The index of a key has no statement.
      guard let sql else { return joinTables.contains(table) || appTables.contains(table) }
      return appTables.contains(table) && !reserved.contains(name.sqlNameKey) && (try? PlainIndex(sql)) != nil
    case "table":
      // SQLite's own: the greatest row ids, and the statistics of ANALYZE.
      if ["sqlite_sequence", "sqlite_stat1", "sqlite_stat4"].contains(name) { return true }
      guard let sql, appTables.contains(name.sqlNameKey) else { return false }
      return !reserved.contains(name.sqlNameKey) && (try? PlainTable(sql)) != nil
    default: return false
    }
  }
}

/// The declaration of a table, whatever the order of its columns.
///
/// A column that was added to a table is at its end; in a new store it is in another place.
private struct TableDeclaration: Hashable {
  private let beginning: [SchemaToken]
  private let parts: Set<[SchemaToken]>

  /// Parses a statement; `nil` if it is more than a list in parentheses.
  init?(_ sql: String) {
    guard let tokens = SchemaToken.all(in: sql), let start = tokens.firstIndex(of: .symbol("(")),
      tokens.last == .symbol(")")
    else { return nil }
    // Core Data's columns have no parentheses; a comma inside some would only split a column that a new store never has.
    let parts = tokens[(start + 1)...].dropLast().split(separator: .symbol(","), omittingEmptySubsequences: false)
    (beginning, self.parts) = (Array(tokens[..<start]), Set(parts.map(Array.init)))
    guard self.parts.count == parts.count else { return nil }
  }
}

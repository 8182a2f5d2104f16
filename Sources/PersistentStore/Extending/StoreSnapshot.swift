package import MigrationDiagnostics
package import SQLiteDatabase

/// A state of a store that nobody changes until it is released, seen by two connections.
///
/// One is that of the store's reader, by way of which the file can be copied; the other is for looking at the rows
/// meanwhile. Both hold a lock that no program gets past which wants to write to the file itself, be it what is in a
/// write-ahead log.
package final class StoreSnapshot {
  /// The connection for looking at the rows.
  package let connection: Connection
  private let source: StoreReader
  private let status: FileStatus

  /// Takes hold of the state that a store has now.
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

  /// What in the file, apart from its rows, is not as in a fresh store of its model.
  ///
  /// - Parameters:
  ///   - columns: What the store lacks.
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

  /// Whether the file has all that is in the store.
  ///
  /// A log that is empty after both connections have begun holds nothing that they read; and what others add to it is not
  /// folded into the file while they read that. Without a log, whoever reads keeps others from writing to the file.
  private func isWhole() throws -> Bool {
    guard try connection.text("PRAGMA main.journal_mode") == "wal" else { return true }
    return FileStatus(source.file.resolvedPath + "-wal")?.size == 0
  }

  /// Begins to copy the file.
  ///
  /// - Parameters:
  ///   - path: A file that is empty or does not exist.
  ///   - isCancelled: Asked now and then, by another thread.
  package func copy(to path: String, isCancelled: @escaping @Sendable () -> Bool) throws(MigrationError) -> StoreCopy {
    let (file, size) = try reporting(path: source.file.path) {
      let pages = try source.connection.integer("PRAGMA page_count") ?? 0
      return (try DatabaseFile(source.connection), pages.multipliedReportingOverflow(by: source.layout.pageSize))
    }
    return StoreCopy(
      file, size: size.overflow ? .max : size.partialValue, named: source.file.path, to: path, isCancelled: isCancelled)
  }

  /// Whether the file is as it was.
  ///
  /// Programs that do without SQLite do without its locks, too.
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

/// What `Z_PRIMARYKEY` says of an entity, apart from its keys.
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

/// Compares what a file declares with what a fresh store of its model would.
private struct FileDeclarations {
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

/// What a statement that creates a table declares, whatever the order of its columns.
///
/// A column that was added to a table stands at its end, where a fresh store has it in another place.
private struct TableDeclaration: Hashable {
  private let beginning: [SchemaToken]
  private let parts: Set<[SchemaToken]>

  /// Takes a statement apart; `nil` for one that is more than a list in brackets.
  init?(_ sql: String) {
    guard let tokens = SchemaToken.all(in: sql), let start = tokens.firstIndex(of: .symbol("(")),
      tokens.last == .symbol(")")
    else { return nil }
    // Columns that Core Data declares have no brackets: a comma between such splits what is no fresh table's anyway.
    let parts = tokens[(start + 1)...].dropLast().split(separator: .symbol(","), omittingEmptySubsequences: false)
    (beginning, self.parts) = (Array(tokens[..<start]), Set(parts.map(Array.init)))
    guard self.parts.count == parts.count else { return nil }
  }
}

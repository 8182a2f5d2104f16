package import Diagnostics
package import SQLite

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

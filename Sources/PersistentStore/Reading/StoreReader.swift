public import Diagnostics
internal import PropertyList
public import SQLite

/// A store that is open for reading.
public final class StoreReader {
  /// The file.
  public let file: StoreFile
  /// What the store says about itself.
  public let metadata: StoreMetadata
  /// The rows of `Z_PRIMARYKEY`, in the order of entity numbers.
  public let primaryKeys: [PrimaryKeyRow]
  /// How the file is laid out, for a store that is to be like it.
  public let layout: FileLayout
  /// The connection, for queries of the layers above.
  public let connection: Connection

  /// How the file could be opened.
  let access: Connection.Access
  /// Whether questions that take long make sure that there are not too many rows.
  var watchesLongQuestions = false
  private let sideFiles: SideFiles
  private var isClosed = false

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The SQLite file.
  ///   - busyTimeout: How long to wait for a lock that another program holds, in milliseconds.
  /// - Throws: `MigrationError` when the file is missing, unreadable, locked, or no Core Data store.
  public convenience init(path: String, busyTimeout: Int32 = 2000) throws(MigrationError) {
    try self.init(file: StoreFile(path), busyTimeout: busyTimeout)
  }

  /// Opens a store whose file has been looked at.
  public init(file: StoreFile, busyTimeout: Int32 = 2000) throws(MigrationError) {
    self.file = file
    sideFiles = SideFiles(ofStoreAt: file.resolvedPath)
    do throws(MigrationError) {
      (connection, access) = try file.openForReading(busyTimeout: busyTimeout)
    } catch {
      sideFiles.removeUnlessInUse()
      throw error
    }
    do throws(MigrationError) {
      (metadata, primaryKeys, layout) = try reporting(path: file.path) { [connection] in
        try connection.reading {
          if file.sizeWithLog <= Self.sizeCountedWhenOpened {
            try connection.requireBoundedTables(file)
          }
          try Self.requireCoreDataTables(connection, path: file.path)
          return (
            try Self.readMetadata(connection, path: file.path), try PrimaryKeyRow.all(connection, path: file.path),
            try FileLayout(connection)
          )
        }
      }
    } catch {
      try? Self.close(connection, file, sideFiles)
      throw error
    }
  }

  deinit {
    if !isClosed { try? Self.close(connection, file, sideFiles) }
  }

  /// Whether the file is read without locks, because they cannot be taken here.
  var isImmutable: Bool { access == .immutable }

  /// Closes the store, and leaves nothing behind that only those need who have it open.
  ///
  /// - Throws: `MigrationError`, with `changedMeanwhile` when the store had to be read without locks and was changed.
  public func close() throws(MigrationError) {
    try Self.close(connection, file, sideFiles)
    isClosed = true
    if isImmutable { try requireUnchanged() }
  }

  /// Makes sure that what was read without locks was not written to meanwhile.
  private func requireUnchanged() throws(MigrationError) {
    let status = FileStatus(file.resolvedPath)
    guard status?.isSameFile(as: file.status) == true, status?.size == file.size,
      status?.changeTime == file.status.changeTime, file.writeAheadLogSize == 0
    else {
      throw MigrationError(.changedMeanwhile, path: file.path)
    }
  }

  private static func close(
    _ connection: Connection, _ file: StoreFile, _ sideFiles: SideFiles
  ) throws(MigrationError) {
    try reporting(path: file.path) { try connection.close() }
    sideFiles.removeUnlessInUse()
  }

  private static func requireCoreDataTables(_ connection: Connection, path: String) throws {
    for table in ["Z_METADATA", "Z_PRIMARYKEY"] where try !connection.hasPlainTable(table) {
      throw MigrationError(.notACoreDataStore, path: path, detail: "it has no table \(table)")
    }
    for (table, columns) in [("Z_METADATA", metadataColumns), ("Z_PRIMARYKEY", PrimaryKeyRow.columns)]
    where try !connection.hasPlainColumns(columns, in: table) {
      throw MigrationError(.damaged, path: path, detail: "its table \(table) has not the columns of one of Core Data's")
    }
  }

  private static let metadataColumns = ["Z_VERSION", "Z_UUID", "Z_PLIST"]

  private static func readMetadata(_ connection: Connection, path: String) throws -> StoreMetadata {
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard try statement.step() else {
      throw MigrationError(.notACoreDataStore, path: path, detail: "its metadata table is empty")
    }
    guard !statement.isNull(1) else {
      throw MigrationError(
        .damaged, path: path, detail: "its metadata is missing: Z_PLIST in the table Z_METADATA is NULL")
    }
    do {
      let plist = try PropertyList(binary: statement.blob(1) ?? [])
      guard let properties = plist.dictionary else {
        throw MigrationError(.notACoreDataStore, path: path, detail: "its metadata is not a dictionary")
      }
      return StoreMetadata(uuid: statement.text(0) ?? "", properties: properties)
    } catch let error as PropertyListError {
      throw MigrationError(.damaged, path: path, detail: "its metadata is no property list (\(error))")
    }
  }
}

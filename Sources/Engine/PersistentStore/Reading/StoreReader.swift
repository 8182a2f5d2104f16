package import DataModel
package import MigrationDiagnostics
internal import PropertyListFormat
package import SQLiteDatabase
internal import SystemC

/// A store that is open for reading.
package final class StoreReader {
  /// The file.
  package let file: StoreFile
  /// The store's metadata.
  package let metadata: StoreMetadata
  /// The rows of `Z_PRIMARYKEY`, in the order of entity numbers.
  package let primaryKeys: [PrimaryKeyRow]
  /// The layout of the file, for a store with the same layout.
  package let layout: FileLayout
  /// The connection, for queries of the layers above.
  package let connection: Connection

  /// The access with which the file was opened.
  let access: Connection.Access
  /// Whether long queries check that there are not too many rows.
  var watchesLongQuestions = false
  private let sideFiles: WALFiles
  private var isClosed = false

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The SQLite file.
  ///   - busyTimeout: How long to wait for a lock that another program holds, in milliseconds.
  /// - Throws: `MigrationError` if the file is missing, unreadable, locked, or not a Core Data store.
  package convenience init(path: String, busyTimeout: Int32 = 2000) throws(MigrationError) {
    try self.init(file: StoreFile(path), busyTimeout: busyTimeout)
  }

  /// Opens a store whose file has been inspected.
  package init(file: StoreFile, busyTimeout: Int32 = 2000) throws(MigrationError) {
    self.file = file
    sideFiles = WALFiles(ofStoreAt: file.resolvedPath)
    do throws(MigrationError) {
      (connection, access) = try file.openForReading(busyTimeout: busyTimeout)
    } catch {
      sideFiles.removeUnlessInUse()
      throw file.unlessReplaced(error)
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
      throw file.unlessReplaced(error)
    }
  }

  deinit {
    if !isClosed { try? Self.close(connection, file, sideFiles) }
  }

  /// Whether the file is read without locks, because they are not available.
  package var isImmutable: Bool { access == .immutable }

  /// Closes the store, and removes the files that are needed only while it is open.
  ///
  /// - Throws: `MigrationError`, with `changedMeanwhile` if the store was read without locks and has changed.
  package func close() throws(MigrationError) {
    try Self.close(connection, file, sideFiles)
    isClosed = true
    if isImmutable { try requireUnchanged() }
  }

  /// Checks that a store that was read without locks has not changed.
  private func requireUnchanged() throws(MigrationError) {
    let status = FileStatus(file.resolvedPath)
    guard status?.isSameFile(as: file.status) == true, status?.size == file.size,
      status?.changeTime == file.status.changeTime, file.writeAheadLogSize == 0
    else {
      throw MigrationError(.changedMeanwhile, path: file.path)
    }
  }

  private static func close(
    _ connection: Connection, _ file: StoreFile, _ sideFiles: WALFiles
  ) throws(MigrationError) {
    try reporting(path: file.path) { try connection.close() }
    sideFiles.removeUnlessInUse()
  }

  private static func requireCoreDataTables(_ connection: Connection, path: String) throws {
    for table in ["Z_METADATA", "Z_PRIMARYKEY"] where try !connection.hasPlainTable(table) {
      throw MigrationError(.notACoreDataStore, path: path, about: table, "it has no table \(table)")
    }
    for (table, columns) in [("Z_METADATA", metadataColumns), ("Z_PRIMARYKEY", PrimaryKeyRow.columns)]
    where try !connection.hasPlainColumns(columns, in: table) {
      throw MigrationError(.damaged, path: path, about: table, "table \(table) lacks columns that Core Data writes")
    }
  }

  private static let metadataColumns = ["Z_VERSION", "Z_UUID", "Z_PLIST"]

  private static func readMetadata(_ connection: Connection, path: String) throws -> StoreMetadata {
    let table = "Z_METADATA"
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM \(table) ORDER BY Z_VERSION LIMIT 1")
    guard try statement.step() else {
      throw MigrationError(.notACoreDataStore, path: path, about: table, "its metadata table is empty")
    }
    guard !statement.isNull(1) else {
      throw MigrationError(
        .damaged, path: path, about: table, "its metadata is missing: Z_PLIST in the table \(table) is NULL")
    }
    do {
      // Core Data writes it in binary; other tools that change it may leave XML.
      let plist = try PropertyList(contentsOf: statement.blob(1) ?? [])
      guard let properties = plist.dictionary else {
        throw MigrationError(.notACoreDataStore, path: path, about: table, "its metadata is not a dictionary")
      }
      return StoreMetadata(uuid: statement.text(0) ?? "", properties: properties)
    } catch let error as PropertyListError {
      throw MigrationError(.damaged, path: path, about: table, "its metadata is not a property list (\(error))")
    }
  }
}

extension MigrationError {
  /// Creates an error about one of Core Data's own tables.
  init(_ code: Code, path: String, about table: String, _ detail: String) {
    self.init(code, path: path, detail: detail)
    self.table = table
  }
}

extension StoreReader {
  /// The size in bytes up to which the rows of a store are counted when it is opened.
  ///
  /// Counting takes a while in larger stores, and a query for a few rows should not wait for it.
  private static let sizeCountedWhenOpened: Int64 = 64 << 20

  /// Checks that there are not more rows than fit into the file, before all of them are read.
  ///
  /// - Parameters:
  ///   - schema: Its entity tables are not counted if they have its columns and no others: a reader of their rows alone
  ///     would find a repeated key before there are too many.
  ///   - entityNames: The entities whose tables these are; `nil` for all.
  /// - Throws: `MigrationError`, with `damaged` if the pages of the file form a loop.
  package func requireBoundedTables(
    except schema: StoreSchema? = nil, ofEntitiesNamed entityNames: Set<String>? = nil
  ) throws(MigrationError) {
    // Smaller stores have been counted.
    guard isLarge else { return }
    if watchesLongQuestions {
      connection.onProgress(every: 100_000) { EndRequest.isMade }
      watchesLongQuestions = false
    }
    let exceptions = try schema.map { (schema) throws(MigrationError) in
      try plainTables(of: schema, entityNames)
    }
    try reporting(path: file.path) { try connection.requireBoundedTables(file, except: exceptions ?? []) }
  }

  /// Makes the same check during any query that takes more than a second, which then fails with `damaged`.
  ///
  /// It also stops queries when a signal asks the process to end.
  package func requireBoundedTablesOfLongQuestions() {
    guard isLarge else { return connection.onProgress(every: 100_000) { EndRequest.isMade } }
    watchesLongQuestions = true
    var begin: ContinuousClock.Instant?
    var hasCounted = false
    connection.onProgress(every: 100_000) { [weak self] in
      guard let self, !EndRequest.isMade else { return EndRequest.isMade }
      let now = ContinuousClock.now
      guard !hasCounted, let start = begin, now - start > .seconds(1) else {
        begin = begin ?? now
        return connection.interruptionError != nil
      }
      hasCounted = true
      // SQLite does not allow another query on this connection now.
      do throws(MigrationError) {
        let other = try openConnection().connection
        try reporting(path: file.path) { try other.requireBoundedTables(file) }
      } catch let error where error.code == .damaged {
        connection.interruptionError = .damaged(error.detail ?? "", path: file.path)
      } catch {
        // The query itself will fail.
      }
      return connection.interruptionError != nil
    }
  }

  /// Does work that reads whole tables, with the same check during its queries only.
  func boundingLongQuestions<Result>(
    _ work: () throws(MigrationError) -> Result
  ) throws(MigrationError) -> Result {
    guard isLarge, !watchesLongQuestions else { return try work() }
    requireBoundedTablesOfLongQuestions()
    defer {
      connection.onProgress(every: 0, nil)
      watchesLongQuestions = false
    }
    return try work()
  }

  /// The tables that have the columns of the schema and no others.
  private func plainTables(of schema: StoreSchema, _ entityNames: Set<String>?) throws(MigrationError) -> Set<String> {
    let tables = try FoundTables(self)
    let plain = schema.tables.filter { table in
      // The rows of other entities would be skipped, whatever their keys.
      guard table.entityNames.count == 1, entityNames?.isSuperset(of: table.entityNames) ?? true else { return false }
      let known = Set((FoundColumns.fixed + table.columns.map(\.name)).map(\.sqlNameKey))
      return tables.columns(of: table.name).names.allSatisfy { known.contains($0.sqlNameKey) }
    }
    return Set(plain.map(\.name))
  }

  private var isLarge: Bool { file.sizeWithLog > Self.sizeCountedWhenOpened }

  // MARK: - External files

  /// A value that is stored in an external data file.
  package struct ExternalFile: Sendable, Hashable {
    /// The entity that declares the attribute.
    package let entityName: String
    /// The attribute.
    package let attributeName: String
    /// The primary key of the instance.
    package let primaryKey: Int64
    /// The name of the file in the external data folder.
    package let fileName: String
  }

  /// The values of an attribute, own or inherited, that are stored in files, in the order of primary keys.
  ///
  /// - Parameter schema: The layout of this store.
  package func externalFiles(
    ofAttribute attribute: String, ofEntityNamed entity: String, in schema: StoreSchema
  ) throws(MigrationError) -> [ExternalFile] {
    guard let table = schema.table(forEntityNamed: entity),
      let column = schema.column(forProperty: attribute, ofEntityNamed: entity)
    else { return [] }
    let name = column.name.quotedIdentifier
    let entities = table.entityNames.filter { schema.model.lineage(of: $0).contains(entity) }
    // If the table has only one entity, its rows belong to that entity, whatever their Z_ENT.
    let isOnlyEntity = entities.count == table.entityNames.count
    let numbers = entities.map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
    // The form is checked before a value is read, because other values may be large.
    let sql = """
      SELECT Z_PK, \(name) FROM \(table.name.quotedIdentifier)
      WHERE typeof(\(name)) = 'blob' AND length(\(name)) = 38\(isOnlyEntity ? "" : " AND Z_ENT IN (\(numbers))")
      ORDER BY Z_PK
      """
    return try reporting(path: file.path) {
      let statement = try connection.prepare(sql)
      var files: [ExternalFile] = []
      while try statement.step() {
        guard case .file(let fileName) = ExternalValue(statement.blob(1) ?? []) else { continue }
        files.append(
          ExternalFile(
            entityName: column.entityName, attributeName: attribute, primaryKey: statement.integer(0),
            fileName: fileName))
      }
      return files
    }
  }

  /// All values that are stored in files, of the attributes for which the model allows it.
  package func externalFiles(in schema: StoreSchema) throws(MigrationError) -> [ExternalFile] {
    var files: [ExternalFile] = []
    for entity in schema.model.entities {
      for attribute in entity.ownAttributes where attribute.allowsExternalBinaryDataStorage && !attribute.isTransient {
        files += try externalFiles(ofAttribute: attribute.name, ofEntityNamed: entity.name, in: schema)
      }
    }
    return files
  }

  /// The values whose files are missing.
  package func missingExternalFiles(in schema: StoreSchema) throws(MigrationError) -> [ExternalFile] {
    let folder = ExternalDataFolder(ofStoreAt: file.resolvedPath)
    var missing: [ExternalFile] = []
    for file in try externalFiles(in: schema) where try !folder.contains(file.fileName) { missing.append(file) }
    return missing
  }

  // MARK: - Model

  /// The maximum size in bytes of a model cache that is read.
  ///
  /// Those of Apple's own apps have less than one megabyte.
  private static let modelCacheLimit: Int64 = 64 << 20

  /// Reads the store's model cache, the table `Z_MODELCACHE`.
  ///
  /// Core Data has written it since framework version 637 (iOS 9). It is not necessarily the model that the rows were
  /// written with: compare its hashes with those in `metadata`, or use ``writtenModel()``.
  ///
  /// - Returns: The model, or `nil` if the store has none.
  /// - Throws: `MigrationError`, `unreadableModelCache` if there is one that cannot be read: the rows are not affected.
  package func cachedModel() throws(MigrationError) -> ManagedObjectModel? {
    guard let bytes = try modelCache() else { return nil }
    do {
      return try ManagedObjectModel(modelCache: bytes)
    } catch {
      throw MigrationError(
        .unreadableModelCache, path: file.path, detail: error.problem.problem.sentence)
    }
  }

  /// The model that the store was written with, as far as the store itself shows.
  ///
  /// - Returns: The cached model, if it has the version hashes of the metadata; otherwise `nil`.
  /// - Throws: `MigrationError`, `unreadableModelCache` if there is a model that cannot be read.
  package func writtenModel() throws(MigrationError) -> ManagedObjectModel? {
    guard let model = try cachedModel(), model.isCompatible(withVersionHashes: metadata.versionHashes) else {
      return nil
    }
    return model
  }

  private func modelCache() throws(MigrationError) -> [UInt8]? {
    let bytes = try reporting(path: file.path) { () -> [UInt8]? in
      guard try connection.hasPlainTable("Z_MODELCACHE"),
        try connection.hasPlainColumns(["Z_CONTENT"], in: "Z_MODELCACHE")
      else { return nil }
      let statement = try connection.prepare(
        "SELECT Z_CONTENT FROM Z_MODELCACHE WHERE length(Z_CONTENT) <= \(Self.modelCacheLimit) LIMIT 1")
      return try statement.step() ? statement.blob(0) : nil
    }
    return bytes?.isEmpty == false ? bytes : nil
  }
}

extension String {
  /// The text without the period at its end.
  fileprivate var sentence: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// A connection to a source store.
///
/// Each thread has its own. `StoreWriter.attach` ensures that all of them see the same state.
package struct SourceConnection {
  /// The connection.
  package let connection: Connection
  /// The store's path as the user named it, for messages.
  package let path: String
  /// The encoding of the database's text.
  package let encoding: String
}

extension StoreReader {
  /// The connection of this reader.
  package var sourceConnection: SourceConnection {
    SourceConnection(connection: connection, path: file.path, encoding: layout.encoding)
  }

  /// Opens another connection, for another thread.
  ///
  /// - Parameter busyTimeout: How long it waits for a lock that another program holds, in milliseconds.
  package func openConnection(busyTimeout: Int32 = 0) throws(MigrationError) -> SourceConnection {
    try reporting(path: file.path) {
      let connection = try Connection(path: file.resolvedPath, access: access, busyTimeout: busyTimeout)
      connection.keepWriteAheadLogOnClose()
      connection.acceptUnknownCollations()
      try connection.keepFewPages()
      return SourceConnection(connection: connection, path: file.path, encoding: layout.encoding)
    }
  }
}

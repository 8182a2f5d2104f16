package import DataModel
package import MigrationDiagnostics
internal import PropertyListFormat
package import SQLiteDatabase
internal import SystemC

/// A store that is open for reading.
package final class StoreReader {
  /// The file.
  package let file: StoreFile
  /// What the store says about itself.
  package let metadata: StoreMetadata
  /// The rows of `Z_PRIMARYKEY`, in the order of entity numbers.
  package let primaryKeys: [PrimaryKeyRow]
  /// How the file is laid out, for a store that is to be like it.
  package let layout: FileLayout
  /// The connection, for queries of the layers above.
  package let connection: Connection

  /// How the file could be opened.
  let access: Connection.Access
  /// Whether questions that take long make sure that there are not too many rows.
  var watchesLongQuestions = false
  private let sideFiles: WALFiles
  private var isClosed = false

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The SQLite file.
  ///   - busyTimeout: How long to wait for a lock that another program holds, in milliseconds.
  /// - Throws: `MigrationError` when the file is missing, unreadable, locked, or no Core Data store.
  package convenience init(path: String, busyTimeout: Int32 = 2000) throws(MigrationError) {
    try self.init(file: StoreFile(path), busyTimeout: busyTimeout)
  }

  /// Opens a store whose file has been looked at.
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

  /// Whether the file is read without locks, because they cannot be taken here.
  var isImmutable: Bool { access == .immutable }

  /// Closes the store, and leaves nothing behind that only those need who have it open.
  ///
  /// - Throws: `MigrationError`, with `changedMeanwhile` when the store had to be read without locks and was changed.
  package func close() throws(MigrationError) {
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
    _ connection: Connection, _ file: StoreFile, _ sideFiles: WALFiles
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
      throw MigrationError(.damaged, path: path, detail: "its metadata is not a property list (\(error))")
    }
  }
}

extension StoreReader {
  /// The size in bytes up to which the rows of a store are counted as soon as it is opened.
  ///
  /// Larger ones would take a while, and a question about a few rows need not wait for it.
  private static let sizeCountedWhenOpened: Int64 = 64 << 20

  /// Makes sure that there are not more rows than fit into the file, before somebody reads all of them.
  ///
  /// - Parameter schema: Its tables of entities are not counted where they have its columns and no others: somebody who
  ///   copies their rows, and nothing else, meets a key twice before there are too many.
  /// - Throws: `MigrationError`, with `damaged` when pages of the file lead to others again and again.
  package func requireBoundedTables(except schema: StoreSchema? = nil) throws(MigrationError) {
    // Smaller ones have been counted.
    guard isLarge else { return }
    if watchesLongQuestions {
      connection.onProgress(every: 100_000) { EndRequest.isMade }
      watchesLongQuestions = false
    }
    let exceptions = try schema.map { (schema) throws(MigrationError) in try plainTables(of: schema) }
    try reporting(path: file.path) { try connection.requireBoundedTables(file, except: exceptions ?? []) }
  }

  /// Makes sure of the same once a question has taken a second, which then ends with `damaged`; and ends every question
  /// when a signal asks the process to end.
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
      // SQLite does not let a connection work for two.
      do throws(MigrationError) {
        let other = try openConnection().connection
        try reporting(path: file.path) { try other.requireBoundedTables(file) }
      } catch let error where error.code == .damaged {
        connection.interruptionError = .damaged(error.detail ?? "", path: file.path)
      } catch {
        // Whoever asks will find out.
      }
      return connection.interruptionError != nil
    }
  }

  /// The tables that have the columns of the schema and no others.
  private func plainTables(of schema: StoreSchema) throws(MigrationError) -> Set<String> {
    let tables = try FoundTables(self)
    let plain = schema.tables.filter { table in
      // Rows of other entities are counted on the way, whatever their keys.
      guard table.entityNames.count == 1 else { return false }
      let known = Set((FoundColumns.fixed + table.columns.map(\.name)).map(\.sqlNameKey))
      return tables.columns(of: table.name).names.allSatisfy { known.contains($0.sqlNameKey) }
    }
    return Set(plain.map(\.name))
  }

  private var isLarge: Bool { file.sizeWithLog > Self.sizeCountedWhenOpened }

  // MARK: - External files

  /// A value that lies in a file beside the store.
  package struct ExternalFile: Sendable, Hashable {
    /// The entity that declares the attribute.
    package let entityName: String
    /// The attribute.
    package let attributeName: String
    /// The primary key of the instance.
    package let primaryKey: Int64
    /// The name of the file in the store's folder for such files.
    package let fileName: String
  }

  /// The values of an attribute, own or inherited, that lie in files, in the order of primary keys.
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
    // Where the table holds one entity only, its rows are that entity's, whatever their Z_ENT says.
    let isOnlyEntity = entities.count == table.entityNames.count
    let numbers = entities.map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
    // Large values stay in the file: the form is checked before a value is read.
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

  /// All values that lie in files: those of the attributes whose model allows it.
  package func externalFiles(in schema: StoreSchema) throws(MigrationError) -> [ExternalFile] {
    var files: [ExternalFile] = []
    for entity in schema.model.entities {
      for attribute in entity.ownAttributes where attribute.allowsExternalBinaryDataStorage && !attribute.isTransient {
        files += try externalFiles(ofAttribute: attribute.name, ofEntityNamed: entity.name, in: schema)
      }
    }
    return files
  }

  /// The values whose files are not beside the store.
  package func missingExternalFiles(in schema: StoreSchema) throws(MigrationError) -> [ExternalFile] {
    let folder = ExternalDataFolder(ofStoreAt: file.resolvedPath)
    var missing: [ExternalFile] = []
    for file in try externalFiles(in: schema) where try !folder.contains(file.fileName) { missing.append(file) }
    return missing
  }

  // MARK: - Integrity

  /// The first thing that SQLite finds wrong with the file, which is read as a whole; `nil` when there is nothing.
  ///
  /// - Throws: `MigrationError`, with `interrupted` when it is asked to stop.
  func integrityProblem(isCancelled: @escaping () -> Bool) throws(MigrationError) -> String? {
    connection.onProgress(every: 100_000, isCancelled)
    defer { connection.onProgress(every: 0, nil) }
    return try reporting(path: file.path) {
      let answer = try connection.text("PRAGMA integrity_check(1)")
      if answer == "ok" { return nil }
      // SQLite's answer is the same for pages that are wrong and for pages that cannot be read.
      if let number = connection.takeReadFailure() ?? FileContents.readFailure(file.resolvedPath) {
        throw FileSystem.failure(.inputOutput, file.path, number: number)
      }
      return answer.map { Self.plainProblem($0) } ?? "it cannot be checked"
    }
  }

  /// What SQLite's check says, without a heading and without the names of its functions.
  private static func plainProblem(_ answer: String) -> String {
    let lines = answer.split(separator: "\n").filter { !$0.hasPrefix("***") }
    guard let problem = lines.first else { return answer }
    guard problem.contains("btreeInitPage"), let page = problem.prefix(while: { $0 != ":" }).split(separator: " ").last
    else { return String(problem) }
    return "page \(page) of the file is damaged"
  }

  /// Whether there is a way to every row of all tables but those that belong to Core Data itself.
  ///
  /// No migration comes by without walking through them. What the rows hold is not looked at.
  ///
  /// - Throws: `MigrationError`, with `interrupted` when it is asked to stop.
  func hasReadableTables(isCancelled: @escaping () -> Bool) throws(MigrationError) -> Bool {
    try requireBoundedTables()
    connection.onProgress(every: 100_000, isCancelled)
    defer { connection.onProgress(every: 0, nil) }
    let kinds = try TableKinds(self)
    let tables = try FoundTables(self).names.filter {
      kinds[$0] == .app && $0.sqlNameKey != "Z_MODELCACHE".sqlNameKey
    }
    return try reporting(path: file.path) {
      try tables.allSatisfy { table in
        // SQLite would count a whole tree in one step, which nothing could stop.
        let rows = "SELECT 1 FROM main.\(table.quotedIdentifier) NOT INDEXED LIMIT -1"
        return try connection.readableCount("SELECT count(*) FROM (\(rows))") != nil
      }
    }
  }

  // MARK: - Model

  /// The most bytes of a packed model that are read.
  ///
  /// Those of Apple's own apps have less than one megabyte.
  private static let modelCacheLimit: Int64 = 64 << 20

  /// Reads the model that the store keeps of itself, in its table `Z_MODELCACHE`.
  ///
  /// Core Data writes it since framework version 637 (iOS 9). Nothing forces it to be the one that the rows were
  /// written with: compare its hashes with those in `metadata`, or use ``writtenModel()``.
  ///
  /// - Returns: The model, or `nil` when the store keeps none.
  /// - Throws: `MigrationError`, `damaged` when there is one that cannot be read.
  package func cachedModel() throws(MigrationError) -> ManagedObjectModel? {
    guard let bytes = try modelCache() else { return nil }
    do {
      return try ManagedObjectModel(modelCache: bytes)
    } catch {
      throw MigrationError(
        .damaged, path: file.path, detail: "the model that it keeps cannot be read: \(error.problem.problem)".sentence)
    }
  }

  /// The model that the store was written with, as far as the store itself tells.
  ///
  /// - Returns: The model that it keeps, if that has the version hashes of its metadata; otherwise `nil`.
  /// - Throws: `MigrationError`, `damaged` when there is a model that cannot be read.
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

/// A connection to a store that is read, with what its readers must know.
///
/// Each thread has one of its own. All of them see the same state: `StoreWriter.attach` makes sure of it.
package struct SourceConnection {
  /// The connection.
  package let connection: Connection
  /// The store's path as the user named it, for messages.
  package let path: String
  /// The encoding of the database's text.
  package let encoding: String
}

extension StoreReader {
  /// The connection that this reader has.
  package var sourceConnection: SourceConnection {
    SourceConnection(connection: connection, path: file.path, encoding: layout.encoding)
  }

  /// Opens one more connection, for another thread.
  package func openConnection() throws(MigrationError) -> SourceConnection {
    try reporting(path: file.path) {
      let connection = try Connection(path: file.resolvedPath, access: access)
      connection.keepWriteAheadLogOnClose()
      try connection.keepFewPages()
      return SourceConnection(connection: connection, path: file.path, encoding: layout.encoding)
    }
  }
}

internal import DataModel
package import MigrationDiagnostics
internal import PropertyListFormat
package import SQLiteDatabase

/// Writes a new store, in bulk.
///
/// Until it is complete, the file has a temporary name and no other program opens it. It is therefore written without a
/// journal and without syncs, which would only protect a file that is discarded on any failure, and is synced once in
/// `finish`.
package final class StoreWriter {
  /// The layout of the store.
  package let schema: StoreSchema
  /// The path of the file.
  package let path: String
  /// The connection that the store is written with.
  ///
  /// The store's own tables are in the schema `main`, and those of an attached source in `sourceDatabaseName`.
  package let connection: Connection
  /// The version of the attached source: another number for each of its states.
  private var sourceVersion: Int64?
  /// The statements of the indexes that were created before the end.
  var createdIndexes: Set<String> = []
  /// Whether the store started as a copy of another one with all its rows.
  private let isCopy: Bool
  /// Whether rows are added to a copy, whose file otherwise stays as it is.
  let keepsFile: Bool

  /// The schema name under which a source is attached.
  package static let sourceDatabaseName = "source"

  /// Creates a store in a file that is empty or does not exist.
  package convenience init(path: String, schema: StoreSchema, layout: FileLayout) throws(MigrationError) {
    try self.init(path: path, schema: schema, layout: layout, access: .create)
  }

  /// Creates a store that has no name, and is gone with its connection.
  package convenience init(temporaryWith schema: StoreSchema) throws(MigrationError) {
    try self.init(path: "", schema: schema, layout: .coreData, access: .temporary)
  }

  private init(
    path: String, schema: StoreSchema, layout: FileLayout, access: Connection.Access
  ) throws(MigrationError) {
    self.path = path
    self.schema = schema
    (isCopy, keepsFile) = (false, false)
    try schema.requireWritable(path: path)
    connection = try reporting(path: path) {
      let connection = try Self.open(path, access)
      // Page size, vacuum mode and encoding can be set only before the first table exists; setting the vacuum mode is the
      // first write.
      try connection.execute(
        """
        PRAGMA page_size = \(layout.pageSize);
        PRAGMA auto_vacuum = \(layout.autoVacuum);
        PRAGMA encoding = \(layout.encoding.quotedLiteral);
        """)
      try connection.execute("BEGIN")
      if layout.userVersion != 0 { try connection.execute("PRAGMA user_version = \(layout.userVersion)") }
      if layout.applicationID != 0 { try connection.execute("PRAGMA application_id = \(layout.applicationID)") }
      for statement in schema.tableStatements { try connection.execute(statement) }
      return connection
    }
  }

  /// Continues with a store in a file that no other program uses.
  init(copyAt path: String, schema: StoreSchema, keepsFile: Bool = false) throws(MigrationError) {
    self.path = path
    self.schema = schema
    (isCopy, self.keepsFile) = (true, keepsFile)
    try schema.requireWritable(path: path)
    connection = try reporting(path: path) {
      let connection = try Self.open(path)
      try connection.execute("BEGIN")
      return connection
    }
  }

  /// Opens a file that is discarded on any failure: it needs no journal, and is synced once, at the end.
  private static func open(
    _ path: String, _ access: Connection.Access = .create
  ) throws(SQLiteError) -> Connection {
    let connection = try Connection(path: path, access: access)
    try connection.execute(
      """
      PRAGMA main.journal_mode = OFF;
      PRAGMA main.synchronous = OFF;
      PRAGMA main.locking_mode = EXCLUSIVE;
      PRAGMA main.cache_size = -\(cacheKiB);
      """)
    return connection
  }

  /// The size of the page cache in KiB.
  ///
  /// Rows arrive in the order of their keys, and large tables of tracks and links are written without it.
  private static let cacheKiB = 8 * 1024

  /// Calls back now and then while a statement runs; returning true stops the statement with `interrupted`.
  package func onProgress(_ callback: (() -> Bool)?) {
    connection.onProgress(every: 100_000, callback)
  }

  /// Completes the store and writes it to the disk.
  ///
  /// A copy whose file stays as it is only gets the greatest keys.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the store.
  ///   - greatestKeys: For root entities, the greatest primary key ever used, if it is greater than those of the rows: keys
  ///     of deleted rows are not used again.
  ///   - modelCache: The store's own model, see `ManagedObjectModel.modelCache()`. Without it the table stays empty, as
  ///     ``StoreMetadata/hasModelCache`` requires for older frameworks.
  ///   - historyKeys: The rows of `Z_PRIMARYKEY` that belong to persistent history.
  package func finish(
    metadata: StoreMetadata, greatestKeys: [String: Int64] = [:], modelCache: [UInt8]? = nil,
    historyKeys: [PrimaryKeyRow] = []
  ) throws(MigrationError) {
    try reporting(path: path) {
      if keepsFile {
        try raisePrimaryKeys(greatestKeys)
      } else {
        try writeDeclarations()
        try writePrimaryKeys(greatestKeys)
        for row in historyKeys { try write(row) }
        try write(metadata)
        if let modelCache { try write(modelCache: modelCache) }
      }
      try connection.execute("COMMIT")
    }
    // Outside the closure above, whose statements would prevent closing.
    try reporting(path: path) { try connection.close() }
    try FileSystem.synchronize(path)
  }

  /// Creates the indexes and triggers of the model, and the tables that every store has.
  private func writeDeclarations() throws {
    for statement in schema.indexStatements + schema.countStatements + schema.triggerStatements
    where !createdIndexes.contains(statement) {
      try connection.execute(statement)
    }
    for statement in StoreSchema.fixedTableStatements where !isCopy { try connection.execute(statement) }
    for table in StoreSchema.fixedTableNames where isCopy { try connection.execute("DELETE FROM main.\(table)") }
  }

  private func write(_ metadata: StoreMetadata) throws {
    let statement = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
    try statement.bind(metadata.uuid, at: 1)
    try statement.bind(PropertyList.dictionary(metadata.properties).binary(), at: 2)
    try statement.run()
  }

  private func write(modelCache: [UInt8]) throws {
    let statement = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?)")
    try statement.bind(modelCache, at: 1)
    try statement.run()
  }

  func write(_ row: PrimaryKeyRow) throws {
    let statement = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)")
    try statement.bind(row.entityNumber, at: 1)
    try statement.bind(row.entityName, at: 2)
    try statement.bind(row.superentityNumber, at: 3)
    try statement.bind(row.greatestKey, at: 4)
    try statement.run()
  }

  private func writePrimaryKeys(_ greatestKeys: [String: Int64]) throws {
    let byName = schema.model.entitiesByName
    let statement = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)")
    for name in schema.entityNames {
      let parent = byName[name]?.superentityName
      var greatest: Int64 = 0
      if parent == nil, let table = schema.table(forEntityNamed: name) {
        let inUse = try connection.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)") ?? 0
        greatest = max(inUse, greatestKeys[name] ?? 0)
      }
      try statement.bind(Int64(schema.entityNumber(name)), at: 1)
      try statement.bind(name, at: 2)
      try statement.bind(Int64(parent.map { schema.entityNumber($0) } ?? 0), at: 3)
      try statement.bind(greatest, at: 4)
      try statement.run()
    }
  }
}

extension StoreWriter {
  /// The greatest primary key in the table of an entity; 0 if it has no rows.
  package func greatestKey(ofEntity entity: String) throws(MigrationError) -> Int64 {
    guard let table = schema.table(forEntityNamed: entity) else { return 0 }
    return try reporting(path: path) {
      try connection.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)") ?? 0
    }
  }

  // MARK: - Source

  /// Attaches the source store read-only, and ensures that all its readers see the same state.
  ///
  /// SQLite only attaches databases with the same text encoding, which is another reason to keep the source's layout.
  ///
  /// - Parameters:
  ///   - source: The store.
  ///   - others: More connections to it.
  /// - Throws: `MigrationError` with `changedMeanwhile` when another program writes to the source without a pause.
  package func attach(_ source: StoreReader, _ others: [SourceConnection] = []) throws(MigrationError) {
    try reporting(path: source.file.path) {
      // ATTACH is not allowed inside a transaction.
      try connection.execute("COMMIT")
      try connection.attachReadOnly(
        path: source.file.resolvedPath, isImmutable: source.isImmutable, as: Self.sourceDatabaseName)
      // Tables are copied from start to end.
      try connection.keepFewPages(ofSchema: Self.sourceDatabaseName)
      for _ in 1...100 {
        // Each connection reads its own snapshot of the source. data_version shows whether a program has committed
        // between the first and the last of these snapshots.
        let before = try readSourceVersion()
        let readers = [source.connection] + others.map(\.connection)
        for reader in readers {
          try reader.execute("BEGIN")
          _ = try reader.integer("SELECT count(*) FROM sqlite_schema")
        }
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM \(Self.sourceDatabaseName).sqlite_schema")
        if try readSourceVersion() == before {
          sourceVersion = before
          return
        }
        try connection.execute("COMMIT")
        for reader in readers { try reader.execute("COMMIT") }
      }
      throw MigrationError(.changedMeanwhile, path: source.file.path)
    }
  }

  private func readSourceVersion() throws(SQLiteError) -> Int64? {
    try connection.integer("PRAGMA \(Self.sourceDatabaseName).data_version")
  }

  /// Makes sure that the attached source is what it was: a transaction that has ended between did not keep it so.
  package func requireUnchangedSource() throws(MigrationError) {
    try reporting(path: path) {
      _ = try connection.integer("SELECT count(*) FROM \(Self.sourceDatabaseName).sqlite_schema")
      guard try readSourceVersion() == sourceVersion else { throw MigrationError(.changedMeanwhile, path: path) }
    }
  }
}

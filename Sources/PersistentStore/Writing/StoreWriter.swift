internal import DataModel
package import MigrationDiagnostics
internal import PropertyListFormat
package import SQLiteDatabase

/// Writes a new store, in bulk.
///
/// The file is invisible until it is complete: it has a temporary name, and nobody opens it. So it is written without a
/// journal and without syncs, which would only protect a file that is thrown away on any failure, and is synced once
/// as a whole in `finish`.
package final class StoreWriter {
  /// How the store is laid out.
  package let schema: StoreSchema
  /// The file that is written.
  package let path: String
  /// The connection that the store is written with.
  ///
  /// The store's own tables are in the schema `main`, and those of an attached source in `sourceDatabaseName`.
  package let connection: Connection
  /// The indexes that were made before the end, by their statements.
  var createdIndexes: Set<String> = []
  /// Whether the store began as a copy of another one, with all of its rows.
  private let isCopy: Bool

  /// The schema name under which a source is attached.
  package static let sourceDatabaseName = "source"

  /// Begins a store in a file that is empty or does not exist.
  package init(path: String, schema: StoreSchema, layout: FileLayout) throws(MigrationError) {
    self.path = path
    self.schema = schema
    isCopy = false
    try schema.requireWritable(path: path)
    connection = try reporting(path: path) {
      let connection = try Self.open(path)
      // Page size, vacuum mode and encoding can be chosen only before the first table exists; the choice of the vacuum
      // mode is the first thing that is written.
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

  /// Goes on with a store in a file that nobody else knows of.
  init(copyAt path: String, schema: StoreSchema) throws(MigrationError) {
    self.path = path
    self.schema = schema
    isCopy = true
    try schema.requireWritable(path: path)
    connection = try reporting(path: path) {
      let connection = try Self.open(path)
      try connection.execute("BEGIN")
      return connection
    }
  }

  /// A file that is thrown away on any failure needs no journal, and is synced once, at the end.
  private static func open(_ path: String) throws(SQLiteError) -> Connection {
    let connection = try Connection(path: path, access: .create)
    try connection.execute(
      """
      PRAGMA main.journal_mode = OFF;
      PRAGMA main.synchronous = OFF;
      PRAGMA main.locking_mode = EXCLUSIVE;
      PRAGMA main.cache_size = -\(cacheKiB);
      """)
    return connection
  }

  /// Pages that are kept in memory, in KiB.
  ///
  /// Rows arrive in the order of their keys, so only the index of the join table gains from more; see Benchmarks.
  private static let cacheKiB = 16 * 1024

  /// Calls back now and then while a statement runs; returning true stops it with `interrupted`.
  package func onProgress(_ callback: (() -> Bool)?) {
    connection.onProgress(every: 100_000, callback)
  }

  /// Completes the store and makes sure that it is on the disk.
  ///
  /// - Parameters:
  ///   - metadata: What the store says about itself.
  ///   - greatestKeys: For root entities, the greatest primary key that was ever used, where that is more than the rows
  ///     show: keys of deleted rows are not used again.
  ///   - modelCache: The store's own model, see `ManagedObjectModel.modelCache()`. Without it the table stays empty,
  ///     which is right where the metadata say that there is no model, see ``StoreMetadata/hasModelCache``.
  package func finish(
    metadata: StoreMetadata, greatestKeys: [String: Int64] = [:], modelCache: [UInt8]? = nil
  ) throws(MigrationError) {
    try reporting(path: path) {
      for statement in schema.indexStatements + schema.countStatements + schema.triggerStatements
      where !createdIndexes.contains(statement) {
        try connection.execute(statement)
      }
      for statement in StoreSchema.fixedTableStatements where !isCopy { try connection.execute(statement) }
      for table in StoreSchema.fixedTableNames where isCopy { try connection.execute("DELETE FROM main.\(table)") }
      try writePrimaryKeys(greatestKeys)
      let statement = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
      try statement.bind(metadata.uuid, at: 1)
      try statement.bind(PropertyList.dictionary(metadata.properties).binary(), at: 2)
      try statement.run()
      if let modelCache { try write(modelCache: modelCache) }
      try connection.execute("COMMIT")
    }
    // The statement above is released: close() would refuse otherwise.
    try reporting(path: path) { try connection.close() }
    try FileSystem.synchronize(path)
  }

  private func write(modelCache: [UInt8]) throws {
    let statement = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?)")
    try statement.bind(modelCache, at: 1)
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

  /// The greatest primary key in the table of an entity; 0 when it has no rows.
  package func greatestKey(ofEntity entity: String) throws(MigrationError) -> Int64 {
    guard let table = schema.table(forEntityNamed: entity) else { return 0 }
    return try reporting(path: path) {
      try connection.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)") ?? 0
    }
  }

  // MARK: - Source

  /// Attaches the store that rows are copied from, read-only, and makes sure that it and its reader see the same state.
  ///
  /// SQLite attaches only databases of the same text encoding, which is one more reason to keep the source's layout.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` when another program writes to the source without a pause.
  package func attach(_ source: StoreReader) throws(MigrationError) { try attach(source, []) }

  /// Attaches the store that rows are copied from, read-only, and makes sure that it and all its readers see the same
  /// state.
  ///
  /// SQLite attaches only databases of the same text encoding, which is one more reason to keep the source's layout.
  ///
  /// - Parameters:
  ///   - source: The store.
  ///   - others: More connections to it.
  /// - Throws: `MigrationError` with `changedMeanwhile` when another program writes to the source without a pause.
  package func attach(_ source: StoreReader, _ others: [SourceConnection]) throws(MigrationError) {
    try reporting(path: source.file.path) {
      // ATTACH is not allowed inside a transaction.
      try connection.execute("COMMIT")
      try connection.attachReadOnly(
        path: source.file.resolvedPath, isImmutable: source.isImmutable, as: Self.sourceDatabaseName)
      // Tables are copied from their beginning to their end.
      try connection.keepFewPages(ofSchema: Self.sourceDatabaseName)
      for _ in 1...100 {
        // Each connection reads its own snapshot of the source. data_version tells whether anybody has committed between
        // the moment before the first of them and the last.
        let before = try connection.integer("PRAGMA \(Self.sourceDatabaseName).data_version")
        let readers = [source.connection] + others.map(\.connection)
        for reader in readers {
          try reader.execute("BEGIN")
          _ = try reader.integer("SELECT count(*) FROM sqlite_schema")
        }
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM \(Self.sourceDatabaseName).sqlite_schema")
        if try connection.integer("PRAGMA \(Self.sourceDatabaseName).data_version") == before { return }
        try connection.execute("COMMIT")
        for reader in readers { try reader.execute("COMMIT") }
      }
      throw MigrationError(.changedMeanwhile, path: source.file.path)
    }
  }
}

package import DataModel
package import JSONPresets
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// Checks the result of a track library's migration by reading both libraries again.
///
/// It shares no code with the migration, so that no mistake is made twice: not its parser, nor its tables of artists and
/// links, nor its statements. Only the code that reads a store's layout and metadata is the same.
///
/// The tracks of both libraries are walked at once, and links in the order of their tracks, so memory grows only with the
/// number of artists.
package struct Verification {
  /// The old library.
  package let source: StoreReader
  /// Its model.
  package let sourceModel: ManagedObjectModel
  /// The new library.
  package let result: StoreReader
  /// The model that it must have.
  package let resultModel: ManagedObjectModel
  /// The entities of tracks, in the order in which artists are created from them.
  package var trackEntityNames = ["Track"]
  /// Whether artists are identified by their id, if they have one, rather than by their name.
  package var identifiesByID = false
  /// Where the artists stand in the documents.
  package var json = JSONShape.auto
  /// The roles of the artists that are wanted; `nil` for all.
  package var roles: Set<ArtistRole>?
  /// What a person has decided about artists.
  package var decisions: ArtistDecisions?
  /// The rejects file, if there is one.
  package var rejectsPath: String?
  /// Whether rejects require a rejects file.
  package var requiresRejects = false
  /// The app's own tables that the migration has reported as not carried over.
  package var expectedMissingTables: Set<String> = []
  /// Whether the new library has its external data files by now.
  package var checksExternalFiles = true
  /// Asked now and then whether to stop.
  package var isCancelled: () -> Bool = { false }
  /// Called now and then with the number of rows that have been compared, and the total.
  package var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Prepares to compare two stores.
  package init(
    source: StoreReader, sourceModel: ManagedObjectModel, result: StoreReader, resultModel: ManagedObjectModel
  ) {
    self.source = source
    self.sourceModel = sourceModel
    self.result = result
    self.resultModel = resultModel
  }

  /// The expected numbers.
  package struct Counts: Sendable, Hashable {
    /// Tracks of all kinds.
    package var tracks = 0
    /// Artists.
    package var artists = 0
    /// Links between tracks and artists.
    package var links = 0
    /// Tracks that use their `artistName`.
    package var fallbacks = 0
    /// The fallbacks with a readable document or none, by reason.
    package var fallbacksByReason: [String: Int] = [:]
    /// Readable documents.
    package var readableDocuments = 0
    /// The number of these by the name of their preset.
    package var documentsByPreset: [String: Int] = [:]
    /// How often decisions of each kind were carried out.
    package var decisionsByKind: [String: Int] = [:]
    /// Tracks without any artist.
    package var tracksWithoutArtist = 0
    /// Elements of `artists` without a name.
    package var namelessArtists = 0
    /// Repeated keys of which only the first counts.
    package var duplicateKeys = 0
    /// The contradictions between mentions.
    package var contradictions = Contradictions()
    /// Ids and images that are too long.
    package var longValues = 0
    /// Joined names that were split.
    package var splitNames = 0
    /// Tracks in the rejects file.
    package var rejects = 0
    /// The number of these by reason; `nil` if there is no rejects file, or it differs.
    package var rejectsByReason: [String: Int]?
    /// The number of rows in each of the app's own tables that were carried over.
    package var keptTables: [String: Int64] = [:]

    /// Adds what is counted of tracks and their documents, each by itself.
    mutating func add(_ other: Counts) {
      tracks += other.tracks
      fallbacks += other.fallbacks
      fallbacksByReason.merge(other.fallbacksByReason, uniquingKeysWith: +)
      readableDocuments += other.readableDocuments
      documentsByPreset.merge(other.documentsByPreset, uniquingKeysWith: +)
      decisionsByKind.merge(other.decisionsByKind, uniquingKeysWith: +)
      namelessArtists += other.namelessArtists
      duplicateKeys += other.duplicateKeys
      longValues += other.longValues
      splitNames += other.splitNames
    }
  }

  /// Compares the stores.
  ///
  /// - Returns: The expected numbers; `nil` if the rows of the new library cannot be compared, which is reported as a
  ///   difference.
  /// - Throws: An error if a library cannot be read, or the error that the log throws.
  package func run(_ log: DifferenceLog) throws -> Counts? {
    let schema = try StoreSchema(sourceModel, introspecting: source)
    return try source.compared(with: result, isCancelled, readInOrder: (schema, Set(trackEntityNames))) {
      try compare(schema, log)
    } damaged: { message in
      try log.add(.damage) { $0.found = message }
    }
  }

  private func compare(_ schema: StoreSchema, _ log: DifferenceLog) throws -> Counts? {
    let old = StoreSide(reader: source, schema: schema)
    let naming = JoinTableNaming(foundIn: old.schema)
    let new = StoreSide(reader: result, schema: StoreSchema(resultModel, joinTables: naming))
    guard let names = LinkNames(new.schema) else { throw MigrationError(.migrationRequired, path: result.file.path) }
    let store = StoreCheck(old: old, new: new, log: log)
    let tables = try TableCheck(old: old, new: new, explained: expectedMissingTables, log: log)
    try store.checkMetadata()
    let hasTables = try store.checkSchema(besides: tables.appNames)
    let integrity = try IntegrityCheck(new.reader, isCancelled)
    // What is in a damaged file is not worth comparing, and would be reported first.
    log.beforeNext = { try integrity.requireWhole() }
    let counts = Result {
      guard hasTables else { return nil as Counts? }
      try store.checkMetadataRows()
      try store.checkModelCache()
      try store.checkPrimaryKeys()
      var counts = try compareRows(old, new, names, integrity, log)
      counts.keptTables = tables.rowCounts
      try tables.checkStrayRows()
      try tables.checkAppTables()
      if checksExternalFiles { try tables.checkFiles() }
      return counts
    }
    log.beforeNext = nil
    return try log.add(integrity.findings()) ? try counts.get() : nil
  }

  private func compareRows(
    _ old: StoreSide, _ new: StoreSide, _ names: LinkNames, _ integrity: IntegrityCheck, _ log: DifferenceLog
  ) throws -> Counts {
    var progress = try Progress({ isCancelled() || integrity.hasFailed }, onProgress, rowsOf: old)
    var check = try TrackCheck(
      names, old: old, new: new, TrackReading(json: json, roles: roles, decisions: decisions),
      identifiesByID: identifiesByID, log: log)
    let lineage = Lineage(old.schema, keptIn: resultModel)
    for name in trackEntityNames {
      guard let route = lineage.routes.first(where: { $0.source == name }) else { continue }
      try check.check(route) { try progress.advance() }
    }
    try check.finish()
    for route in lineage.routes where !trackEntityNames.contains(route.source) {
      try RouteComparison(route, old: old, new: new, keepsVersions: true, log: log)?
        .run(.keys) { _, _ in try progress.advance() }
    }
    let scratch = try Connection(path: "a temporary file", access: .temporary)
    let entities = EntityCheck(lineage, old: old, new: new, scratch: scratch, keepsAllKeys: true, log: log)
    try DanglingLinkCheck(side: new, exceptedTable: names.table, log: log).run()
    var links = try LinkCheck(lineage, entities, old: old, new: new, scratch: scratch, log: log)
    try links.run()
    var counts = check.counts
    counts.rejects = check.rejects.count
    if let rejectsPath {
      counts.rejectsByReason = try RejectsCheck(path: rejectsPath, old: old, log: log).run(expected: check.rejects)
    } else if requiresRejects, !check.rejects.isEmpty {
      try log.add(.rejects) { $0.expected = "a file with \(check.rejects.count.counting("line"))" }
    }
    return counts
  }
}

/// Reports how far a comparison is, and stops it.
struct Progress {
  private static let step = 4096

  private let isCancelled: () -> Bool
  private let report: ((_ completedCount: Int, _ totalCount: Int) -> Void)?
  private let totalCount: Int
  private var completedCount = 0

  init(
    _ isCancelled: @escaping () -> Bool, _ report: ((Int, Int) -> Void)?, rowsOf side: StoreSide
  ) throws(SQLiteError) {
    (self.isCancelled, self.report) = (isCancelled, report)
    var count: Int64 = 0
    for table in side.schema.tables where report != nil { count += try side.approximateCount(table.name) }
    totalCount = Int(count)
  }

  mutating func advance() throws {
    completedCount += 1
    guard completedCount.isMultiple(of: Self.step) || completedCount == totalCount else { return }
    if isCancelled() { throw MigrationError(.interrupted) }
    report?(completedCount, totalCount)
  }
}

extension StoreReader {
  /// Compares this old store with a new one.
  ///
  /// - Parameters:
  ///   - readInOrder: The entities of this store whose rows are only read with ``RowMergeCursor``, which finds loops by itself.
  ///   - damaged: Called with SQLite's message if the new store cannot be read to its end, which is a difference and not an
  ///     error.
  func compared<Result>(
    with result: StoreReader, _ isCancelled: @escaping () -> Bool,
    readInOrder: (schema: StoreSchema, entityNames: Set<String>)? = nil, _ body: () throws -> Result?,
    damaged: (String) throws -> Void
  ) throws -> Result? {
    for store in [self, result] { store.connection.onProgress(every: 1_000_000) { isCancelled() } }
    defer { for store in [self, result] { store.connection.onProgress(every: 0, nil) } }
    do {
      try requireBoundedTables(except: readInOrder?.schema, ofEntitiesNamed: readInOrder?.entityNames)
      try result.requireBoundedTables()
      return try body()
    } catch let error as SQLiteError {
      let isResult =
        FileSystem.areSame(error.path, result.connection.path) && !FileSystem.areSame(error.path, connection.path)
      guard isResult, [SQLiteError.corrupt, SQLiteError.general, SQLiteError.mismatch].contains(error.code) else {
        throw MigrationError(error, path: isResult ? result.file.path : file.path)
      }
      try damaged(error.message)
      return nil
    }
  }
}

/// One of the two stores that are compared.
struct StoreSide {
  let reader: StoreReader
  /// The layout of the store.
  let schema: StoreSchema
  /// The connection of the thread that uses this.
  let connection: Connection

  /// - Parameter connection: Another one than the reader's.
  init(reader: StoreReader, schema: StoreSchema, connection: Connection? = nil) {
    (self.reader, self.schema, self.connection) = (reader, schema, connection ?? reader.connection)
  }

  /// The same store for another thread, with a connection of its own.
  func onOtherThread() throws -> StoreSide {
    StoreSide(reader: reader, schema: schema, connection: try reader.openConnection().connection)
  }

  var isUTF16: Bool { reader.layout.encoding.uppercased() != "UTF-8" }

  /// The expressions that select a column so that equal results mean equal bytes.
  ///
  /// SQLite returns text as UTF-8, which would hide invalid UTF-16.
  func exactly(_ column: String, comparedWith other: StoreSide) -> [String] {
    let name = column.quotedIdentifier
    guard isUTF16, reader.layout.encoding == other.reader.layout.encoding else { return [name] }
    return ["typeof(\(name))", "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) ELSE \(name) END"]
  }

  /// The SQL condition that selects an entity's rows in its table; `nil` if the table holds no others.
  func condition(forEntityNamed name: String) -> String? {
    guard let table = schema.table(forEntityNamed: name), table.entityNames.count > 1 else { return nil }
    return "Z_ENT = \(schema.entityNumber(name))"
  }

  /// Columns of one row; `nil` if there is no such row.
  func row(_ key: Int64, of table: String, _ columns: [String]) throws(SQLiteError) -> Statement? {
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let statement = try connection.prepare("SELECT \(list) FROM \(table.quotedIdentifier) WHERE Z_PK = \(key)")
    return try statement.step() ? statement : nil
  }

  /// The number of rows in a table.
  func count(_ table: String, where condition: String? = nil) throws(SQLiteError) -> Int64 {
    let filter = condition.map { " WHERE \($0)" } ?? ""
    return try connection.integer("SELECT count(*) FROM \(table.quotedIdentifier)\(filter)") ?? 0
  }

  /// The number of rows in a table, or somewhat more where rows have been deleted.
  ///
  /// To count them takes longer than to find their least and greatest key.
  func approximateCount(_ table: String) throws(SQLiteError) -> Int64 {
    guard let keys = try keyRange(of: table) else { return 0 }
    let (distance, isTooFar) = keys.upperBound.subtractingReportingOverflow(keys.lowerBound)
    // Keys with great gaps tell nothing. Whatever the file says, there are no more rows than fit into it.
    let size = reader.usedSize
    guard isTooFar || distance >= size / 64 else { return distance + 1 }
    return try connection.integer(
      "SELECT count(*) FROM (SELECT 1 FROM \(table.quotedIdentifier) LIMIT \(size / 4))") ?? 0
  }

  /// The range of a table's keys; `nil` if it has no rows.
  func keyRange(of table: String) throws(SQLiteError) -> ClosedRange<Int64>? {
    // Two queries: SQLite would read the whole table for both at once.
    guard let least = try connection.integer("SELECT min(Z_PK) FROM \(table.quotedIdentifier)"),
      let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table.quotedIdentifier)"), least <= greatest
    else { return nil }
    return least...greatest
  }

  /// The keys of rows, sorted.
  func keys(_ table: String, where condition: String?) throws(SQLiteError) -> Statement {
    let filter = condition.map { " WHERE \($0)" } ?? ""
    return try connection.prepare("SELECT Z_PK FROM \(table.quotedIdentifier)\(filter) ORDER BY Z_PK")
  }
}

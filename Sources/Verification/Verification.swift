package import DataModel
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// Proves that a track library is what the migration of another had to make of it, by reading both anew.
///
/// Nothing here is shared with the code that migrates, so that no mistake is made twice: not its parser, not its tables of
/// artists and links, not its statements. Common is only what reads a store: its layout and metadata.
///
/// Tracks are walked on both sides at once, links in the order of their tracks, so memory grows with the number of artists
/// only.
package struct Verification {
  /// The old library.
  package let source: StoreReader
  /// Its model.
  package let sourceModel: ManagedObjectModel
  /// The new library.
  package let result: StoreReader
  /// The model that it has to have.
  package let resultModel: ManagedObjectModel
  /// The kinds of tracks, in the order in which artists are made of them.
  package var trackEntityNames = ["Track"]
  /// Whether the id makes two mentions the same artist, where there is one, rather than the name.
  package var identifiesByID = false
  /// The file with the documents that could not be read, if there is one.
  package var rejectsPath: String?
  /// Whether there must be a file of rejects if there are any.
  package var requiresRejects = false
  /// The app's own tables that could not be carried over, as the migration has said.
  package var expectedMissingTables: Set<String> = []
  /// Whether files of large values lie beside the new library by now.
  package var checksExternalFiles = true
  /// Asked now and then whether to stop.
  package var isCancelled: () -> Bool = { false }
  /// Called now and then with the number of rows that are compared, and of all.
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

  /// What there has to be.
  package struct Counts: Sendable, Hashable {
    /// Tracks of all kinds.
    package var tracks = 0
    /// Artists.
    package var artists = 0
    /// Links between tracks and artists.
    package var links = 0
    /// Tracks that use their `artistName`.
    package var fallbacks = 0
    /// Those whose document can be read or is not there, by reason.
    package var fallbacksByReason: [String: Int] = [:]
    /// Documents that can be read.
    package var readableDocuments = 0
    /// Tracks without any artist.
    package var tracksWithoutArtist = 0
    /// Elements of `artists` without a name.
    package var namelessArtists = 0
    /// Keys that come a second time where only one can count.
    package var duplicateKeys = 0
    /// What mentions say differently.
    package var contradictions = Contradictions()
    /// Ids and images that are too long to be kept.
    package var longValues = 0
    /// Tracks that the rejects file keeps.
    package var rejects = 0
    /// The same by the reasons that the file gives; `nil` where there is none, or it is not as it has to be.
    package var rejectsByReason: [String: Int]?
    /// The tables of the app's own that are carried over, with the number of rows in each.
    package var keptTables: [String: Int64] = [:]
  }

  /// Compares the stores.
  ///
  /// - Returns: What there has to be; `nil` where the new library is such that its rows cannot be compared, which is among
  ///   the differences.
  /// - Throws: What keeps the stores from being read, or what the log throws.
  package func run(_ log: DifferenceLog) throws -> Counts? {
    try source.compared(with: result, isCancelled) {
      try compare(log)
    } damaged: { message in
      try log.add(.damage) { $0.found = message }
    }
  }

  private func compare(_ log: DifferenceLog) throws -> Counts? {
    let old = StoreSide(reader: source, schema: try StoreSchema(sourceModel, introspecting: source))
    let naming = JoinTableNaming(foundIn: old.schema)
    let new = StoreSide(reader: result, schema: StoreSchema(resultModel, joinTables: naming))
    guard let names = LinkNames(new.schema) else { throw MigrationError(.migrationRequired, path: result.file.path) }
    let store = StoreCheck(old: old, new: new, log: log)
    let tables = try TableCheck(old: old, new: new, explained: expectedMissingTables, log: log)
    try store.checkMetadata()
    let hasTables = try store.checkSchema(besides: tables.appNames)
    guard try store.checkIntegrity(), hasTables else { return nil }
    try store.checkMetadataRows()
    try store.checkModelCache()
    try store.checkPrimaryKeys()
    var counts = try compareRows(old, new, names, log)
    counts.keptTables = tables.rowCounts
    try tables.checkStrayRows()
    try tables.checkAppTables()
    if checksExternalFiles { try tables.checkFiles() }
    return counts
  }

  private func compareRows(
    _ old: StoreSide, _ new: StoreSide, _ names: LinkNames, _ log: DifferenceLog
  ) throws -> Counts {
    var progress = Progress(isCancelled, onProgress, total: try totalCount(old))
    var check = try TrackCheck(names, old: old, new: new, identifiesByID: identifiesByID, log: log)
    for name in trackEntityNames {
      guard let entity = resultModel.entity(named: name) else { continue }
      try check.check(entity) { try progress.advance() }
    }
    try check.finish()
    let kinds = Set(trackEntityNames)
    for entity in resultModel.entities
    where !entity.isAbstract && !kinds.contains(entity.name) && entity.name != "Artist" {
      try EntityComparison(entity, old: old, new: new, log: log)?.run { _ in try progress.advance() }
    }
    for table in new.schema.joinTables where table.name != names.table {
      try JoinTableComparison(table, old: old, new: new, log: log)?.run()
    }
    var rejectsByReason: [String: Int]?
    if let rejectsPath {
      rejectsByReason = try RejectsCheck(path: rejectsPath, old: old, log: log).run(expected: check.rejects)
    } else if requiresRejects, !check.rejects.isEmpty {
      try log.add(.rejects) { $0.expected = "a file with \(check.rejects.count.counting("line"))" }
    }
    let counts = check.counts
    return Counts(
      tracks: counts.tracks, artists: check.artistCount, links: counts.links, fallbacks: counts.fallbacks,
      fallbacksByReason: counts.fallbacksByReason, readableDocuments: counts.readableDocuments,
      tracksWithoutArtist: counts.tracksWithoutArtist, namelessArtists: counts.namelessArtists,
      duplicateKeys: counts.duplicateKeys, contradictions: check.contradictions, longValues: counts.longValues,
      rejects: check.rejects.count, rejectsByReason: rejectsByReason)
  }

  private func totalCount(_ old: StoreSide) throws -> Int {
    guard onProgress != nil else { return 0 }
    return try old.schema.tables.reduce(0) { sum, table in
      sum + Int(try old.connection.integer("SELECT count(*) FROM \(table.name.quotedIdentifier)") ?? 0)
    }
  }
}

/// Tells how far a comparison is, and stops it.
struct Progress {
  private static let step = 4096

  private let isCancelled: () -> Bool
  private let report: ((_ completedCount: Int, _ totalCount: Int) -> Void)?
  private let totalCount: Int
  private var completedCount = 0

  init(_ isCancelled: @escaping () -> Bool, _ report: ((Int, Int) -> Void)?, total: Int) {
    (self.isCancelled, self.report, totalCount) = (isCancelled, report, total)
  }

  mutating func advance() throws {
    completedCount += 1
    guard completedCount.isMultiple(of: Self.step) || completedCount == totalCount else { return }
    if isCancelled() { throw MigrationError(.interrupted) }
    report?(completedCount, totalCount)
  }
}

extension StoreReader {
  /// Reads this old store and a new one.
  ///
  /// - Parameter damaged: Called with what SQLite says where the new one cannot be read to its end, which is a
  ///   difference and no error.
  func compared<Result>(
    with result: StoreReader, _ isCancelled: @escaping () -> Bool, _ body: () throws -> Result?,
    damaged: (String) throws -> Void
  ) throws -> Result? {
    for store in [self, result] { store.connection.onProgress(every: 1_000_000) { isCancelled() } }
    defer { for store in [self, result] { store.connection.onProgress(every: 0, nil) } }
    do {
      for store in [self, result] { try store.requireBoundedTables() }
      return try body()
    } catch let error as SQLiteError {
      let isResult = error.path == result.connection.path && connection.path != error.path
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
  /// How it is laid out.
  let schema: StoreSchema

  var connection: Connection { reader.connection }

  var isUTF16: Bool { reader.layout.encoding.uppercased() != "UTF-8" }

  /// What is selected of a column so that equal results mean equal bytes.
  ///
  /// SQLite gives out text as UTF-8. What is wrong with UTF-16 would be repaired on the way, and so get lost.
  func exactly(_ column: String, comparedWith other: StoreSide) -> [String] {
    let name = column.quotedIdentifier
    guard isUTF16, reader.layout.encoding == other.reader.layout.encoding else { return [name] }
    return ["typeof(\(name))", "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) ELSE \(name) END"]
  }

  /// What tells an entity's rows from others of its table; `nil` where the table holds no others.
  func condition(forEntityNamed name: String) -> String? {
    guard let table = schema.table(forEntityNamed: name), table.entityNames.count > 1 else { return nil }
    return "Z_ENT = \(schema.entityNumber(name))"
  }

  /// Whether a table has a row of this key.
  func hasRow(_ key: Int64, in table: String) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT 1 FROM \(table.quotedIdentifier) WHERE Z_PK = \(key)") != nil
  }
}

package import DataModel
package import JSONPresets
internal import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase
package import Verification

/// Checks the result of a track library's migration by reading both libraries again.
///
/// It shares no code with the migration, so that no mistake is made twice: not its parser, nor its tables of artists and
/// links, nor its statements. Only the code that reads a store's layout and metadata is the same.
///
/// The tracks of both libraries are walked at once, and links in the order of their tracks, so memory grows only with the
/// number of artists.
package struct LibraryComparison {
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
  /// The places of artists in the documents.
  package var json = JSONShape.auto
  /// The roles of the artists that are wanted; `nil` for all.
  package var roles: Set<ArtistRole>?
  /// A person's decisions about artists.
  package var decisions: ArtistDecisions?
  /// The rejects file, if there is one.
  package var rejectsPath: String?
  /// Whether rejects require a rejects file.
  package var requiresRejects = false
  /// The app's own tables that the migration has reported as not carried over.
  package var expectedMissingTables: Set<String> = []
  /// Whether the new library has its external data files by now.
  package var checksExternalFiles = true
  /// Hashes what identifies an artist.
  var artistHash = ArtistTable.hash
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
    /// The facts; of fallbacks the reasons with a readable document or none.
    package var facts = Facts(
      lookingFor: Fact.all(of: .result, .document, .detail, .conflict) + [.rejects])
    /// Readable documents.
    package var readableDocuments = 0
    /// The tracks in the rejects file by reason; `nil` if there is no rejects file, or it differs.
    package var rejectsByReason: [String: Int]?
    /// The number of rows in each of the app's own tables that were carried over.
    package var keptTables: [String: Int64] = [:]

    /// Adds what is counted of tracks and their documents, each by itself.
    mutating func add(_ other: Counts) {
      facts.add(other.facts)
      readableDocuments += other.readableDocuments
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
      identifiesByID: identifiesByID, artistHash, log: log)
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
    counts.facts[.rejects] = check.rejects.count
    if let rejectsPath {
      counts.rejectsByReason = try RejectsCheck(path: rejectsPath, old: old, log: log).run(expected: check.rejects)
    } else if requiresRejects, !check.rejects.isEmpty {
      try log.add(.rejects) { $0.expected = "a file with \(check.rejects.count.counting("line"))" }
    }
    return counts
  }
}

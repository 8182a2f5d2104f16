internal import DataModel
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// Finds out whether a store is what it claims to be, and changes nothing.
///
///     let document = try StoreExamination(path: "Library.sqlite", candidates: models).run()
///     for finding in document.findings { print(finding.code.rawValue, finding.fact) }
package struct StoreExamination {
  /// The store, as the user named it.
  package var path: String
  /// The models that the store may have, if it keeps no copy of its own.
  package var candidates: [CandidateModel]
  /// Whether the caller has named the app's model, which the store then has to fit.
  package var isModelNamed = false
  /// The time to wait for other programs.
  package var waiting = WaitPolicy()

  /// Prepares the examination of a store.
  package init(path: String, candidates: [CandidateModel]) {
    (self.path, self.candidates) = (path, candidates)
  }

  /// Examines the store.
  ///
  /// - Throws: `MigrationError` if there is no such file, if it is not a Core Data store, or if another program has it
  ///   locked. All that is wrong with a store is in the document.
  package func run() throws(MigrationError) -> HealthDocument { try run(on: StoreFile(path)) }

  /// Examines a file, whose large values may be beside another one.
  ///
  /// - Parameter folder: The folder of those values; by default the file's own.
  func run(on file: StoreFile, valuesIn folder: ExternalDataFolder? = nil) throws(MigrationError) -> HealthDocument {
    var notes = HealthNotes(path: path)
    let store: StoreReader
    do throws(MigrationError) {
      store = try LockRetry(waiting).open(file)
    } catch {
      try notes.explain(error, file)
      return notes.document
    }
    try reporting(path: path) {
      let isReadable = try store.connection.reading { try examineFile(store, &notes) }
      guard isReadable else { return }
      // All rows are looked at in one state of the store.
      try store.connection.reading {
        try examineStore(store, folder ?? ExternalDataFolder(ofStoreAt: file.resolvedPath), &notes)
      }
    }
    try store.close()
    return notes.document
  }

  /// Examines the pages.
  ///
  /// - Returns: Whether rows can be read.
  private func examineFile(_ store: StoreReader, _ notes: inout HealthNotes) throws -> Bool {
    try notes.examinePages(store.connection, store.file)
    for table in try store.tablesWithChecks() {
      notes.leave(part: "the CHECK constraints of '\(table)', which SQLite tests only where it may write")
    }
    if notes.has(.pages) {
      notes.leave([.metadata, .modelCopy, .tables], because: "the file's pages are damaged")
      notes.leaveRows(because: "the file's pages are damaged")
      return false
    }
    return true
  }

  private func examineStore(
    _ store: StoreReader, _ folder: ExternalDataFolder, _ notes: inout HealthNotes
  ) throws {
    store.requireBoundedTablesOfLongQuestions()
    let hashes = store.metadata.versionHashes
    let metadata = try MetadataExamination(store)
    metadata.run(&notes)
    let known = candidates.model(withVersionHashes: hashes)
    let own = metadata.examineModelCopy(known?.model, &notes)
    notes.isMigrationDue = isMigrationDue(from: known, hashes)
    if notes.has(.indexEntries) {
      let reason = "indexes are not those of their tables, and searches in them would miss rows"
      notes.leave([.tables], because: reason)
      return notes.leaveRows(because: reason)
    }
    try HistoryExamination(store).run(&notes)
    // A copy does not tell the limits of values.
    guard let model = known?.model ?? own else {
      notes.model = .unknown
      if isModelNamed, !hashes.isEmpty {
        notes.add(Finding(.unknownVersion, "the model that was named has no version with its version hashes"))
      }
      let reason =
        hashes.isEmpty ? "the store names no version hashes" : "no known model has the store's version hashes"
      notes.leave([.tables], because: reason)
      return notes.leaveRowsOfModel(because: reason)
    }
    notes.model = known.map { .named($0.name) } ?? .own
    if known == nil {
      notes.leave(part: "the limits of values, which the store's own copy of its model does not tell here")
    }
    let report = try store.layoutReport(of: model)
    try notes.take(report, of: store)
    guard report.schema != nil else {
      return notes.leaveRowsOfModel(because: "parts of their tables are missing")
    }
    let schema = try StoreSchema(model, introspecting: store)
    try RowExamination(store, schema).run(&notes)
    try ValueExamination(store, schema).run(&notes)
    try LinkExamination(store, schema).run(&notes)
    try TextExamination(store, schema).run(&notes)
    try ExternalFileExamination(store, schema, folder).run(&notes)
    notes.withholdUniqueIndexes()
  }

  /// Whether a store is of a version that is migrated to another one.
  private func isMigrationDue(
    from known: (name: String, model: ManagedObjectModel)?, _ hashes: [String: VersionHash]
  ) -> Bool {
    guard known != nil, let current = candidates.first(where: \.isCurrent) else { return false }
    return !current.model.isCompatible(withVersionHashes: hashes)
      && current.model.configurationName(compatibleWithVersionHashes: hashes) == nil
  }
}

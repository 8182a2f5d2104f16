internal import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// Makes a copy of a store without its secrets, to show it to others.
///
/// Keys, links, entities, the model and the shape of each value are those of the store; texts, numbers, dates and data are
/// others. A migration of the copy meets the same cases. The key of the replacement is random and forgotten.
///
/// Statistics and rejects beside the store are not copied: they hold values.
package struct StoreRedaction {
  /// The store.
  package let path: String
  /// The new file.
  package let outputPath: String
  /// The attributes whose values stay, as `Entity.attribute`.
  package var kept: [String] = []
  /// The words that stay.
  package var vocabulary = RedactionVocabulary()
  /// The models that the store may have, besides its own copy.
  package var candidates: [CandidateModel] = []
  /// Whether it must have one of these.
  package var requiresCandidate = false
  /// The key of the replacement, which tests choose.
  package var key = RedactionKey()

  /// Prepares to redact a store.
  package init(path: String, outputPath: String) { (self.path, self.outputPath) = (path, outputPath) }

  /// The outcome of a redaction.
  package struct Result: Sendable {
    /// The number of rows, of all tables.
    package let rowCount: Int64
    /// The number of tables.
    package let tableCount: Int
    /// The number of external data files.
    package let fileCount: Int
    /// The parts of the store that are not in the copy, in words.
    package let leftOut: [String]
    /// The reason why columns were told by their names and types alone; `nil` if the model was known.
    package let modelProblem: String?
    /// Warnings about steps after the publication that failed.
    package let warnings: [MigrationError]
  }

  /// Writes the copy.
  ///
  /// - Throws: `MigrationError`; then there is no file. It has the code `damaged` for a store with damaged pages, and
  ///   `redactionIncomplete` if the result had a word of the store.
  package func run() throws(MigrationError) -> Result {
    let target = try ReplacementSession.target(path: path, outputPath: outputPath)
    let session = try ReplacementSession(
      path: path, outputPath: outputPath, target: target, access: NewFileAccess(from: [path]))
    do throws(MigrationError) {
      return try run(session)
    } catch {
      session.discard()
      throw session.inUserTerms(error)
    }
  }

  private func run(_ session: ReplacementSession) throws(MigrationError) -> Result {
    let store = try session.open()
    do throws(MigrationError) {
      return try run(session, store)
    } catch {
      // Nothing but the copy is written from now on.
      throw error.code == .diskFull ? error.about(outputPath) : error
    }
  }

  private func run(
    _ session: ReplacementSession, _ store: ReplacementSession.LockedStore
  ) throws(MigrationError) -> Result {
    let redactor = Redactor(key: key, vocabulary: vocabulary)
    let staged = ExternalDataFolder(stagedBy: session.staging)
    var problem: String?
    let (copy, fileCount) = try reporting(path: path) {
      try store.reader.requireBoundedTables()
      return try store.reader.checkingPages(for: .tables) {
        // All tables are read in one state of the store.
        try store.reader.connection.reading { () throws -> (RedactedCopy, Int) in
          let schema = try layout(of: store.reader, &problem)
          let plan = try RedactionPlan(store.reader, schema, keeping: kept)
          var copy = try RedactedCopy(of: store.reader, by: plan, redactor, to: session.staging.path)
          try copy.write()
          let files = RedactedFiles(
            ofStoreAt: store.file.resolvedPath, redactor, keeping: try keptFiles(of: store.reader, schema))
          let count = try files.write(to: staged, &copy.leaks)
          try copy.check()
          return (copy, count)
        }
      }
    }
    try store.reader.close()
    let warnings = try publish(store, staged, session)
    return Result(
      rowCount: copy.rowCount, tableCount: copy.tableCount, fileCount: fileCount, leftOut: copy.leftOut,
      modelProblem: problem, warnings: warnings)
  }

  /// Lets the external data files appear first, so that no row of the new store leads nowhere.
  private func publish(
    _ store: ReplacementSession.LockedStore, _ staged: ExternalDataFolder, _ session: ReplacementSession
  ) throws(MigrationError) -> [MigrationError] {
    let folder = ExternalDataFolder(ofStoreAt: session.target)
    let hasFiles = staged.exists
    if hasFiles { try staged.publish(as: folder) }
    do throws(MigrationError) {
      return try session.publish(store, companions: [], backupPath: nil)
    } catch {
      if hasFiles { folder.discard() }
      throw error
    }
  }

  /// The layout of the store by its model; `nil`, with the reason, if the model is not known or does not fit.
  private func layout(of store: StoreReader, _ problem: inout String?) throws -> StoreSchema? {
    if let known = candidates.model(withVersionHashes: store.metadata.versionHashes) {
      return try StoreSchema(known.model, introspecting: store)
    }
    if requiresCandidate {
      throw MigrationError(.unknownVersion, path: path, detail: "the model has no version with its version hashes")
    }
    do throws(MigrationError) {
      guard let model = try store.writtenModel() else {
        problem = "the store has no copy of its model"
        return nil
      }
      return try StoreSchema(model, introspecting: store)
    } catch {
      // A store whose tables are not those of its model can be shown as it is.
      guard error.code == .unreadableModelCache || error.code == .damaged else { throw error }
      problem = error.detail ?? "the store's copy of its model cannot be used"
      return nil
    }
  }

  /// The external data files of attributes whose values stay.
  private func keptFiles(of store: StoreReader, _ schema: StoreSchema?) throws(MigrationError) -> Set<String> {
    guard let schema else { return [] }
    var names: Set<String> = []
    for name in kept {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      for file in try store.externalFiles(ofAttribute: parts[1], ofEntityNamed: parts[0], in: schema) {
        names.insert(file.fileName)
      }
    }
    return names
  }
}

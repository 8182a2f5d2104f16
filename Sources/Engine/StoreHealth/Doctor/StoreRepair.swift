package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// Mends what can be mended in a store without losing anything that it holds.
///
/// The work is done on a copy, which takes the store's place as the result of a migration does, after it was examined and
/// compared with the store. The store itself is kept as a backup.
package struct StoreRepair {
  /// The examination by which findings are found, and what remains.
  package var examination: StoreExamination

  /// Prepares the repair of the store that an examination is about.
  package init(_ examination: StoreExamination) {
    self.examination = examination
  }

  /// The outcome of a repair.
  package struct Outcome: Sendable {
    /// The findings before.
    package let before: HealthDocument
    /// The findings that remain; `nil` if there was nothing to mend, and nothing was changed.
    package fileprivate(set) var after: HealthDocument?
    /// The work that was done, as clauses in the past tense.
    package fileprivate(set) var deeds: [String] = []
    /// The path of the store as it was.
    package fileprivate(set) var backupPath: String?
    /// The number of other names (hard links) of the old store, which still lead to it.
    package fileprivate(set) var otherNamesCount = 0
    /// Problems that remained once the new store was in place.
    package fileprivate(set) var warnings: [MigrationError] = []
  }

  private var path: String { examination.path }

  /// Mends the store.
  ///
  /// - Throws: `MigrationError`, with `damaged` if rows have to be saved from the store first. Then it is what it was.
  package func run() throws(MigrationError) -> Outcome {
    if let file = try? StoreFile(path) { UndoLog.recover(libraryAt: file.resolvedPath) }
    // Whether there is anything to do needs no right to write.
    let before = try examination.run()
    try requireReadable(before)
    guard !before.repairable.isEmpty else { return Outcome(before: before) }
    let target = try ReplacementSession.target(path: path, outputPath: nil)
    let session = try ReplacementSession(
      path: path, outputPath: nil, target: target, waiting: LockRetry(examination.waiting))
    do throws(MigrationError) {
      return try mend(before, session)
    } catch {
      session.discard()
      throw session.inUserTerms(error)
    }
  }

  /// Makes sure that no rows have to be saved first.
  private func requireReadable(_ document: HealthDocument, isRolledBack: Bool = false) throws(MigrationError) {
    if let finding = document.beyondRepair.first { throw refusal(finding.fact, isRolledBack) }
  }

  private func refusal(_ fact: String, _ isRolledBack: Bool = false) -> MigrationError {
    var error = MigrationError(.damaged, path: path, detail: fact)
    error.advice =
      "Nothing was changed, because a repair could lose rows. Restore it from a backup, or read its rows into a new store "
      + "with: \(.salvage(path))"
    return isRolledBack ? error.afterRollback : error
  }

  private func mend(
    _ first: HealthDocument, _ session: ReplacementSession
  ) throws(MigrationError) -> Outcome {
    let locked = try session.open()
    let folder = ExternalDataFolder(ofStoreAt: locked.file.resolvedPath)
    // Another program may have written since, and a journal is rolled back by now.
    let found = try examination.run(on: locked.file, valuesIn: folder)
    let rolledBack = first.findings.filter { $0.repair?.work == .rollback }
    try requireReadable(found, isRolledBack: !rolledBack.isEmpty)
    var outcome = Outcome(before: HealthDocument(found, preceding: rolledBack))
    outcome.deeds = rolledBack.compactMap(\.repair?.deed)
    guard !found.repairable.isEmpty else {
      outcome.after = found
      try locked.reader.close()
      session.discard()
      return outcome
    }
    try requireNoAppCode(found, locked.reader, isRolledBack: !rolledBack.isEmpty)
    try session.requireSpace(
      atMost: locked.reader.usedSize, { locked.reader.usedSize }, for: locked, keepsBackup: true)
    var copy = try makeCopy(of: locked.reader, at: session.staging.path, found)
    var after = try examination.run(on: StoreFile(session.staging.path), valuesIn: folder)
    // What was missing kept other things from being looked at, so it takes some rounds.
    while try copy.apply(after) { after = try examination.run(on: StoreFile(session.staging.path), valuesIn: folder) }
    try requireReadable(after)
    try RepairVerification(
      of: session.staging.path, madeFrom: locked.reader, computedColumns: copy.computedColumns, newNames: copy.newNames
    ).run()
    try locked.reader.close()
    if EndRequest.isMade { throw MigrationError(.interrupted, path: path) }
    let backupPath = try Backup.freePath(for: locked.file, version: Backup.unrepaired)
    outcome.after = after
    outcome.deeds += copy.deeds
    outcome.otherNamesCount = locked.file.hardLinkCount(besides: backupPath)
    outcome.warnings = try session.publish(locked, filesOf: nil, companions: [], backupPath: backupPath)
    outcome.backupPath = session.displayPath(backupPath)
    return outcome
  }

  /// Makes sure that SQLite can write all tables and indexes again, if a repair does.
  private func requireNoAppCode(
    _ document: HealthDocument, _ store: StoreReader, isRolledBack: Bool
  ) throws(MigrationError) {
    let isWrittenAgain = document.repairable.contains { finding in
      switch finding.repair?.work {
      case .indexes, .copying: true
      case .statements, .rollback, nil: false
      }
    }
    guard isWrittenAgain, let object = try reporting(path: path, { try store.connection.objectNeedingApp() }) else {
      return
    }
    let error = MigrationError(repairNeeding: object, path: path)
    throw isRolledBack ? error.afterRollback : error
  }

  private func makeCopy(
    of store: StoreReader, at path: String, _ document: HealthDocument
  ) throws(MigrationError) -> RepairedCopy {
    do throws(MigrationError) {
      return try RepairedCopy(of: store, at: path, document)
    } catch let error where error.code == .damaged {
      throw refusal(document.repairable.first?.fact ?? error.detail ?? "it cannot be copied")
    }
  }
}

extension MigrationError {
  /// The error of a repair that has rolled back the transaction of a journal before.
  fileprivate var afterRollback: MigrationError {
    var error = self
    error.advice = advice?.replacingPrefix(
      "Nothing was changed", with: "An unfinished transaction was rolled back; nothing else was changed")
    return error
  }
}

extension HealthDocument {
  /// The document with findings of an earlier look.
  fileprivate init(_ document: HealthDocument, preceding findings: [Finding]) {
    self.init(
      path: document.path, model: document.model, findings: findings + document.findings, checks: document.checks,
      unchecked: document.unchecked)
  }
}

package import DataModel
package import MigrationDiagnostics
package import PersistentStore
package import Verification

/// The parts of a migration that differ between kinds, while ``MigrationRun`` does all the rest.
///
/// The defaults are those of an app's store that is migrated among the versions of its model.
package protocol MigrationHooks {
  /// The noun for the migrated store in errors.
  var noun: String { get }
  /// Whether the store is kept from other writers even if the result is a new file.
  var locksSource: Bool { get }
  /// Whether the tables of the model are read only by statements that stop at a repeated row: no key can be used twice.
  var findsRepeatedRows: Bool { get }
  /// Whether policies only add rows to what the store has, so that the result can begin as a copy of its file.
  var growsCopy: Bool { get }
  /// The path that statistics and rejects name instead of the store's, which may be hidden and soon gone.
  var originPath: String? { get }
  /// Plans the migration of a store.
  func plan(_ migration: StoreMigration, of store: StoreReader) throws(MigrationError) -> MigrationPlan
  /// Returns what a strict migration stops at before any work, besides what the store holds beyond its model.
  func loss(of plan: MigrationPlan) -> (detail: String, advice: Advice?)?
  /// Returns the size that the result will have at most, in bytes, where that may be less than what the store takes.
  func estimatedSize(of store: StoreReader, _ schema: StoreSchema) -> Int64?
  /// Returns the error for a hop that cannot be carried out.
  func error(for refusal: StrategyRefusal) -> MigrationError
  /// Sets up the manager of a hop.
  func prepare(_ manager: MigrationManager)
  /// Returns whether the hops turned out to change nothing: then the store is left alone, and only a report and rejects
  /// appear.
  func changesNothing(_ steps: [StoreMigration.StepResult]) -> Bool
  /// Returns what a strict migration stops at when all hops are done.
  func violation(
    in steps: [StoreMigration.StepResult], _ uncopied: [DroppedContent], rejectsCount: Int
  ) -> String?
  /// Compares the store with a result that no other program sees yet, and fails if anything differs.
  func verify(
    _ built: BuiltStore, of migration: StoreMigration
  ) throws(MigrationError) -> StoreVerification.Findings?
  /// Returns where the report of a result goes if no path is named; `nil` if there is none then.
  func defaultReportPath(forResultAt path: String) -> String?
  /// Whether a report beside the store is about that store, so that it goes along with the backup; otherwise it is about a
  /// migration that was undone.
  var keepsEarlierReport: Bool { get }
  /// Sums up the migration for its report, as JSON.
  func report(_ result: StoreMigration.Result, _ built: BuiltStore) throws(MigrationError) -> [UInt8]
}

extension MigrationHooks {
  package var noun: String { "store" }
  package var locksSource: Bool { false }
  package var findsRepeatedRows: Bool { false }
  package var growsCopy: Bool { false }
  package var originPath: String? { nil }
  package var keepsEarlierReport: Bool { false }
  package func changesNothing(_ steps: [StoreMigration.StepResult]) -> Bool { false }

  package func plan(_ migration: StoreMigration, of store: StoreReader) throws(MigrationError) -> MigrationPlan {
    try migration.planAmongVersions(for: store)
  }

  package func loss(of plan: MigrationPlan) -> (detail: String, advice: Advice?)? { StrictViolations.loss(of: plan) }

  package func estimatedSize(of store: StoreReader, _ schema: StoreSchema) -> Int64? { nil }

  package func error(for refusal: StrategyRefusal) -> MigrationError { refusal.error }

  package func prepare(_ manager: MigrationManager) {}

  package func violation(
    in steps: [StoreMigration.StepResult], _ uncopied: [DroppedContent], rejectsCount: Int
  ) -> String? {
    StrictViolations(steps, uncopied, rejectsCount: rejectsCount).first
  }

  package func verify(
    _ built: BuiltStore, of migration: StoreMigration
  ) throws(MigrationError) -> StoreVerification.Findings? {
    try migration.verify(built)
  }

  package func defaultReportPath(forResultAt path: String) -> String? { nil }

  package func report(_ result: StoreMigration.Result, _ built: BuiltStore) throws(MigrationError) -> [UInt8] {
    StoreMigrationReport(result, toolVersion: toolVersion).json
  }
}

/// The hooks of an app's store, which needs none of its own.
struct AppStoreHooks: MigrationHooks {
  var keepsEarlierReport: Bool { true }
}

/// A result that is complete and has not appeared yet.
package struct BuiltStore {
  /// The store that it was made of.
  package let source: StoreReader
  /// The path of the result.
  package let path: String
  /// The plan that was carried out.
  package let plan: MigrationPlan
  /// The counts of each hop.
  package let steps: [StoreMigration.StepResult]
  /// The contents of the old store besides its instances.
  package let surroundings: NonModelContent
  /// The app's own contents that could not be carried over.
  package let uncopied: [DroppedContent]
  /// The path of the rejects; `nil` if there are none.
  package let rejectsPath: String?
}

/// The contents of a store's file besides the instances of its model, and the files beside it.
package struct NonModelContent: Sendable {
  /// The tables and columns that the model knows nothing of.
  package let foreignContent: [StoreReader.ForeignContent]
  /// The other contents that are not carried over, such as views and triggers.
  package let uncopied: [DroppedContent]
  /// The values whose files are not there.
  package let missingFiles: [StoreReader.ExternalFile]
  /// The relationships with links to instances that are not there, which are left out.
  package let danglingLinks: [ValidationFailure]
  /// Whether persistent history is to come along.
  private let keepsHistory: Bool
  /// Whether the new store began as a copy of the old one's file, and so has all of this.
  package internal(set) var isCopied = false

  /// Looks at a store that was written with a model.
  package init(
    _ store: StoreReader, model: ManagedObjectModel, keepsHistory: Bool = false
  ) throws(MigrationError) {
    self.keepsHistory = keepsHistory
    let schema = try StoreSchema(model, introspecting: store)
    foreignContent = try store.foreignContent(besides: schema)
    uncopied = try store.droppedContent(besides: schema)
    missingFiles = try store.missingExternalFiles(in: schema)
    danglingLinks = try StoreValidator(schema, store.connection, path: store.file.path).danglingLinks()
  }

  /// The tables that are carried over as they are: the app's own, and those of persistent history if they are to be.
  package var appTables: [String] { foreignContent.filter(isCarriedOver).map(\.name) }

  private func isCarriedOver(_ content: StoreReader.ForeignContent) -> Bool {
    content.kind == .app || keepsHistory && content.kind == .persistentHistory
  }

  /// The contents that are not carried over: persistent history and mirrors, whose rows refer to instances by numbers
  /// that a migration replaces, and columns that the model does not have.
  package var leftBehind: [StoreReader.ForeignContent] {
    isCopied ? [] : foreignContent.filter { !isCarriedOver($0) && $0.kind != .spatialIndex }
  }

  /// The losses at which a strict migration stops.
  package var losses: String? {
    if let loss = discarded(uncopied, namesEmpty: true).first { return loss }
    guard let missing = missingFiles.first else { return nil }
    let example = "that of \(missing.entityName) \(missing.primaryKey), \(missing.attributeName)"
    return missingFiles.count == 1
      ? "an external data file is missing: \(example)"
      : "the files of \(missingFiles.count) values are not there, such as \(example)"
  }

  /// The contents that only the old store has once it is replaced, with a text for each kind.
  ///
  /// - Parameters:
  ///   - uncopied: What could not be copied to the new store, as far as it is known.
  ///   - namesEmpty: Whether tables without rows and columns without values are told, too.
  package func discarded(_ uncopied: [DroppedContent], namesEmpty: Bool = false) -> [String] {
    let lost = leftBehind.filter { namesEmpty || $0.count > 0 }.map { "\($0.name) (\($0.count))" }
    let dangling = isCopied ? [] : danglingLinks.map { "\($0.entity).\($0.property) (\($0.count))" }
    return [
      lost.isEmpty ? nil : "the new file would not have the data in \(lost.joined(separator: ", "))",
      uncopied.loss,
      dangling.isEmpty ? nil : "links refer to missing rows: \(dangling.joined(separator: ", "))",
    ].compactMap { $0 }
  }
}

extension [DroppedContent] {
  /// The loss, as a strict migration reports it.
  package var loss: String? {
    guard !isEmpty else { return nil }
    return map { "'\($0.name)' cannot be carried over: \($0.reason.explanation)" }.joined(separator: "; ")
  }
}

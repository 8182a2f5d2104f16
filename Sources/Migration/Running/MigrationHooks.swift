package import DataModel
package import MigrationDiagnostics
public import PersistentStore

/// What a kind of migration does in its own way, while ``MigrationRun`` does all the rest.
///
/// Without any of it the run migrates an app's store among the versions that are known.
package struct MigrationHooks {
  /// What is migrated, as errors call it.
  package var noun = "store"
  /// Plans the migration of a store, rather than to look for hops among versions.
  package var plan: ((StoreReader) throws(MigrationError) -> MigrationPlan)?
  /// Whether the store is kept from other writers even if the result is a new file.
  package var locksSource = false
  /// Whether the tables of the model are read by statements only that end at a row that comes again: no key can be used
  /// twice.
  package var findsRepeatedRows = false
  /// What a strict migration stops at before any work, besides what the store holds beyond its model.
  package var loss: (MigrationPlan) -> String? = StrictViolations.loss
  /// About how large the result will be, in bytes, where that may be less than what the store takes.
  package var estimatedSize: ((StoreReader, StoreSchema) -> Int64)?
  /// Words that there is no way to carry out a hop.
  package var refusal: (StrategyRefusal) -> MigrationError = { $0.error }
  /// Sets the manager of a hop up.
  package var prepare: (MigrationManager) -> Void = { _ in }
  /// What a strict migration stops at when all hops are done.
  package var violation: ([StoreMigration.StepResult], [DroppedContent], _ rejectsCount: Int) -> String? = {
    StrictViolations($0, $1, rejectsCount: $2).first
  }
  /// Compares the store with what was made of it, which nobody sees yet.
  package var verify: ((BuiltStore) throws(MigrationError) -> Void)?
  /// Where the report goes if no path is named, by the path of the result; `nil` where there is none then.
  package var defaultReportPath: (String) -> String? = { _ in nil }
  /// Sums the migration up for its report: JSON.
  package var report: (StoreMigration.Result, BuiltStore) throws(MigrationError) -> [UInt8] = {
    (result, _) throws(MigrationError) in StoreMigrationReport(result, toolVersion: toolVersion).json
  }
}

/// A result that is complete and has not appeared yet.
package struct BuiltStore {
  /// The store that it was made of.
  package let source: StoreReader
  /// Where it is.
  package let path: String
  /// How it was made.
  package let plan: MigrationPlan
  /// What the old store held besides its instances.
  package let surroundings: NonModelContent
  /// What of the app's own could not be carried over.
  package let uncopied: [DroppedContent]
  /// Where the rejects are; `nil` if there are none.
  package let rejectsPath: String?
}

/// What a store's file holds besides the instances of its model, and what lies beside it.
public struct NonModelContent: Sendable {
  /// The tables and columns that the model knows nothing of.
  public let foreignContent: [StoreReader.ForeignContent]
  /// What else is there that is not carried over, such as views and triggers.
  public let uncopied: [DroppedContent]
  /// The values whose files are not there.
  public let missingFiles: [StoreReader.ExternalFile]
  /// The relationships with links to instances that are not there, which are left out.
  public let danglingLinks: [ValidationFailure]

  /// Looks at a store that was written with a model.
  package init(_ store: StoreReader, model: ManagedObjectModel) throws(MigrationError) {
    let schema = try StoreSchema(model, introspecting: store)
    foreignContent = try store.foreignContent(besides: schema)
    uncopied = try store.droppedContent(besides: schema)
    missingFiles = try store.missingExternalFiles(in: schema)
    danglingLinks = try StoreValidator(schema, store.connection, path: store.file.path).danglingLinks()
  }

  /// The app's own tables, which are carried over.
  public var appTables: [String] { foreignContent.filter { $0.kind == .app }.map(\.name) }

  /// What is not carried over: persistent history and mirrors, whose rows name instances by numbers that a migration
  /// gives anew, and columns that the model does not have.
  public var leftBehind: [StoreReader.ForeignContent] {
    foreignContent.filter { $0.kind != .app && $0.kind != .spatialIndex }
  }

  /// What a strict migration stops at.
  package var losses: String? {
    let lost = leftBehind.map { "\($0.name) (\($0.count))" }
    if !lost.isEmpty { return "the model has no place for what is in \(lost.joined(separator: ", "))" }
    if let loss = uncopied.loss { return loss }
    let dangling = danglingLinks.map { "\($0.entity).\($0.property) (\($0.count))" }
    if !dangling.isEmpty { return "links lead to nothing that is there: \(dangling.joined(separator: ", "))" }
    guard let missing = missingFiles.first else { return nil }
    let example = "that of \(missing.entityName) \(missing.primaryKey), \(missing.attributeName)"
    return missingFiles.count == 1
      ? "the file of a value is not there: \(example)"
      : "the files of \(missingFiles.count) values are not there, such as \(example)"
  }
}

extension [DroppedContent] {
  /// What a strict migration says of it.
  package var loss: String? {
    guard !isEmpty else { return nil }
    return map { "'\($0.name)' cannot be carried over: \($0.reason.explanation)" }.joined(separator: "; ")
  }
}

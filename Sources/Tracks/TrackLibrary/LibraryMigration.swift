internal import DataModel
public import Migration
public import MigrationDiagnostics
internal import PersistentStore
public import Policies
internal import TrackVerification
internal import Verification

/// The migration of one track library to the current version.
public struct LibraryMigration: MigrationConfigurable {
  /// The library, as the user named it.
  public var path: String
  /// The settings of the migration.
  public var settings = MigrationSettings()
  /// The options for tracks; how strict they are depends on ``settings``.
  public var trackOptions = TrackMigrationOptions()
  /// Whether JSON that holds more than the new library may be gone for good.
  ///
  /// Otherwise a migration that keeps no backup fails where most JSON has a shape that is not known, see
  /// `TrackMigrationOptions.requiresArtists`.
  public var discardsUnmatchedJSON = false
  /// Called with the path of the result before it is compared, so that tests can see what is found.
  package var onBuilt: ((String) throws -> Void)?

  /// Called with the path of the result of a dry run, and of its rejects if there are any, before they are removed.
  package var onRehearsed: ((_ path: String, _ rejectsPath: String?) throws(MigrationError) -> Void)?

  /// Prepares the migration of a library.
  public init(path: String) {
    self.path = path
  }

  /// The outcomes of the migration.
  public enum Outcome: Sendable {
    /// The library has the current version; nothing was changed.
    case alreadyCurrent(TrackModelVersion)
    case migrated(Result)
  }

  /// A migration that was carried out.
  public struct Result: Sendable {
    /// The counts and measurements.
    package let report: MigrationReport
    /// The migration as that of any store.
    package let result: StoreMigration.Result
    /// Whether old and new library were compared.
    public let isVerified: Bool

    /// The new library.
    public var path: String { result.path }
    /// The path of the report.
    public var reportPath: String { result.reportPath ?? "" }
    /// The path of the old library, if it was kept.
    public var backupPath: String? { result.backupPath }
    /// The path of the rejects, if there are any.
    public var rejectsPath: String? { result.rejectsPath }
    /// The problems that remained once the new library was in place.
    public var warnings: [MigrationError] { result.warnings }
    /// The first examples of each finding, by counter name.
    package var examples: [String: [String]] { result.steps.first?.statistics.examples ?? [:] }
  }

  /// Migrates the library.
  ///
  /// One library must not be migrated twice at the same time within one process: its locks belong to the process.
  ///
  /// - Parameter isDryRun: Whether to do all but the last step, and to remove what was made. The library may be in use
  ///   meanwhile, and a report is only written where `reportPath` says so. The outcome is what would come of the
  ///   migration: its paths are those that the files would have, and its report also shows which names look alike.
  /// - Throws: `MigrationError`. Then the library holds what it held, and nothing is left beside it. Only when the very
  ///   last step fails, the rename, has its write-ahead log been folded into it.
  public func run(isDryRun: Bool = false) throws(MigrationError) -> Outcome {
    let hooks = LibraryHooks(self, isDryRun: isDryRun)
    var migration = StoreMigration(path: path, versions: [])
    migration.settings = settings
    migration.policies = .builtIn(trackOptions: policyOptions)
    migration.hooks = hooks
    switch try migration.run(isDryRun: isDryRun) {
    case .alreadyCurrent: return .alreadyCurrent(.current)
    case .migrated(let result):
      guard let report = hooks.report else {
        throw MigrationError(.migrationFailed, path: path, detail: "there are no statistics")
      }
      return .migrated(Result(report: report, result: result, isVerified: hooks.counts != nil))
    }
  }

  private var policyOptions: TrackMigrationOptions {
    var options = trackOptions
    options.isStrict = settings.isStrict
    if !settings.keepsBackup, settings.outputPath == nil, !discardsUnmatchedJSON { options.requiresArtists = true }
    return options
  }
}

/// The hooks of a track library: it has one hop, and its report is about artists.
private final class LibraryHooks: MigrationHooks {
  private let migration: LibraryMigration
  private let isDryRun: Bool
  private var plan: LibraryMigrationPlan?
  /// The numbers that the result must have, once it was verified.
  private(set) var counts: LibraryComparison.Counts?
  /// The report, once it was made.
  private(set) var report: MigrationReport?

  init(_ migration: LibraryMigration, isDryRun: Bool) {
    self.migration = migration
    self.isDryRun = isDryRun
  }

  var noun: String { "library" }
  var findsRepeatedRows: Bool { true }

  func plan(_ migration: StoreMigration, of store: StoreReader) throws(MigrationError) -> MigrationPlan {
    let library = try TrackLibraryModel(of: store)
    guard library.version != .current else { return .finished(LoadedModelVersion(library)) }
    let plan = try LibraryMigrationPlan(for: library, path: migration.path)
    self.plan = plan
    return plan.hop
  }

  func loss(of plan: MigrationPlan) -> (detail: String, advice: Advice?)? {
    plan.steps.first?.remarks.first.map { ($0, nil) }
  }

  func estimatedSize(of store: StoreReader, _ schema: StoreSchema) -> Int64? {
    TrackLibrarySize.ofResult(store, schema)
  }

  func error(for refusal: StrategyRefusal) -> MigrationError {
    LibraryMigrationPlan.refusal("\(refusal.reason)", migration.path)
  }

  func prepare(_ manager: MigrationManager) {
    // What broke a rule of the library's own model before does so still, and is not a reason to keep it from its artists.
    // Nothing is required in our own v2, and what is linked was made a moment ago.
    manager.options.validation = plan?.source.hasCustomModel == true ? .newRules : .none
  }

  func violation(in steps: [StoreMigration.StepResult], _ uncopied: [DroppedContent], rejectsCount: Int) -> String? {
    Array(uncopied.prefix(1)).loss
  }

  func verify(_ built: BuiltStore, of migration: StoreMigration) throws(MigrationError) -> StoreVerification.Findings? {
    if let plan { counts = try self.migration.verify(built, plan) }
    return nil
  }

  func defaultReportPath(forResultAt path: String) -> String? { MigrationReport.path(forLibraryAt: path) }

  func report(_ result: StoreMigration.Result, _ built: BuiltStore) throws(MigrationError) -> [UInt8] {
    guard let plan else { return [] }
    var made = MigrationReport(result, plan, migration.trackOptions)
    if let counts { try migration.require(counts, of: made) }
    if isDryRun { try migration.onRehearsed?(built.path, built.rejectsPath) }
    if isDryRun { try made.add(NameFindings(inStoreAt: built.path, StoreSchema(plan.destination))) }
    report = made
    return made.json
  }
}

/// The mapping models between the versions of the track library.
package enum TrackMapping {
  /// From v1 to v2: the policy makes the artists, so `Artist` has no source of its own.
  package static var v1ToV2: MappingModel {
    let (v1, v2) = (TrackModel.v1, TrackModel.v2)
    guard let source = v1.entity(named: "Track"), let track = v2.entity(named: "Track"),
      let artist = v2.entity(named: "Artist")
    else { preconditionFailure("the track models lack their entities") }
    return MappingModel(entityMappings: [
      // Xcode wants the module.
      .suggested(from: source, to: track, policy: "Policies.\(TrackToTrackMigrationPolicy.className)"),
      EntityMapping(mappingType: .add, source: nil, destination: artist),
    ])
  }
}

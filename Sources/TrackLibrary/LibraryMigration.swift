internal import DataModel
public import Migration
public import MigrationDiagnostics
internal import PersistentStore
public import Policies
public import Verification

/// The migration of one track library to the current version.
public struct LibraryMigration: MigrationConfigurable {
  /// The library, as the user named it.
  public var path: String
  /// How the migration runs.
  public var settings = MigrationSettings()
  /// What is to be done with the tracks; how strictly, ``settings`` say.
  public var trackOptions = TrackMigrationOptions()
  /// Whether JSON that was not understood may be gone for good.
  ///
  /// Otherwise a migration that keeps no backup fails where most JSON has a shape that is not known, see
  /// `TrackMigrationOptions.requiresArtists`.
  public var discardsUnmatchedJSON = false
  /// Called with the first differences of a migration that is verified.
  public var onDifference: ((Difference) -> Void)?
  /// Called with the path of the result before it is compared, so that tests can see what is found.
  package var onBuilt: ((String) throws -> Void)?

  /// Prepares the migration of a library.
  public init(path: String) {
    self.path = path
  }

  /// What came of it.
  public enum Outcome: Sendable {
    /// The library has the current version; nothing was changed.
    case alreadyCurrent(TrackModelVersion)
    case migrated(Result)
  }

  /// A migration that was carried out.
  public struct Result: Sendable {
    /// What was counted and measured.
    public let report: MigrationReport
    /// The new library.
    public let path: String
    /// Where the report is.
    public let reportPath: String
    /// Where the old library is, if it was kept.
    public let backupPath: String?
    /// Where the rejects are, if there are any.
    public let rejectsPath: String?
    /// What the old library's file has besides its bytes and the new one's cannot have, for people.
    public let lostAttributes: [String]
    /// Whether old and new library were compared.
    public let isVerified: Bool
    /// How it was carried out, and why in this way.
    public let strategy: MigrationStrategy?
    /// The first examples of each finding, by counter name.
    public let examples: [String: [String]]
    /// What could not be made sure of once the new library was in place.
    public let warnings: [MigrationError]
  }

  /// Migrates the library.
  ///
  /// One library must not be migrated twice at the same time within one process: its locks belong to the process.
  ///
  /// - Throws: `MigrationError`. Then the library holds what it held, and nothing is left beside it. Only when the very
  ///   last step fails, the rename, has its write-ahead log been folded into it.
  public func run() throws(MigrationError) -> Outcome {
    try run(isDryRun: false)
  }

  /// Does all of the migration but its last step, and removes what it has made.
  ///
  /// The library may be in use meanwhile. A report is only written where `reportPath` says so.
  ///
  /// - Returns: What would come of the migration: the paths are those that the files would have. The report tells
  ///   besides which names of artists look alike, and which ids have several names.
  /// - Throws: `MigrationError`, as the migration would.
  public func dryRun() throws(MigrationError) -> Outcome {
    try run(isDryRun: true)
  }

  /// The migration as one of any store.
  private func storeMigration(_ didPlan: @escaping (LibraryMigrationPlan) -> Void) -> StoreMigration {
    var migration = StoreMigration(path: path, versions: [])
    migration.settings = settings
    migration.policies = .builtIn(trackOptions: policyOptions)
    migration.hooks.noun = "library"
    migration.hooks.findsRepeatedRows = true
    migration.hooks.plan = { store throws(MigrationError) in
      let library = try TrackLibraryModel(of: store)
      guard library.version != .current else { return .finished(LoadedModelVersion(library)) }
      let plan = try LibraryMigrationPlan(for: library, path: path)
      didPlan(plan)
      return plan.hop
    }
    migration.hooks.refusal = { LibraryMigrationPlan.refusal("\($0.reason)", path) }
    migration.hooks.loss = { $0.steps.first?.remarks.first }
    migration.hooks.estimatedSize = TrackLibrarySize.ofResult
    migration.hooks.violation = { _, uncopied, _ in Array(uncopied.prefix(1)).loss }
    migration.hooks.defaultReportPath = { MigrationReport.path(forLibraryAt: $0) }
    return migration
  }

  private func run(isDryRun: Bool) throws(MigrationError) -> Outcome {
    var plan: LibraryMigrationPlan?
    var counts: Verification.Counts?
    var report: MigrationReport?
    var migration = storeMigration { plan = $0 }
    // What broke a rule of the library's own model before does so still, and is no reason to keep it from its artists.
    // Nothing is required in our own v2, and what is linked was made a moment ago.
    migration.hooks.prepare = { $0.options.validation = plan?.source.hasCustomModel == true ? .newRules : .none }
    migration.hooks.verify = { built throws(MigrationError) in if let plan { counts = try verify(built, plan) } }
    migration.hooks.report = { result, built throws(MigrationError) in
      guard let plan else { return [] }
      var made = MigrationReport(result, plan, identity: trackOptions.identity)
      if let counts { try require(counts, of: made) }
      if isDryRun { try made.add(NameFindings(inStoreAt: built.path, StoreSchema(plan.destination))) }
      report = made
      return made.json
    }
    switch try migration.run(isDryRun: isDryRun) {
    case .alreadyCurrent: return .alreadyCurrent(.current)
    case .migrated(let result):
      guard let report else { throw MigrationError(.migrationFailed, path: path, detail: "there are no statistics") }
      return .migrated(Result(result, report, isVerified: counts != nil))
    }
  }

  private var policyOptions: TrackMigrationOptions {
    var options = trackOptions
    options.isStrict = settings.isStrict
    if !settings.keepsBackup, settings.outputPath == nil, !discardsUnmatchedJSON { options.requiresArtists = true }
    return options
  }
}

extension LibraryMigration.Result {
  fileprivate init(_ result: StoreMigration.Result, _ report: MigrationReport, isVerified: Bool) {
    self.report = report
    path = result.path
    reportPath = result.reportPath ?? ""
    (backupPath, rejectsPath) = (result.backupPath, result.rejectsPath)
    lostAttributes = result.lostAttributes
    self.isVerified = isVerified
    strategy = result.steps.first?.strategy
    examples = result.steps.first?.statistics.examples ?? [:]
    warnings = result.warnings
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

import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import TerminalOutput
import TrackLibrary

/// The migration of an app's store with the app's own models, as the command line asks for it.
struct AppMigration {
  let migration: StoreMigration

  /// Reads the models and mapping models.
  init(store: String, model: String, options: ModelOptions, trackOptions: TrackMigrationOptions) throws {
    let versions = try AppVersions(modelAt: model)
    let destination = try Self.destination(options.to, in: versions)
    var search = MappingSearch(versions: versions.all)
    do throws(MigrationError) {
      if options.mapping.isEmpty {
        try search.addMappings(besideModelAt: model)
      } else {
        for mapping in options.mapping { try search.add(path: mapping) }
      }
    } catch {
      throw versions.unreadable.inUserTerms(error)
    }
    var migration = StoreMigration(path: store, versions: versions.all)
    migration.destinationVersionName = destination
    migration.unreadableVersions =
      options.mapping.isEmpty
      ? versions.unreadable.withMappingModels(besideModelAt: model, known: versions.all) : versions.unreadable
    migration.mappings = search.mappings
    migration.allowsInference = !options.declinesInference
    migration.policies = try Self.policies(options, trackOptions)
    migration.joinTableRelationships = options.joinTable
    migration.isStrict = trackOptions.isStrict
    migration.allowsLoss = options.allowsLoss
    self.migration = migration
  }

  private static func destination(_ name: String?, in versions: AppVersions) throws(MigrationError) -> String {
    let name = try existingName(name, in: versions)
    // The warning about it would not say that it is the one that is wanted.
    if let version = versions.unreadable.first(where: { $0.name == name }) { throw MigrationError(version.error) }
    return name
  }

  private static func existingName(_ name: String?, in versions: AppVersions) throws(MigrationError) -> String {
    do throws(ModelFileError) {
      if let name { return try versions.bundle.version(named: name).name }
      return try versions.bundle.currentVersion().name
    } catch {
      var error = MigrationError(error)
      error.advice = "Name one of its versions with \(.version)."
      throw error
    }
  }

  private static func policies(_ options: ModelOptions, _ trackOptions: TrackMigrationOptions) throws -> PolicyRegistry
  {
    var registry = PolicyRegistry.builtIn(trackOptions: trackOptions)
    for (className, policy) in options.policyNames {
      guard registry.alias(className, for: policy) else {
        throw ValidationError(
          "There is no policy '\(policy)'; the policies are \(registry.classNames.joined(separator: ", ")).")
      }
    }
    return registry
  }

  /// Prints what would be done.
  ///
  /// A strict migration may stop at what shows only on the way, and so it is rehearsed.
  func printPlan(_ settings: Settings) throws {
    let meter = HopMeter()
    defer { meter.finish() }
    let migration = configured(settings, meter)
    if migration.isStrict { try migration.dryRun() }
    let survey = try migration.survey()
    meter.finish()
    warn()
    var lines = Self.text(isVerbose: true).plan(survey, of: migration.path) + (settings.verification?.lines ?? [])
    if settings.output == nil, !survey.plan.steps.isEmpty {
      let count = try StoreFile(migration.path).hardLinkCount()
      lines += MigrationSummary.otherNames(count, "would still lead to the old store")
    }
    let output = StandardOutput()
    for line in lines { try output.writeLine(line.visible) }
    try output.flush()
  }

  private func configured(_ settings: Settings, _ meter: HopMeter) -> StoreMigration {
    var migration = migration
    migration.outputPath = settings.output
    migration.keepsBackup = settings.keepsBackup
    migration.threadCount = settings.threadCount
    migration.cancellation = settings.cancellation
    migration.patience = settings.patience
    migration.checksSpace = settings.checksSpace
    migration.log = LaunchArguments.migrationLog
    if !settings.isQuiet { migration.onProgress = meter.update }
    if let verification = settings.verification {
      migration.verify = { built throws(MigrationError) in
        meter.finish()
        try verification.run(built, of: migration, isQuiet: settings.isQuiet)
      }
    }
    return migration
  }

  /// Migrates the store.
  func run(_ settings: Settings) throws {
    let meter = HopMeter()
    let migration = configured(settings, meter)
    if settings.isVerbose, let plan = try? migration.plan(), !plan.steps.isEmpty {
      Self.text(isVerbose: false).plan(plan, of: migration.path).forEach(StandardError.note)
    }
    let report = try settings.stats.map { path throws(MigrationError) in
      let libraries = [migration.path] + (settings.output.map { [$0] } ?? [])
      let file = try AtomicFile(path, besides: libraries, temporarySuffix: "statistics")
      // What would fail at the end fails before any work.
      try file.reserve()
      return file
    }
    defer {
      meter.finish()
      report?.discard()
    }
    let outcome = try migration.run()
    meter.finish()
    if case .migrated(let result) = outcome { result.warnings.forEach(StandardError.risk) }
    if case .migrated(let result) = outcome, let report {
      do throws(MigrationError) {
        try report.stage(StoreMigrationReport(result, toolVersion: toolVersion).json, settings.cancellation)
        try report.publish(likeLibraryAt: result.path)
      } catch {
        var error = error
        error.advice = "The store has been migrated; only its statistics are missing."
        throw error
      }
    }
    guard !settings.isQuiet else { return }
    warn()
    Self.lines(outcome, settings, path: migration.path).forEach(StandardError.note)
    settings.verification?.lines.forEach(StandardError.note)
    guard case .migrated(let result) = outcome else { return }
    result.steps.compactMap { $0.statistics.examples[TrackCounter.unmatchedJSON]?.first }
      .map(MigrationSummary.unmatched).forEach(StandardError.warning)
  }

  private func warn() { migration.unreadableVersions.warn() }

  private static func text(isVerbose: Bool) -> MigrationText {
    MigrationText(isVerbose: isVerbose, number: { NumberFormat.grouped($0) }, naming: \.commandName)
  }

  private static func lines(
    _ outcome: StoreMigration.Outcome, _ settings: Settings, path: String
  ) -> [String] {
    let text = text(isVerbose: settings.isVerbose)
    switch outcome {
    case .alreadyCurrent:
      return text.outcome(outcome, of: path)
        + [settings.output, settings.stats].compactMap { $0 }.map { "'\($0)' was not written." }
    case .migrated(let result):
      return text.outcome(outcome, of: path, time: NumberFormat.duration(result.duration))
        + (settings.stats.map { ["Statistics: \($0)"] } ?? [])
    }
  }

  /// How the migration is to be done.
  struct Settings {
    var output: String?
    /// Compares what was made with the old store before it appears, if that is wanted.
    var verification: BuiltStoreVerification?
    var keepsBackup: Bool
    var threadCount: Int?
    var stats: String?
    var cancellation: MigrationCancellation
    var patience: WaitPolicy
    var checksSpace: Bool
    var isQuiet: Bool
    var isVerbose: Bool
  }
}

/// Shows how far a migration is: a bar for each entity of each hop.
private final class HopMeter {
  private var place = ""
  private var meter: ProgressMeter?

  func update(_ progress: MigrationProgress) {
    let hop = progress.stepCount == 1 ? "" : ", hop \(progress.step) of \(progress.stepCount)"
    let place = "instances of \(progress.entityName)\(hop)"
    if place != self.place {
      finish()
      meter = ProgressMeter(unit: place.visible, total: progress.totalCount)
      self.place = place
    }
    meter?.update(completed: progress.completedCount)
  }

  func finish() {
    meter?.finish()
    meter = nil
  }
}

/// The versions of an app's model, as a path on the command line names it.
struct AppVersions {
  let bundle: ModelBundle
  let all: [LoadedModelVersion]
  /// Those that cannot be read.
  let unreadable: [UnreadableVersion]

  init(modelAt path: String) throws(MigrationError) {
    do throws(ModelFileError) {
      bundle = try ModelBundle(path: path)
      (all, unreadable) = try UnreadableVersion.readVersions(of: bundle)
    } catch {
      throw MigrationError(error)
    }
  }

  /// The name of the version that a store has, if it is one of these.
  func name(of store: StoreMetadata) -> String? { all.version(withHashes: store.versionHashes)?.name }
}

extension [UnreadableVersion] {
  /// Says which versions of a model cannot be read, and why.
  func warn() { for version in self { StandardError.warning(version.fact) } }
}

import CommandLineArguments
import DataModel
import JSONPresets
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import Pictures
import Policies
import SystemC
import TerminalOutput
import TrackLibrary

/// The migration of an app's store with the app's own models, as the command line asks for it.
struct AppMigration {
  var migration: StoreMigration
  private let meter = HopMeter { "instances of \($0)" }

  /// Reads the models and mapping models.
  init(
    store: String, model: String, options: ModelOptions, settings: MigrationSettings, isQuiet: Bool = true,
    trackOptions: TrackMigrationOptions = TrackMigrationOptions()
  ) throws {
    var tool = try Self.tool(model: model, options: options, trackOptions)
    tool.settings = settings
    tool.log = LaunchArguments.migrationLog
    if !isQuiet {
      tool.onProgress = meter.update
      tool.onVerificationProgress = meter.updateVerified
    }
    tool.onDifference = { [meter] in
      meter.finish()
      StandardError.note("differs: \($0)")
    }
    migration = try tool.preparedMigration(ofStoreAt: store)
    try requirePoliciesAreNamed(options)
  }

  /// A class that no mapping names is most likely misspelled.
  private func requirePoliciesAreNamed(_ options: ModelOptions) throws {
    let mappings = migration.mappings.flatMap(\.mappingModel.entityMappings)
    let named = Set(mappings.compactMap(\.entityMigrationPolicyClassName))
    for (className, _) in options.policyNames
    where !named.contains(where: { $0 == className || $0.hasSuffix(".\(className)") }) {
      let names = named.isEmpty ? "none" : named.sorted().map { "'\($0)'" }.joined(separator: ", ")
      throw ValidationError(
        "no mapping model names the policy class '\(className)' of '--policy'; the classes that they name are \(names)."
      )
    }
  }

  /// Returns the settings of the command line for an app's stores.
  static func tool(
    model: String, options: ModelOptions, _ trackOptions: TrackMigrationOptions = TrackMigrationOptions()
  ) throws -> MigrationTool {
    try tool(for: ModelChoice(model, to: options.to), options: options, trackOptions)
  }

  /// Returns the same for a model that was found out.
  static func tool(
    for model: ModelChoice, options: ModelOptions, _ trackOptions: TrackMigrationOptions = TrackMigrationOptions()
  ) throws -> MigrationTool {
    var tool = MigrationTool(
      modelPath: model.path, mappingModelPaths: options.mapping, policies: try policies(options, trackOptions))
    tool.destinationVersionName = model.versionName
    tool.allowsInference = !options.declinesInference
    tool.joinTableRelationships = options.joinTable
    return tool
  }

  private static func policies(_ options: ModelOptions, _ trackOptions: TrackMigrationOptions) throws -> PolicyRegistry
  {
    var registry = PolicyRegistry.builtIn(trackOptions: trackOptions)
    let names = registry.classNames.joined(separator: ", ")
    for (className, policy) in options.policyNames {
      guard registry.alias(className, for: policy) else {
        throw ValidationError("there is no policy '\(policy)'; the policies are \(names).")
      }
    }
    return registry
  }

  /// The digest of what decides, besides the store, what is made of it.
  static func choices(
    _ options: ModelOptions, _ trackOptions: TrackMigrationOptions, _ mappings: [LoadedMappingModel]
  ) throws(MigrationError) -> String {
    var choices = MigrationChoices(options.choices + trackOptions.deciding())
    if let model = options.model { try choices.add(contentsOf: (try? ModelSource(model))?.path ?? model) }
    for mapping in mappings { try choices.add(contentsOf: mapping.path) }
    return choices.digest
  }

  /// Prints what would happen.
  ///
  /// Some of what a strict or verified migration stops at, or one without a backup, shows only on the way, so these
  /// migrate to a temporary file.
  func printPlan() throws {
    defer { meter.finish() }
    let survey = try migration.survey()
    survey.plan.remarks.forEach(StandardError.warning)
    survey.plan.rivals.map { $0.warning.worded(for: RunningCommand.reader) }.forEach(StandardError.warning)
    var verified: [String] = []
    let mayDiscard = migration.requiresContents && survey.surroundings?.discarded(survey.uncopied).isEmpty == false
    if !survey.plan.steps.isEmpty, migration.isStrict || migration.isVerified || mayDiscard,
      case .migrated(let result) = try migration.run(isDryRun: true, following: survey.plan)
    {
      verified = text(isVerbose: true).verification(result)
    }
    meter.finish()
    warn()
    var lines = text(isVerbose: true).plan(survey, of: migration.path)
    if migration.outputPath == nil, !survey.plan.steps.isEmpty {
      let count = try StoreFile(migration.path).hardLinkCount()
      lines += MigrationSummary.otherNames(count, "would still lead to the old store")
    }
    try StandardOutput.print(lines + verified)
    guard !survey.plan.steps.isEmpty else { return }
    try ReplacementSession.requireWritable(path: migration.path, outputPath: migration.outputPath)
  }

  /// Draws what would happen.
  func drawPlan(_ format: PictureFormat) throws {
    warn()
    let name = FileSystem.split(migration.path).name.spellingPathBytes
    let output = StandardOutput()
    try output.write(format.text(Diagram(try migration.survey().plan, of: name)))
    try output.flush()
  }

  /// Migrates the store.
  func run(isQuiet: Bool, isVerbose: Bool) throws {
    let plan = isVerbose ? try? migration.plan() : nil
    if let plan, !plan.steps.isEmpty {
      text(isVerbose: false).plan(plan, of: migration.path).forEach(StandardError.note)
    }
    defer { meter.finish() }
    let outcome = try migration.run(isDryRun: false, following: plan)
    meter.finish()
    if case .migrated(let result) = outcome { result.warnings.forEach(StandardError.risk) }
    guard !isQuiet else { return }
    warn()
    lines(outcome, isVerbose: isVerbose).forEach(StandardError.note)
    guard case .migrated(let result) = outcome else { return }
    result.cautions.map { $0.worded(for: RunningCommand.reader) }.forEach(StandardError.warning)
    result.steps.compactMap { $0.statistics.examples[TrackCounter.unmatchedJSON]?.first }
      .map(MigrationSummary.unmatched).forEach(StandardError.warning)
    for fact in Fact.all(of: .place) {
      result.steps.flatMap { $0.statistics.examples(of: fact) }.forEach { StandardError.warning("\($0).") }
    }
  }

  private func warn() {
    migration.unreadableVersions.warn()
    migration.currentMarkRemark.map { StandardError.warning($0.worded(for: RunningCommand.reader)) }
    migration.mappingRemarks.forEach(StandardError.warning)
  }

  private func text(isVerbose: Bool) -> MigrationText {
    MigrationText(
      isVerbose: isVerbose, allowsLoss: migration.allowsLoss, number: { NumberFormat.grouped($0) },
      naming: \.commandName)
  }

  private func lines(_ outcome: StoreMigration.Outcome, isVerbose: Bool) -> [String] {
    let text = text(isVerbose: isVerbose)
    switch outcome {
    case .alreadyCurrent:
      return text.outcome(outcome, of: migration.path)
        + [migration.outputPath, migration.reportPath].compactMap { $0 }.map { "'\($0)' was not written." }
    case .migrated(let result):
      return text.outcome(outcome, of: migration.path, time: NumberFormat.duration(result.duration))
        + (result.reportPath.map { ["Statistics: \($0)"] } ?? [])
        + text.verification(result)
    }
  }
}

extension StandardOutput {
  /// Prints lines, with everything visible that a terminal would obey.
  static func print(_ lines: [String]) throws {
    let output = StandardOutput()
    for line in lines { try output.writeLine(line.visible) }
    try output.flush()
  }
}

/// Shows how far a migration is: a bar for each entity of each hop.
final class HopMeter {
  private var place = ""
  private var meter: ProgressMeter?
  private let unit: (_ entityName: String) -> String

  /// Creates a meter that counts in units named after an entity.
  init(_ unit: @escaping (_ entityName: String) -> String) { self.unit = unit }

  func update(_ progress: MigrationProgress) {
    let hop = progress.stepCount == 1 ? "" : ", hop \(progress.step) of \(progress.stepCount)"
    let place = progress.entityName + hop
    if place != self.place {
      finish()
      meter = ProgressMeter(unit: (unit(progress.entityName) + hop).visible, total: progress.totalCount)
      self.place = place
    }
    meter?.update(completed: progress.completedCount)
  }

  func updateVerified(completed: Int, total: Int) {
    if place != "rows verified" {
      finish()
      meter = ProgressMeter(unit: "rows verified", total: total)
      place = "rows verified"
    }
    meter?.update(completed: completed)
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

  /// Reads all versions, or the one that the word names after a colon.
  init(modelAt word: String) throws {
    let choice = try ModelChoice(word)
    let found = try UnreadableVersion.readVersions(ofModelAt: choice.path)
    (bundle, unreadable) = (found.bundle, found.unreadable)
    guard let name = choice.versionName else {
      all = found.versions
      return
    }
    do throws(ModelFileError) {
      let version = try found.bundle.version(named: name)
      if let unreadable = unreadable.first(where: { $0.name == version.name }) { throw unreadable.error }
      all = found.versions.filter { $0.name == version.name }
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

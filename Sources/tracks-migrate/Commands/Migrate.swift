public import CommandLineArguments
import Migration
public import Policies
import TerminalOutput
import TrackLibrary

extension ArtistIdentity: ExpressibleByArgument {}

/// Migrates a library.
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrate a library to the current version.",
    discussion: """
      The library is replaced by its migrated form, and the old one kept beside it as a backup; with --output the \
      library is only read. A library that is current already is left alone. Tracks whose JSON names no usable artist \
      keep their artistName as the artist; JSON that cannot be read is kept in <library>.rejects.ndjson.

      A store of any other app is migrated with the app's own model: by as many hops as it takes, each by the mapping \
      models for it or, where there are none, by inference (a lightweight migration).

      Core Data's launch arguments may stand anywhere on the line. "-com.apple.CoreData.MigrationDebug 1" tells models, \
      mapping models and each step of an app's migration. "-com.apple.CoreData.SQLDebug 1" tells each SQL statement \
      with its time, 2 the number of rows too, 3 the values too.

      EXAMPLES
        tracks-migrate Library.sqlite
        tracks-migrate migrate Library.sqlite --output New.sqlite --strict
        tracks-migrate migrate Library.sqlite --wait 60
        tracks-migrate App.sqlite --model App.xcdatamodeld --dry-run
        tracks-migrate App.sqlite --model App.momd --mapping Mappings --to "App 3"
      """)

  @OptionGroup var source: LibraryArgument

  @OptionGroup(title: "An app's own store") var models: ModelOptions

  @Option(
    help: ArgumentHelp("Write the result to a new file, and leave the library as it is.", valueName: "file"),
    completion: .file(extensions: ["sqlite"]))
  var output: String?

  @Flag(
    help: ArgumentHelp(
      "Fail, and change nothing, if any track's artists cannot be taken from its JSON, or if anything would be lost that "
        + "the model does not speak of."))
  var strict = false

  @Flag(name: .customLong("no-backup"), help: "Do not keep the old library.")
  var declinesBackup = false

  @Flag(help: "Discard raw JSON that was not understood, which --no-backup refuses where it is most of the JSON.")
  var force = false

  @Flag(
    help: ArgumentHelp(
      "Read both libraries anew before the new one appears, and change nothing if anything is not as it has to be; see "
        + "'verify'."))
  var verify = false

  @Option(help: "What makes two mentions the same artist: the exact name, or the id where there is one.")
  var identity: ArtistIdentity = .name

  @Option(
    help: ArgumentHelp(
      "How many threads read tracks; the result is the same for any number. Without it, as many as there are processors, "
        + "or one for a small library.",
      valueName: "number"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "Write the statistics to this file instead of <library>.migration.json, and replace it if it exists. Of an app's "
        + "store there are none without it.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var stats: String?

  @Flag(
    name: .customLong("dry-run"),
    help: ArgumentHelp(
      "Change nothing, and print to standard output what would be done. For tracks that is tried out as a whole: counts, "
        + "fallbacks, and names and ids that do not agree. Of an app's store it is the steps, and what would not come "
        + "along; with --strict it is tried out, too, and ends as the migration would."))
  var isDryRun = false

  @OptionGroup var waiting: WaitOption

  @Flag(name: .customLong("no-space-check"), help: "Begin even where there seems to be too little space on the disk.")
  var declinesSpaceCheck = false

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say what is done, and give examples of what was found.")
  var verbose = false

  mutating func validate() throws {
    if quiet, verbose { throw ValidationError("'--quiet' and '--verbose' exclude each other.") }
    if output != nil, declinesBackup {
      throw ValidationError("'--no-backup' has no meaning with '--output', which leaves the library as it is.")
    }
    if force, !declinesBackup { throw ValidationError("'--force' has no meaning without '--no-backup'.") }
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("'--jobs' needs a number from 1 to 256.") }
    if verify, models.model != nil {
      throw ValidationError("'--verify' is for track libraries, not for an app's store (--model).")
    }
    if output == "" { throw ValidationError("'--output' needs the name of a file.") }
    if stats == "" { throw ValidationError("'--stats' needs the name of a file.") }
    if output == "-" { throw ValidationError("'--output' needs a file; one that is named '-' is './-'.") }
    if stats == "-" {
      throw ValidationError(
        "'--stats' needs a file; one that is named '-' is './-'. To print statistics, run 'tracks-migrate stats' afterwards."
      )
    }
  }

  mutating func run() throws {
    if let model = models.model { try migrateStore(model) } else { try migrateTracks() }
  }

  /// Migrates any app's store with the app's own models.
  private func migrateStore(_ model: String) throws {
    try reportingErrors {
      // What changes nothing leaves nothing to clean up.
      let cancellation = isDryRun && !strict ? MigrationCancellation() : SignalCancellation.listen()
      var settings = settings(cancellation)
      // Of an app's store a dry run prints the plan only.
      if isDryRun { settings.reportPath = nil }
      let migration = try AppMigration(
        store: source.library, model: model, options: models, settings: settings, isQuiet: quiet,
        trackOptions: TrackMigrationOptions(
          identity: identity, isStrict: strict, requiresArtists: declinesBackup && !force))
      if isDryRun { try migration.printPlan() } else { try migration.run(isQuiet: quiet, isVerbose: verbose) }
    }
  }

  /// What the options say of how a migration runs, whatever it migrates.
  private func settings(_ cancellation: MigrationCancellation) -> MigrationSettings {
    var settings = MigrationSettings()
    settings.outputPath = output
    settings.keepsBackup = !declinesBackup
    settings.isStrict = strict
    settings.allowsLoss = models.allowsLoss
    settings.isVerified = verify
    settings.reportPath = stats
    settings.threadCount = jobs
    settings.waiting = waiting.patience(isQuiet: quiet, cancellation)
    settings.checksSpace = !declinesSpaceCheck
    settings.cancellation = cancellation
    return settings
  }

  private func migrateTracks() throws {
    var migration = LibraryMigration(path: source.library)
    migration.settings = settings(SignalCancellation.listen())
    migration.discardsUnmatchedJSON = force
    migration.trackOptions.identity = identity
    migration.onDifference = { StandardError.note("differs: \($0)") }
    var meter: ProgressMeter?
    if !quiet {
      var entityName: String?
      migration.onProgress = { progress in
        // Kinds of tracks, which a library's own model may have, are migrated one after the other.
        if entityName != progress.entityName {
          meter?.finish()
          meter = ProgressMeter(unit: "tracks", total: progress.totalCount)
          entityName = progress.entityName
        }
        meter?.update(completed: progress.completedCount)
      }
      var isVerifying = false
      migration.onVerificationProgress = { completed, total in
        if !isVerifying {
          meter?.finish()
          meter = ProgressMeter(unit: "rows verified", total: total)
          isVerifying = true
        }
        meter?.update(completed: completed)
      }
    }
    let isQuiet = quiet
    let isVerbose = verbose
    let (path, output, isDryRun) = (source.library, output, isDryRun)
    if isVerbose, !isDryRun, let plan = try? MigrationSummary.plan(from: path) { plan.forEach(StandardError.note) }
    try reportingErrors {
      defer { meter?.finish() }
      if isDryRun {
        let plan = try MigrationSummary.plan(from: path)
        let outcome = try migration.dryRun()
        meter?.finish()
        return try Self.print(plan + DryRunText.lines(outcome, path: path, isVerbose: isVerbose))
      }
      let outcome = try migration.run()
      meter?.finish()
      if case .migrated(let result) = outcome { result.warnings.forEach(StandardError.risk) }
      guard !isQuiet else { return }
      MigrationSummary.lines(outcome, path: path, output: output, isVerbose: isVerbose).forEach(StandardError.note)
      if case .migrated(let result) = outcome { MigrationSummary.warnings(result).forEach(StandardError.warning) }
    }
  }

  private static func print(_ lines: [String]) throws {
    let output = StandardOutput()
    for line in lines { try output.writeLine(line.visible) }
    try output.flush()
  }
}

/// What a person is told of a migration that was only tried out.
private enum DryRunText {
  static func lines(_ outcome: LibraryMigration.Outcome, path: String, isVerbose: Bool) -> [String] {
    // The plan has said so already.
    guard case .migrated(let result) = outcome else { return [] }
    let report = result.report
    let target = result.path == path ? "" : " to '\(result.path)'"
    return [
      "Tried out: migrating '\(path)'\(target) took \(NumberFormat.duration(.seconds(report.elapsedSeconds))). "
        + "It would take \(NumberFormat.bytes(report.destinationSizeBytes))."
    ]
      + MigrationSummary.strategy(result) + MigrationSummary.figures(report, isVerbose)
      + (isVerbose ? MigrationSummary.fallbackExamples(result) : [])
      + (result.backupPath.map { ["Backup would be: \($0)"] } ?? [])
      + MigrationSummary.otherNames(report.otherNamesCount, "would still lead to the old library")
      + (result.rejectsPath.map { ["Rejects would be: \($0) (tracks: \(NumberFormat.grouped(report.rejectsCount)))"] }
        ?? [])
      + MigrationSummary.verification(result)
      + MigrationSummary.warnings(report).map { "Warning: \($0)" }
      + ["Nothing was changed."]
  }
}

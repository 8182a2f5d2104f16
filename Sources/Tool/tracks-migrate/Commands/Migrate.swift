internal import CommandLineArguments
import Migration
import MigrationDiagnostics
import PersistentStore
import TerminalOutput
import TrackLibrary

/// Migrates a library.
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrate a library to the current version.",
    discussion: """
      Replaces the library with the migrated one and keeps the old library next to it as a backup. With --output, the \
      library is only read. A library that is already current is not changed. If a track's JSON names no usable \
      artist, its artistName becomes the artist; JSON that cannot be parsed is saved in <library>.rejects.ndjson.

      With --model, the store of any app is migrated version by version. Each hop uses the mapping models that fit it, \
      or an inferred one if there is none (lightweight migration).

      Close the app first. If the library is in use, the command stops and changes nothing.

      Core Data's launch arguments are accepted anywhere on the line. "-com.apple.CoreData.MigrationDebug 1" logs the \
      models, the mapping models and each step of an app's migration. "-com.apple.CoreData.SQLDebug 1" logs each SQL \
      statement and its time; level 2 adds row counts, level 3 adds values.

      EXAMPLES
        tracks-migrate Library.sqlite
        tracks-migrate migrate Library.sqlite --output New.sqlite --strict
        tracks-migrate migrate Library.sqlite --wait 60
        tracks-migrate App.sqlite --model App.xcdatamodeld --dry-run
        tracks-migrate App.sqlite --model App.momd --mapping Mappings --to "App 3"
      """,
    otherNames: ["convert", "upgrade", "update"],
    extraWords: hint,
    otherOptions: [
      "backup": "A backup is always kept, unless --no-backup is given.",
      "in-place": "A library is replaced by the result, unless --output is given.",
      "inplace": "A library is replaced by the result, unless --output is given.",
      "yes": "It asks no questions.", "y": "It asks no questions.",
      "undo": "A migration is undone with: tracks-migrate restore LIBRARY",
    ])

  /// Says what to do with several words: a second file may be meant for the result, and several are many libraries.
  private static func hint(_ extra: [String], _ taken: [String]) -> String? {
    guard let first = extra.first else { return nil }
    let path = ErrorMessage.shellPath(first)
    if [".xcdatamodeld", ".momd", ".xcdatamodel", ".mom"].contains(where: { first.hasSuffix($0) }) {
      return "Name the app's model with: --model \(path)"
    }
    if [".xcmappingmodel", ".cdm"].contains(where: { first.hasSuffix($0) }) {
      return "Name a mapping model with: --mapping \(path)"
    }
    if TracksMigrate.subcommandNames.contains(first), !FileSystem.exists(first), let library = taken.first {
      return "The command comes first: tracks-migrate \(first) \(Advice.WayOut.word(library))"
    }
    let many = "Many libraries are migrated with: tracks-migrate batch"
    // One that is not there is most likely to be made.
    return extra.count > 1 || FileSystem.exists(first)
      ? "\(many). A new file for the result is named with --output." : "Write the result to it with: --output \(path)"
  }

  @OptionGroup var source: ChangedLibraryArgument

  @Option(
    help: ArgumentHelp(
      "Write the result to a new file and leave the library unchanged.", valueName: "file",
      otherNames: ["out", "o", "out-file", "to-file", "copy-to"]),
    completion: .file(.createsStore, extensions: ["sqlite"]))
  var output: String?

  @OptionGroup var options: MigrationOptions

  @Option(
    help: ArgumentHelp(
      "Threads that read tracks; the result does not depend on it. (default: one for each processor, one for a small "
        + "library)",
      valueName: "number", environmentVariable: "TRACKS_MIGRATE_JOBS"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "Write the statistics to this file, replacing it. (default: <library>.migration.json; for an app's store: no "
        + "statistics)", valueName: "file"),
    completion: .file(.writesStatistics, extensions: ["json"]))
  var stats: String?

  @Flag(
    name: .customLong("dry-run"),
    help: ArgumentHelp(
      "Print what would happen and change nothing. A track library is migrated to a temporary file to show counts, "
        + "fallbacks and conflicts. For an app's store, the hops and the data that would be lost are printed; with "
        + "--strict or --verify, it is migrated to a temporary file too.",
      otherNames: ["n", "preview", "plan", "simulate", "what-if", "check"]))
  var isDryRun = false

  @Option(
    name: .customLong("as"), help: "With --dry-run of an app's store, draw the plan: the versions, and each hop.")
  var pictureFormat: PictureFormat?

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print each step, with examples of what was found.")
  var verbose = false

  mutating func validate() throws {
    if quiet, verbose { throw ValidationError("'--quiet' and '--verbose' cannot be used together.") }
    if output != nil, options.declinesBackup {
      throw ValidationError("'--no-backup' cannot be used with '--output', which leaves the library unchanged.")
    }
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("'--jobs' requires a number from 1 to 256.") }
    if pictureFormat != nil, !isDryRun || options.models.model == nil {
      throw ValidationError("'--as' requires '--dry-run' and '--model'.")
    }
    if output == "" { throw ValidationError("'--output' requires a file name.") }
    if stats == "" { throw ValidationError("'--stats' requires a file name.") }
    if output == "-" { throw ValidationError("'--output' requires a file name; write './-' for a file named '-'.") }
    if stats == "-" {
      throw ValidationError(
        "'--stats' requires a file name; write './-' for a file named '-'. To print statistics, run 'tracks-migrate "
          + "stats'."
      )
    }
  }

  mutating func run() throws {
    if let model = options.models.model { try migrateStore(model) } else { try migrateTracks() }
  }

  /// Migrates any app's store with the app's own models.
  private func migrateStore(_ model: String) throws {
    try reportingErrors {
      // What changes nothing leaves nothing to clean up.
      let cancellation =
        isDryRun && !options.strict && !options.verify && !options.declinesBackup
        ? MigrationCancellation() : SignalCancellation.listen()
      var settings = settings(cancellation)
      // Of an app's store a dry run prints the plan only.
      if isDryRun { settings.reportPath = nil }
      let migration = try AppMigration(
        store: source.library, model: model, options: options.models, settings: settings, isQuiet: quiet,
        trackOptions: options.trackOptions)
      if let pictureFormat { return try migration.drawPlan(pictureFormat) }
      if isDryRun { try migration.printPlan() } else { try migration.run(isQuiet: quiet, isVerbose: verbose) }
    }
  }

  /// Returns the settings that the options give for any migration.
  private func settings(_ cancellation: MigrationCancellation) -> MigrationSettings {
    var settings = options.settings(isQuiet: quiet, cancellation)
    settings.outputPath = output
    settings.reportPath = stats
    settings.threadCount = jobs
    return settings
  }

  private func migrateTracks() throws {
    var migration = LibraryMigration(path: source.library)
    migration.settings = settings(SignalCancellation.listen())
    migration.discardsUnmatchedJSON = options.force
    migration.trackOptions = try options.trackOptions
    migration.onDifference = { StandardError.note("differs: \($0)") }
    // Kinds of tracks, which a library's own model may have, are migrated one after the other.
    let meter = HopMeter { _ in "tracks" }
    if !quiet {
      migration.onProgress = meter.update
      migration.onVerificationProgress = meter.updateVerified
    }
    let path = source.library
    if verbose, !isDryRun, let plan = try? MigrationSummary.plan(from: path) { plan.forEach(StandardError.note) }
    try reportingErrors {
      defer { meter.finish() }
      let plan = isDryRun ? try MigrationSummary.plan(from: path) : []
      let outcome = try migration.run(isDryRun: isDryRun)
      meter.finish()
      if isDryRun {
        try StandardOutput.print(plan + DryRunText.lines(outcome, path: path, isVerbose: verbose))
        if case .migrated = outcome { try ReplacementSession.requireWritable(path: path, outputPath: output) }
        return
      }
      if case .migrated(let result) = outcome { result.warnings.forEach(StandardError.risk) }
      guard !quiet else { return }
      MigrationSummary.lines(outcome, path: path, output: output, isVerbose: verbose).forEach(StandardError.note)
      if case .migrated(let result) = outcome { MigrationSummary.warnings(result).forEach(StandardError.warning) }
    }
  }
}

/// The text for people about a migration that was only tried out.
private enum DryRunText {
  static func lines(_ outcome: LibraryMigration.Outcome, path: String, isVerbose: Bool) -> [String] {
    // The plan has said so already.
    guard case .migrated(let result) = outcome else { return [] }
    let report = result.report
    let target = FileSystem.areSame(result.path, path) ? "" : " to '\(result.path)'"
    return [
      "Tried out: migrating '\(path)'\(target) took \(NumberFormat.duration(.seconds(report.elapsedSeconds))). "
        + "It would take \(NumberFormat.bytes(report.destinationSizeBytes))."
    ]
      + MigrationSummary.strategy(result) + MigrationSummary.figures(report, isVerbose)
      + (isVerbose ? MigrationSummary.fallbackExamples(result) : [])
      + (result.backupPath.map { ["Backup would be: \($0)"] } ?? [])
      + MigrationSummary.otherNames(report.otherNamesCount, "would still lead to the old library")
      + (result.rejectsPath.map {
        ["Rejects would be: \($0) (tracks: \(NumberFormat.grouped(report.facts[.rejects] ?? 0)))"]
      }
        ?? [])
      + MigrationSummary.verification(result)
      + MigrationSummary.warnings(report).map { "Warning: \($0)" }
      + ["Nothing was changed."]
  }
}

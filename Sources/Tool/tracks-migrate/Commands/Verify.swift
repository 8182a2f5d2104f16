import CommandLineArguments
import FeedFiles
import JSONPresets
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import TerminalOutput
import TrackLibrary
import TrackVerification
import Verification

/// Proves that a library is what the migration of another had to make of it.
struct Verify: WorkingCommand {
  static let work = Advice.Work(verb: "compare", participle: "compared", noun: "comparison")

  static let configuration = CommandConfiguration(
    abstract: "Compare a migrated library with the old one.",
    discussion: """
      Re-reads both libraries with independent code. Every track must be there with all its kept values, byte for byte. \
      Artists and links must be exactly those that follow from the JSON. The file itself, entity numbers, keys, version \
      hashes, the app's own tables, the rejects and the statistics are checked too, and nothing else may have been \
      added. Nothing is written. Without --source, the old library is the backup named in <library>.migration.json, and \
      with --model the latest backup beside the store. \
      Where artists stand in the JSON, and which of them were wanted, is taken from there too.

      With --feed, compares a library with the feed that 'tracks-migrate import' read; with --manifest, with the rows \
      that 'tracks-migrate assemble' read.

      With --model, compares the stores of any app according to the mapping models: the rows of each entity, their \
      keys, values, links and order, over all hops. What a policy or an expression computes, and which rows a filter \
      selects, cannot be checked this way and is listed as not judged. Rows of removed entities, and links that the new \
      version has no room for, are counted; removed attributes and relationships are not.

      If the app has changed the library since the migration, those changes are reported as differences. Each \
      difference is one row: its kind, its place, the expected and the found value.

      The exit status is 0 if nothing differs and 3 if something does. If the statistics cannot be read, the libraries \
      are still compared; if nothing else differs, the exit status is 65 for a malformed statistics file and 66 for one \
      that cannot be opened.

      EXAMPLES
        tracks-migrate verify Library.sqlite
        tracks-migrate verify New.sqlite --source Old.sqlite
        tracks-migrate verify New.sqlite --source Old.sqlite --format ndjson --limit 1000000
        tracks-migrate verify App.sqlite --model App.xcdatamodeld
        tracks-migrate verify New.sqlite --source Old.sqlite --model App.xcdatamodeld
      """,
    otherNames: ["check", "validate", "compare", "prove"],
    extraWords: { extra, _ in
      extra.count == 1 ? "Name the old library with: --source \(ErrorMessage.shellPath(extra[0]))" : nil
    })

  @OptionGroup var library: LibraryArgument

  @Option(
    help: ArgumentHelp(
      "The old library. (default: the backup named in <library>.migration.json; with --model, the latest backup)",
      valueName: "file", otherNames: ["old", "from", "before", "backup", "against", "original"]),
    completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var source: String?

  @OptionGroup(title: "An app's own store") var models: ModelOptions

  @Option(
    help: ArgumentHelp(
      "Compare the library with the feed that was imported. The other options are those of the import; --source is the "
        + "library before it, if there was one.", valueName: "file"),
    completion: .file(.reads, extensions: ["ndjson", "jsonl", "gz"]))
  var feed: String?

  @Option(
    help: ArgumentHelp("Compare the library with the rows of which it was assembled.", valueName: "file"),
    completion: .file(.reads, extensions: ["json"]))
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "With --manifest, which of the libraries of 'assemble --stores' it is, such as 0/16.", valueName: "part/parts"))
  var part: Shard?

  @Option(help: "The form of the feed, as in the import.")
  var feedFormat: FeedFormat = .auto

  @Option(help: ArgumentHelp("The member of a zip archive that was imported.", valueName: "name"))
  var member: String?

  @OptionGroup var paths: TrackPathOptions

  @Flag(name: .customLong("new-keys"), help: "The import ignored the feed's keys.")
  var ignoresKeys = false

  @Flag(help: "The import replaced tracks and artists of the same key; they are compared alike without it.")
  var replace = false

  @Option(help: "The import skipped tracks that the library had, as with its '--match'.")
  var match: TrackMatching?

  @Option(
    help: "How to recognize the same artist. (default: as in <library>.migration.json, or by name)")
  var identity: ArtistIdentity?

  @OptionGroup(title: "Artists in the JSON") var json: JSONOptions

  @OptionGroup var decisions: DecisionsOption

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var csv: CSVOptions

  @Option(help: ArgumentHelp("The maximum number of differences to list; all are counted.", valueName: "number"))
  var limit: Int = 100

  @Flag(name: .shortAndLong, help: "Only print errors and differences.")
  var quiet = false

  mutating func validate() throws {
    try models.requireModel()
    if limit < 0 { throw ValidationError("'--limit' must not be negative.") }
    try csv.check(isCSV: format == .csv)
    if feed == nil {
      let others = [
        ("--title-path", paths.titlePath != nil), ("--played-path", paths.playedPath != nil),
        ("--new-keys", ignoresKeys), ("--replace", replace), ("--match", match != nil),
        ("--feed-format", feedFormat != .auto), ("--member", member != nil),
      ]
      if let other = others.first(where: \.1) { throw ValidationError("'\(other.0)' requires '--feed'.") }
    }
    if replace, ignoresKeys || match != nil {
      throw ValidationError("'--replace' cannot be used with '--new-keys' or '--match', as in an import.")
    }
    if feed == "" || feed == "-" {
      throw ValidationError("'--feed' requires the name of a file.")
    }
    if feed != nil, models.model != nil { throw ValidationError("'--feed' cannot be used with '--model'.") }
    if manifest == "" || manifest == "-" { throw ValidationError("'--manifest' requires the name of a file.") }
    if manifest != nil {
      let others = [
        ("--feed", feed != nil), ("--model", models.model != nil), ("--source", source != nil),
        ("--identity", identity != nil), ("--json", json.isGiven), ("--decisions", decisions.decisions != nil),
      ]
      if let other = others.first(where: \.1) {
        throw ValidationError("'--manifest' cannot be used with '\(other.0)'.")
      }
    } else if part != nil {
      throw ValidationError("'--part' requires '--manifest'.")
    }
    if source == "" { throw ValidationError("'--source' requires a file name.") }
    if models.model != nil {
      if identity != nil {
        throw ValidationError("'--identity' works with track libraries only, not with '--model'.")
      }
      if json.isGiven || decisions.decisions != nil {
        throw ValidationError(
          "'--json', '--artists-path', '--roles' and '--decisions' work with track libraries only, not with '--model'.")
      }
    }
  }

  mutating func run() throws {
    RunningCommand.migrationWords = models.words + json.words
    if let model = models.model {
      try verifyStore(model)
    } else if let feed {
      try verifyImport(of: feed)
    } else if let manifest {
      try verifyAssembly(of: manifest)
    } else {
      try verifyTracks()
    }
  }

  /// Compares a library with the feed that was imported.
  private func verifyImport(of feed: String) throws {
    var work = LibraryImport(feedPath: feed, path: library.library)
    work.settings.cancellation = SignalCancellation.listen()
    work.trackOptions = TrackMigrationOptions(identity: identity ?? .name)
    work.trackOptions.json = try json.shape ?? .auto
    work.trackOptions.roles = try json.wantedRoles
    work.trackOptions.decisions = try decisions.value
    (work.feedFormat, work.feedMember) = (feedFormat, member)
    (work.titlePath, work.playedPath) = (try paths.title, try paths.played)
    (work.ignoresKeys, work.matching) = (ignoresKeys, match)
    try compare(with: feed, hint: source == nil ? sourceHint : nil) { list in
      let (counts, log) = try work.verify(replacing: source, limit: limit, list.write)
      return (counts.map { VerificationText.figures($0.tracks, $0.artists, $0.links) }, log)
    }
  }

  /// Compares a library with the rows of which it was assembled.
  private func verifyAssembly(of manifest: String) throws {
    let cancellation = SignalCancellation.listen()
    let (library, limit, part) = (library.library, limit, part)
    try compare(with: manifest) { list in
      let store = try TrackLibraryReader(migratedLibraryAt: library)
      var verification = ManifestVerification(manifestPath: manifest, store.model, store: store.store)
      if let part { verification.part = (part.number, part.count) }
      verification.isCancelled = { cancellation.isCancelled }
      let log = DifferenceLog(limit: limit, report: list.write)
      let counts = try verification.run(log)
      return (counts.map { VerificationText.figures($0.tracks, $0.artists, $0.links) }, log)
    }
  }

  /// Lists the differences of a library from what it was made of.
  private func compare(
    with source: String, hint: String? = nil,
    _ work: (DifferenceList) throws -> (figures: String?, log: DifferenceLog)
  ) throws {
    try reportingErrors {
      let list = DifferenceList(format, guardsFormulas: csv.guardsFormulas)
      let (figures, log) = try work(list)
      try list.end()
      if log.count == 0 { try requireTables() }
      if !quiet {
        VerificationText.lines(log.countByKind, figures, path: library.library, source: source, limit: limit)
          .forEach(StandardError.note)
        VerificationText.lines(uncheckedIndexes: log.uncheckedIndexes).forEach(StandardError.note)
        if log.count > 0, let hint { StandardError.note(hint) }
      }
      if log.count > 0 { throw foundSomething }
    }
  }

  /// The name for a feed that was added to a library: the backup of that, as the statistics name it.
  private var sourceHint: String? {
    guard let name = (try? MigrationReport.read(forLibraryAt: library.library))?.backupFile else { return nil }
    let backup = FileSystem.sibling(of: library.library, named: String(spellingOfPathBytes: name))
    guard FileSystem.exists(backup) else { return nil }
    return "If the feed was added to a library, name that library with: --source \(ErrorMessage.shellPath(backup))"
  }

  /// Makes sure that a library without differences has the tables, columns and indexes that its version asks for: what both
  /// sides lack is no difference.
  private func requireTables() throws {
    _ = try TrackLibraryReader(path: library.library).isCurrent()
  }

  /// Compares two stores of any app.
  private func verifyStore(_ model: String) throws {
    let (path, named) = (library.library, source)
    let meter = RowMeter()
    try reportingErrors {
      defer { meter.finish() }
      var settings = MigrationSettings()
      settings.cancellation = SignalCancellation.listen()
      if !quiet, !format.isForMachines { settings.onVerificationProgress = meter.update }
      let source = try named ?? AppVerification.backup(of: path)
      let verification = try AppVerification(path, source: source, model: model, options: models, settings)
      let list = DifferenceList(format, guardsFormulas: csv.guardsFormulas)
      let log = DifferenceLog(limit: limit) { difference in
        meter.finish()
        try list.write(difference)
      }
      let (findings, doubts) = try verification.run(log)
      meter.finish()
      try list.end()
      if !quiet {
        VerificationText.lines(
          log.countByKind, findings?.figures, path: path, source: source, limit: limit
        ).forEach(StandardError.note)
        findings?.lines.forEach(StandardError.note)
        VerificationText.lines(uncheckedIndexes: log.uncheckedIndexes).forEach(StandardError.note)
        if log.count > 0 { doubts.forEach(StandardError.note) }
      }
      if log.count > 0 { throw foundSomething }
    }
  }

  private func verifyTracks() throws {
    var verification = LibraryVerification(path: library.library)
    verification.sourcePath = source
    verification.identity = identity
    verification.json = try json.shape
    verification.roles = try json.wantedRoles
    verification.decisions = try decisions.value
    verification.limit = limit
    verification.cancellation = SignalCancellation.listen()
    let (path, limit, format, isQuiet) = (library.library, limit, format, quiet)
    let meter = RowMeter()
    if !quiet, !format.isForMachines { verification.onProgress = meter.update }
    try reportingErrors {
      defer { meter.finish() }
      let list = DifferenceList(format, guardsFormulas: csv.guardsFormulas)
      let result = try verification.run { difference in
        meter.finish()
        try list.write(difference)
      }
      meter.finish()
      try list.end()
      if result.differenceCount == 0 { try requireTables() }
      if !isQuiet {
        VerificationText.lines(
          result.differenceCountByKind, VerificationText.figures(result), path: path, source: result.sourcePath,
          limit: limit
        ).forEach(StandardError.note)
        VerificationText.lines(uncheckedIndexes: result.uncheckedIndexes).forEach(StandardError.note)
      }
      if let error = result.reportError {
        StandardError.error(VerificationText.error(error))
        if result.differenceCount == 0 { throw ExitCode(error.exitStatus) }
      }
      if result.differenceCount > 0 { throw foundSomething }
    }
  }
}

/// Shows how far the comparison is.
final class RowMeter {
  private let unit: String
  private var meter: ProgressMeter?
  private var hasEnded = false

  init(unit: String = "rows") { self.unit = unit }

  func update(completed: Int, total: Int) {
    guard !hasEnded else { return }
    if meter == nil { meter = ProgressMeter(unit: unit, total: total) }
    meter?.update(completed: completed)
  }

  /// Ends it for good: it would be in the way of what is written.
  func finish() {
    hasEnded = true
    meter?.finish()
    meter = nil
  }
}

/// Writes differences to standard output, as a table of records.
private final class DifferenceList {
  private let writer: any RecordWriter
  private let isForMachines: Bool
  private var hasBegun = false

  init(_ format: OutputFormat, guardsFormulas: Bool) {
    writer = format.makeWriter(to: StandardOutput(), terminal: .standardOutput, guardsFormulas: guardsFormulas)
    isForMachines = format.isForMachines
  }

  func write(_ difference: Difference) throws {
    try begin()
    try writer.write([
      .string(difference.kind.rawValue), FieldValue(difference.entity), FieldValue(difference.row),
      FieldValue(difference.property), FieldValue(difference.expected), FieldValue(difference.found),
      FieldValue(difference.detail),
    ])
  }

  /// Ends the list; a table without rows has no header.
  func end() throws {
    if isForMachines { try begin() }
    if hasBegun { try writer.end() }
  }

  private func begin() throws {
    guard !hasBegun else { return }
    hasBegun = true
    try writer.begin(columns: ["kind", "entity", "row", "property", "expected", "found", "detail"])
  }
}

/// The text for people about a verification besides the differences.
private enum VerificationText {
  /// - Parameter figures: What was compared; `nil` where the rows were not.
  static func lines(
    _ counts: [Difference.Kind: Int], _ figures: String?, path: String, source: String, limit: Int
  ) -> [String] {
    let count = counts.values.reduce(0, +)
    guard count > 0 else { return ["'\(path)' matches '\(source)': \(figures ?? "")."] }
    let rest = count - limit
    let kinds = counts.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\(NumberFormat.grouped($0.value)) \($0.key.rawValue)" }
    let number = NumberFormat.counted(count, "difference")
    return (rest > 0 ? ["… and \(NumberFormat.grouped(rest)) more"] : [])
      + ["'\(path)' does not match '\(source)': \(number) (\(kinds.joined(separator: ", ")))."]
      + (figures == nil ? ["Its rows were not compared, since the file is damaged or lacks tables or columns."] : [])
  }

  static func lines(uncheckedIndexes: [String]) -> [String] {
    uncheckedIndexes.map {
      "Not checked: the index '\($0)', which needs a collation or function that only its app has"
    }
  }

  static func figures(_ result: LibraryVerification.Result) -> String? {
    guard let count = result.tracksCount else { return nil }
    return figures(count, result.artistsCount ?? 0, result.linksCount ?? 0)
  }

  static func figures(_ trackCount: Int, _ artistCount: Int, _ linkCount: Int) -> String {
    [(trackCount, "track"), (artistCount, "artist"), (linkCount, "link")]
      .map { NumberFormat.counted($0.0, $0.1) }.joined(separator: ", ")
  }

  /// Statistics that cannot be read are not a difference of the library, but not as they have to be either.
  static func error(_ error: MigrationError) -> String {
    let message = ErrorMessage(command: error)
    return "\(message.problem), so that only the libraries were compared. \(message.advice)"
  }
}

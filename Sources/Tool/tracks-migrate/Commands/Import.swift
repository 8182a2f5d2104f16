internal import CommandLineArguments
import FeedFiles
import JSONPresets
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import TerminalOutput
import TrackLibrary

/// The paths of the track's own details in the lines of a feed.
struct TrackPathOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Where a line has the track's title. (default: where the preset says)", valueName: "path"))
  var titlePath: String?

  @Option(
    help: ArgumentHelp(
      "Where a line has the time when the track was last played. (default: where the preset says)", valueName: "path"))
  var playedPath: String?

  mutating func validate() throws { _ = (try title, try played) }

  var title: JSONPath? { get throws { try Self.path(titlePath, "--title-path") } }
  var played: JSONPath? { get throws { try Self.path(playedPath, "--played-path") } }

  /// Returns places of artists that also know the options of the track's own details.
  func naming(_ shape: JSONShape) -> JSONShape {
    var shape = shape
    (shape.placeNames[.title], shape.placeNames[.played]) = ("--title-path", "--played-path")
    return shape
  }

  private static func path(_ text: String?, _ option: String) throws -> JSONPath? {
    guard let text else { return nil }
    let path = try JSONOptions.path(text, option)
    guard path.filter == nil else { throw ValidationError("'\(option)' must not have a filter.") }
    return path
  }
}

/// The form of a feed's tracks.
struct FeedFormOptions: ParsableArguments {
  @Option(help: "The feed's form: auto (by its beginning), NDJSON, a JSON list, or a table with a header (CSV).")
  var format: FeedFormat = .auto

  @Option(help: ArgumentHelp("Read this member of a zip archive. (default: the only feed in it)", valueName: "name"))
  var member: String?

  mutating func validate() throws {
    if member == "" { throw ValidationError("'--member' requires a name.") }
  }
}

extension FeedFormat: ExpressibleByArgument {}
extension TrackMatching: ExpressibleByArgument {}

/// Makes a library from a feed, or adds to one.
struct Import: WorkingCommand {
  static let work: Advice.Work = .importing

  static let configuration = CommandConfiguration(
    abstract: "Make a v2 library from a feed of tracks, or add tracks to one.",
    discussion: """
      The feed has one JSON object per line (NDJSON), or is a JSON list (an array, or an object around one), or a table \
      (CSV) whose first row names the columns; it may be compressed with gzip, or be in a zip archive. Elements and rows \
      count as lines. A line is read in one of two ways. \
      If all its members are among key, title, imageURL, lastPlayedAt, artistName, json and artists, or if it has json, \
      it is read by these names: json is a service's answer, as an object or as text, and artists is a list of names or \
      of objects with name, id, imageURL, role and key. Any other line is itself a service's answer, and the presets \
      say where its artists, title and time are. Dates are ISO 8601 text or Unix time.

      A library that does not exist is created. An existing one keeps all its rows and keys, and is replaced atomically \
      with a backup, as in a migration. A line with the key of a track that the library already has is skipped if all \
      values are equal; otherwise the import fails and changes nothing. Lines that are not tracks are saved in \
      <library>.rejects.ndjson.

      EXAMPLES
        tracks-migrate import Tracks.ndjson New.sqlite
        tracks-migrate export Old.sqlite | tracks-migrate import - Copy.sqlite
        tracks-migrate import Scrobbles.ndjson.gz Library.sqlite --json lastfm
        tracks-migrate import my_spotify_data.zip New.sqlite --member 'Spotify Account Data/StreamingHistory_music_0.json'
        tracks-migrate import Liked_Songs.csv New.sqlite
        tracks-migrate import Log.ndjson New.sqlite --title-path song.name --artists-path '$.song.artists[*]'
      """,
    otherNames: ["load", "add", "read", "feed"])

  @Argument(
    help: "The feed: a file of JSON or a table, or - for standard input.",
    completion: .file(.reads, extensions: ["ndjson", "jsonl", "json", "csv", "tsv", "gz", "zip"]))
  var feed: String

  @OptionGroup var target: ChangedLibraryArgument

  @Flag(help: "Replace tracks and artists of the library that have the same key and other values.")
  var replace = false

  @Flag(name: .customLong("new-keys"), help: "Ignore the feed's keys, and give every track a new one.")
  var ignoresKeys = false

  @Option(
    help: ArgumentHelp(
      "Skip lines that are tracks of the library already: by title-and-artists, if both are the same. (default: only by "
        + "the key)"))
  var match: TrackMatching?

  @OptionGroup var form: FeedFormOptions

  @OptionGroup var paths: TrackPathOptions

  @Option(help: "How to recognize the same artist: by its exact name, or by its id if it has one.")
  var identity: ArtistIdentity = .name

  @OptionGroup(title: "Artists in the JSON") var json: JSONOptions

  @OptionGroup var decisions: DecisionsOption

  @Flag(help: "Fail without changing anything if a line is rejected, or a track's artists or time cannot be read.")
  var strict = false

  @Flag(
    help: ArgumentHelp(
      "Read the feed again with independent code before the library appears, and fail on any difference; see "
        + "'tracks-migrate help verify'."))
  var verify = false

  @Flag(name: .customLong("no-backup"), help: "Delete the old library instead of keeping it as a backup.")
  var declinesBackup = false

  @Flag(
    help: "With --no-backup, discard what the library holds besides tracks and artists, where only its app can keep it."
  )
  var force = false

  @Option(
    help: ArgumentHelp(
      "Write the statistics to this file, replacing it. (default: <library>.migration.json)", valueName: "file"),
    completion: .file(.writes, extensions: ["json"]))
  var stats: String?

  @Option(
    help: ArgumentHelp(
      "Threads that read lines; the result does not depend on it. (default: one for each processor)",
      valueName: "number", environmentVariable: "TRACKS_MIGRATE_JOBS"))
  var jobs: Int?

  @Flag(
    name: .customLong("dry-run"),
    help: "Print what would happen and change nothing; the result is made in a temporary file.")
  var isDryRun = false

  @OptionGroup var waiting: WaitOption

  @Flag(name: .customLong("no-space-check"), help: "Skip the free-space check.")
  var declinesSpaceCheck = false

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print all the examples that are kept of what was found.")
  var verbose = false

  mutating func validate() throws {
    if quiet, verbose { throw ValidationError("'--quiet' and '--verbose' cannot be used together.") }
    if force, !declinesBackup { throw ValidationError("'--force' requires '--no-backup'.") }
    if replace, match != nil {
      throw ValidationError("'--match' skips tracks that are there, so that it cannot be used with '--replace'.")
    }
    if replace, ignoresKeys {
      throw ValidationError("'--replace' cannot be used with '--new-keys', which ignores the feed's keys.")
    }
    if verify, feed == "-" {
      throw ValidationError("'--verify' reads the feed twice, so that it must be a file instead of standard input.")
    }
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("'--jobs' requires a number from 1 to 256.") }
    if feed == "" { throw ValidationError("the feed requires a file name, or '-' for standard input.") }
    if ["", "-"].contains(target.library) {
      throw ValidationError("the library requires a file name; write './-' for a file named '-'.")
    }
    if ["", "-"].contains(stats) {
      throw ValidationError("'--stats' requires a file name; write './-' for a file named '-'.")
    }
  }

  mutating func run() throws {
    // A library of an older version has to be migrated first, with the same choices.
    RunningCommand.migrationWords =
      [identity == .name ? nil : "--identity=\(identity.rawValue)", decisions.decisions.map { "--decisions=\($0)" }]
      .compactMap { $0 } + json.words
    let cancellation = SignalCancellation.listen()
    var settings = MigrationSettings()
    (settings.isStrict, settings.keepsBackup, settings.checksSpace) = (strict, !declinesBackup, !declinesSpaceCheck)
    (settings.allowsLoss, settings.isVerified) = (force, verify)
    settings.onDifference = { StandardError.note("differs: \($0)") }
    if !quiet { settings.onRemark = StandardError.warning }
    settings.reportPath = stats
    settings.options = words.map(\.spellingPathBytes)
    settings.threadCount = jobs
    settings.contentPaths = decisions.paths
    settings.waiting = waiting.patience(isQuiet: quiet, cancellation)
    settings.cancellation = cancellation
    var work = LibraryImport(feedPath: feed, path: target.library)
    work.settings = settings
    work.trackOptions = TrackMigrationOptions(identity: identity)
    work.trackOptions.json = paths.naming(try json.shape ?? .auto)
    work.trackOptions.roles = try json.wantedRoles
    work.trackOptions.decisions = try decisions.value
    (work.feedFormat, work.feedMember) = (form.format, form.member)
    (work.titlePath, work.playedPath) = (try paths.title, try paths.played)
    (work.replaces, work.ignoresKeys, work.matching) = (replace, ignoresKeys, match)
    let meter = ProgressMeter(unit: "lines", total: nil)
    if !quiet { work.onLines = { meter.update(completed: $0) } }
    try reportingErrors {
      defer { meter.finish() }
      let result = try work.run(isDryRun: isDryRun)
      meter.finish()
      result.warnings.forEach(StandardError.risk)
      let warnings = MigrationSummary.warnings(result, hasMatch: match != nil) + fallbacks(of: result)
      if isDryRun {
        try StandardOutput.print(
          summary(of: result) + warnings.map { "Warning: \($0)" } + ["Nothing was changed."])
        // The place of a new one has been written to.
        if !result.isNew { try ReplacementSession.requireWritable(path: target.library) }
        return
      }
      guard !quiet else { return }
      summary(of: result).forEach(StandardError.note)
      warnings.forEach(StandardError.warning)
    }
  }

  /// The options that were given, as on a command line.
  private var words: [String] {
    [
      strict ? "--strict" : nil, verify ? "--verify" : nil, replace ? "--replace" : nil,
      ignoresKeys ? "--new-keys" : nil, match.map { "--match=\($0.rawValue)" },
      identity == .name ? nil : "--identity=\(identity.rawValue)",
      form.format == .auto ? nil : "--format=\(form.format.rawValue)", form.member.map { "--member=\($0)" },
      paths.titlePath.map { "--title-path=\($0)" }, paths.playedPath.map { "--played-path=\($0)" },
      decisions.decisions.map { "--decisions=\($0)" }, declinesBackup ? "--no-backup" : nil,
      force ? "--force" : nil,
    ].compactMap { $0 } + json.words
  }

  private func fallbacks(of result: LibraryImport.Result) -> [String] {
    result.fallbacks.map { fallback in
      let examples = fallback.examples.prefix(verbose ? .max : 1).joined(separator: ", ")
      return "\(NumberFormat.counted(fallback.count, "track")) without artists from the JSON: "
        + "\(fallback.reason.summary)\(examples.isEmpty ? "" : ", such as \(examples)")"
    }
  }

  private func summary(of result: LibraryImport.Result) -> [String] {
    let facts = result.facts
    let added =
      "\(NumberFormat.counted(facts[.addedTracks] ?? 0, "track")) and \(NumberFormat.counted(facts[.addedArtists] ?? 0, "artist"))"
    let (made, into) = isDryRun ? ("Tried out: would make", "Tried out: would add") : ("Made", "Added")
    var lines = [
      result.isNew ? "\(made) '\(target.library)' with \(added)." : "\(into) \(added) to '\(target.library)'."
    ]
    for (fact, words) in [(Fact.replacedTracks, "Replaced"), (.knownTracks, "Already there")] {
      if let count = facts[fact], count > 0 { lines.append("\(words): \(NumberFormat.counted(count, "track")).") }
    }
    if let note = result.feedNote { lines.append("\(note).") }
    let documents = facts[.presets].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !documents.isEmpty {
      let counts = documents.map { "\(NumberFormat.grouped($0.value)) \($0.key)" }.joined(separator: ", ")
      lines.append("Answers by preset: \(counts).")
    }
    lines += MigrationSummary.lines(result, isVerbose: verbose)
    if let path = result.rejectsPath {
      let examples = result.rejectExamples.prefix(verbose ? .max : 1).joined(separator: ", ")
      let reason = examples.isEmpty ? "" : ", such as \(examples)"
      lines.append(
        "Rejects\(isDryRun ? " would be" : ""): \(path) (\(NumberFormat.counted(result.rejectsCount, "line"))\(reason))"
      )
    }
    if let path = result.backupPath { lines.append("Backup\(isDryRun ? " would be" : ""): \(path)") }
    if !isDryRun, let path = result.reportPath { lines.append("Statistics: \(path)") }
    if verify { lines.append("Verified: the library has \(Self.verified(result)).") }
    return lines
  }

  private static func verified(_ result: LibraryImport.Result) -> String {
    if result.isNew { return "what the feed says, and nothing else" }
    let isWhole = result.foreignContents.map { $0.leftBehind.isEmpty && $0.reasons.isEmpty } ?? true
    return isWhole
      ? "what it had and what the feed says, and nothing else"
      : "what it had, except what was left behind, and what the feed says"
  }
}

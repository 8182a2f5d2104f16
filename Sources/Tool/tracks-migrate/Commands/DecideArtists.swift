internal import CommandLineArguments
import JSONPresets
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import SystemC
import TerminalOutput
import TrackLibrary

/// Lists what a person should decide about artists.
struct ReviewArtists: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "List the artists that a person should decide about, as a file of decisions.",
    discussion: """
      Lists names with several ids, ids with several names, names that look alike, \
      and names that join names of other artists, most tracks first. An older library is migrated to a \
      temporary file for this. Nothing is changed.

      The file has one line for each, with the columns decision, artist, id, into, into_id, tracks and evidence, \
      separated by tabs. Replace the '?' in the first column:

        merge   mentions of the artist become mentions of the one in 'into' and 'into_id'
        split   they become mentions of several artists, with '|' between them in 'into'
        rename  the artist gets the name in 'into'
        keep    they stay as they are, and are not listed again
        ignore  they are dropped

      A line with an id is only about mentions with that id. Write \\t, \\n, \\r, \\\\ and \\| for a tab, a line break, \
      a carriage return, a backslash and a bar in a name. Lines that begin with # and lines with '?' change nothing.

      EXAMPLES
        tracks-migrate artists review Library.sqlite --output decisions.tsv
        tracks-migrate migrate Library.sqlite --decisions decisions.tsv --dry-run
        tracks-migrate artists review Library.sqlite --decisions decisions.tsv --output decisions.tsv
      """)

  @OptionGroup var source: LibraryArgument

  @Option(
    help: ArgumentHelp(
      "Write to this file; an existing file must be named with --decisions too. (default: standard output)",
      valueName: "file"), completion: .file(.writes, extensions: ["tsv"]))
  var output: String?

  @Option(
    help: ArgumentHelp("Take over the lines of this file that decide, and list the rest.", valueName: "file"),
    completion: .file(.continues, extensions: ["tsv"]))
  var decisions: String?

  @OptionGroup(title: "Artists in the JSON") var json: JSONOptions

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    if output == "" { throw ValidationError("'--output' requires a file name.") }
  }

  /// Checks that no decisions are lost.
  private func requireTakenOver() throws {
    guard let output, FileSystem.exists(output) else { return }
    let isTakenOver =
      decisions.map { FileSystem.resolved($0)?.pathBytes == FileSystem.resolved(output)?.pathBytes } ?? false
    guard isTakenOver else {
      // The file may be that of a run that was killed at its very end.
      (try? AtomicFile(output, temporarySuffix: "document"))?.discardLeftovers()
      throw ValidationError(
        "'\(output)' exists. Name it with '--decisions' too to keep its decisions, or choose another name.")
    }
  }

  mutating func run() throws {
    try requireTakenOver()
    let decided = try decisions.map(DecisionsOption.read)
    var options = TrackMigrationOptions()
    options.json = try json.shape ?? .auto
    options.roles = try json.wantedRoles
    let (path, output, isQuiet) = (source.library, output, quiet)
    let sources = [source.library, decisions].compactMap { $0 }
    let cancellation = SignalCancellation.listen()
    try reportingErrors {
      let review = try ArtistReview(path: path, options: options, decisions: decided, cancellation: cancellation)
      let lines = review.suggestions.map { $0.text + "\n" }.joined()
      let header = ArtistDecisions.columns.joined(separator: "\t") + "\n"
      let text = (decided?.file ?? header) + lines
      if let output {
        try DocumentFile.write(text, to: output, from: sources)
      } else {
        try StandardOutput.write(document: text)
      }
      if !isQuiet {
        review.danglingLinks?.warn(path)
        StandardError.note(
          "\(NumberFormat.counted(review.suggestions.count, "line")) to decide, "
            + "\(NumberFormat.counted(decided?.all.count ?? 0, "decision")) taken over.")
      }
    }
  }
}

/// Carries out decisions in a migrated library.
struct ApplyDecisions: WorkingCommand {
  static let work = Advice.Work(
    verb: "apply them", participle: "changed", noun: "change", refusal: "the decisions were not applied to")

  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Merge, split, rename or remove artists of a migrated library.",
    discussion: """
      Replaces the library with a changed copy, and keeps the old one next to it as a backup, which 'restore' brings \
      back. An artist that is merged or split is removed with its id and image, and its tracks are linked with the \
      artists in its place. The tracks of an ignored artist keep their other artists. Close the app first. If the \
      library's last changes were those of the same decisions, nothing is left to do.

      'verify' compares with the library before its migration, so it reports these changes as differences. To \
      migrate with decisions instead, pass the file to 'migrate --decisions'.

      EXAMPLES
        tracks-migrate artists apply Library.sqlite decisions.tsv --dry-run
        tracks-migrate artists apply Library.sqlite decisions.tsv
      """)

  @OptionGroup var source: ChangedLibraryArgument

  @Argument(help: "The file of decisions.", completion: .file(.reads, extensions: ["tsv"]))
  var decisions: String

  @Flag(name: .customLong("dry-run"), help: "Print what would change, and change nothing.")
  var isDryRun = false

  @Flag(name: .customLong("no-backup"), help: "Delete the old library instead of keeping it as a backup.")
  var declinesBackup = false

  @Flag(help: "With --no-backup, discard what the app has added to the library and cannot be kept.")
  var force = false

  @OptionGroup var waiting: WaitOption

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    if force, !declinesBackup { throw ValidationError("'--force' requires '--no-backup'.") }
  }

  mutating func run() throws {
    let decided = try DecisionsOption.read(decisions)
    var changes = ArtistChanges(path: source.library, decisions: decided)
    changes.waiting = waiting.patience(isQuiet: quiet, SignalCancellation.listen())
    (changes.keepsBackup, changes.allowsLoss) = (!declinesBackup, force)
    let (path, isDryRun, isQuiet) = (source.library, isDryRun, quiet)
    try reportingErrors {
      let result = try changes.run(isDryRun: isDryRun)
      let lines = Self.lines(result, decided)
      if isDryRun {
        try StandardOutput.print(lines + result.losses.map { "Warning: \($0)." } + ["Nothing was changed."])
        if !result.changes.isEmpty { try ReplacementSession.requireWritable(path: path) }
        return
      }
      result.warnings.forEach(StandardError.risk)
      guard !isQuiet else { return }
      (lines + (result.backupPath.map { ["Backup: \($0)"] } ?? [])).forEach(StandardError.note)
      result.losses.forEach { StandardError.warning("\($0).") }
    }
  }

  private static func lines(_ result: ArtistChanges.Result, _ decisions: ArtistDecisions) -> [String] {
    func shown(_ name: String, _ id: String?) -> String { "'\(name)'" + (id.map { " (id \($0))" } ?? "") }
    let lines = result.changes.map { change in
      let into = change.into.map { shown($0.name, $0.id) }.joined(separator: ", ")
      let action = change.into.isEmpty ? "removed" : "\(change.isRename ? "renamed" : "became") \(into)"
      let tracks = NumberFormat.counted(change.tracksCount, "track")
      let dropped = change.droppedDetails.isEmpty ? "" : "; dropped: \(change.droppedDetails.joined(separator: ", "))"
      return "\(shown(change.name, change.id)) \(action): \(tracks)\(dropped)".visible
    }
    let lonely = result.tracksWithoutArtistCount
    if result.isRepeated, lines.isEmpty { return ["The decisions are carried out already; nothing to do."] }
    return lines + ["Artists that changed: \(NumberFormat.grouped(result.changes.count))"]
      + result.leftBehindIndexes.map {
        "Left behind: the index '\($0)', which needs a collation or function that only its app has"
      }
      + (lonely > 0 ? ["Tracks that lost their only artist: \(NumberFormat.grouped(lonely))"] : [])
      + (decisions.undecidedCount > 0
        ? ["Lines without a decision: \(NumberFormat.grouped(decisions.undecidedCount))"] : [])
  }
}

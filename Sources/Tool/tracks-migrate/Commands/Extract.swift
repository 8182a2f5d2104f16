internal import CommandLineArguments
import MigrationDiagnostics
import Policies
import TerminalOutput
import TrackLibrary

/// Writes what a shard of a library says.
struct Extract: WorkingCommand {
  static let work = Advice.Work(verb: "extract", participle: "extracted", noun: "extraction")

  static let configuration = CommandConfiguration(
    abstract: "Write the tracks of one shard, and the artists that they mention, for a cluster to put together.",
    discussion: """
      This is the first of three steps with which a cluster makes one library of many shards. A shard is a feed, as \
      'tracks-migrate import' reads it, or a v1 library. Each line of the output is a JSON object, whose 'kind' is \
      track, mention (an artist whom a track names), reject (a line or a document that cannot be read) or, in the last \
      line, summary. The second step numbers the artists by their first mention: with Spark (Cluster/spark_import.py), \
      or on one machine (Cluster/reduce.py). The third is 'tracks-migrate assemble'.

      Tracks need keys that no two shards share: each line's 'key', or --first-key for shards without keys.

      EXAMPLES
        tracks-migrate extract Part-1.ndjson.gz --output Part-1.out
        tracks-migrate extract Old.sqlite | gzip > Old.out.gz
        split -n l/2 All.ndjson && tracks-migrate extract xab --first-key 1000000
      """,
    otherNames: ["split"])

  @Argument(
    help: "The shard: a feed or a v1 library; '-' is a feed on standard input.",
    completion: .file(.readsStore, extensions: ["ndjson", "jsonl", "gz", "sqlite"]))
  var shard: String

  @Option(
    help: ArgumentHelp("Write to this file, replacing it. (default: standard output)", valueName: "file"),
    completion: .file(.writes, extensions: ["ndjson"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The key of the first track of a feed without keys; each of the others gets the next.", valueName: "key"))
  var firstKey: Int = 1

  @OptionGroup var form: FeedFormOptions

  @OptionGroup var paths: TrackPathOptions

  @Option(help: "How to recognize the same artist: by its exact name, or by its id if it has one.")
  var identity: ArtistIdentity = .name

  @OptionGroup(title: "Artists in the JSON") var json: JSONOptions

  @OptionGroup var decisions: DecisionsOption

  @Flag(name: .shortAndLong, help: "Only print errors.")
  var quiet = false

  mutating func validate() throws {
    if shard == "" { throw ValidationError("the shard requires a file name, or '-' for standard input.") }
    if output == "" { throw ValidationError("'--output' requires a file name.") }
    if firstKey < 1 { throw ValidationError("'--first-key' must be at least 1.") }
  }

  private static var standardOutput: any TextOutput {
    let output = StandardOutput()
    return Terminal.standardOutput.isTerminal ? TerminalJSONOutput(output) : output
  }

  mutating func run() throws {
    let cancellation = SignalCancellation.listen()
    var work = TrackExtract(path: shard)
    work.trackOptions = TrackMigrationOptions(identity: identity)
    work.trackOptions.json = paths.naming(try json.shape ?? .auto)
    work.trackOptions.roles = try json.wantedRoles
    work.trackOptions.decisions = try decisions.value
    (work.titlePath, work.playedPath) = (try paths.title, try paths.played)
    work.feed = (form.format, form.member)
    work.firstKey = Int64(firstKey)
    work.contentPaths = decisions.paths
    work.isCancelled = { cancellation.isCancelled }
    let meter = ProgressMeter(unit: "lines", total: nil)
    if !quiet { work.onLines = { meter.update(completed: $0) } }
    let (extract, path, isQuiet) = (work, output == "-" ? nil : output, quiet)
    try answering {
      defer { meter.finish() }
      let summary =
        if let path { try extract.write(toFileAt: path) } else { try extract.write(to: Self.standardOutput) }
      meter.finish()
      if summary.rejectCount > 0 {
        StandardError.warning(
          "\(NumberFormat.counted(summary.rejectCount, "line")) of the output "
            + "\(summary.rejectCount == 1 ? "is a reject: it" : "are rejects: they") could not be read.")
      }
      guard !isQuiet else { return }
      if let note = summary.feedNote { StandardError.note("\(note).") }
      MigrationSummary.unreadTimes(summary.unreadTimes).forEach(StandardError.warning)
      for finding in summary.pathFindings + [summary.unmatchedJSON].compactMap({ $0 }) {
        StandardError.warning("\(finding).")
      }
      StandardError.note(
        "Extracted \(NumberFormat.counted(summary.trackCount, "track")) and "
          + "\(NumberFormat.counted(summary.mentionCount, "mention")).")
      MigrationSummary.suggestions(summary.suggestedPresets).forEach(StandardError.note)
    }
  }
}

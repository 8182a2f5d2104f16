internal import CommandLineArguments
import JSONPresets
import JSONStream
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import TerminalOutput
import TrackLibrary

/// Groups the commands about presets: where artists stand in the answers of services.
struct Presets: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, show and test presets: where artists stand in services' JSON.",
    discussion: """
      A preset says how to recognize the JSON of a service, and where its artists, their names, ids, images and roles \
      stand. 'migrate' uses the first preset that matches each track's JSON, in the order of this list, unless --json \
      names one. To read JSON of another shape, save a similar preset with 'presets show', change it, try it with \
      'presets test', and pass the file to --json.

      EXAMPLES
        tracks-migrate presets
        tracks-migrate presets show deezer > mine.json
        tracks-migrate presets test answer.json --json mine.json
        tracks-migrate Library.sqlite --json mine.json --dry-run
      """,
    subcommands: [ListPresets.self, ShowPreset.self, TestPresets.self], defaultSubcommand: ListPresets.self)
}

/// Lists the built-in presets.
struct ListPresets: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the built-in presets, in the order in which they are tried.")

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var table: TableOptions

  mutating func run() throws {
    let (format, terminal) = (self.format, table.terminal)
    try reportingErrors {
      let writer = format.makeWriter(to: StandardOutput(), terminal: terminal)
      try writer.begin(columns: ["name", "kind", "title", "detect", "reference"])
      for preset in Preset.builtIn {
        try writer.write([
          .string(preset.name), .string(preset.kind.rawValue), .string(preset.title),
          .string(preset.conditions.map(\.description).joined(separator: ", ")),
          FieldValue(preset.reference.isEmpty ? nil : preset.reference),
        ])
      }
      try writer.end()
    }
  }
}

/// Prints a preset as a file.
struct ShowPreset: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a preset as a file that can be changed and passed to --json.")

  @Argument(help: "The name of a preset.", completion: .list(Preset.builtIn.map(\.name)))
  var name: String

  mutating func validate() throws {
    guard Preset.named(name) == nil else { return }
    let suggestion = nearest(to: name, in: Preset.builtIn.map(\.name)).map { " Did you mean '\($0)'?" } ?? ""
    throw ValidationError(
      "there is no preset named '\(name)'.\(suggestion) Run 'tracks-migrate presets' to list the presets.")
  }

  mutating func run() throws {
    let name = self.name
    try reportingErrors {
      let output = StandardOutput()
      try output.write(Preset.named(name)?.json ?? "")
      try output.flush()
    }
  }
}

/// Says which preset matches documents, and what it finds.
struct TestPresets: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Say which preset matches JSON documents, and which artists it finds.",
    discussion: """
      A file holds one document, as a track's JSON does, or is a feed or a v1 library. Of these, the documents of each \
      preset are counted, and those without artists by the reason, as in a dry run of 'import' or 'migrate'. The exit \
      status is 3 if any document gives no artist.

      EXAMPLES
        tracks-migrate presets test answer.json
        tracks-migrate presets test *.json --json mine.json --format ndjson
        tracks-migrate presets test answer.json --artists-path '$.ar[*]' --id-path id
        tracks-migrate presets test Scrobbles.ndjson Library.sqlite
      """)

  @Argument(
    help: "Files with one JSON document each, feeds, or libraries.", completion: .file(.reads, extensions: ["json"]))
  var files: [String]

  @OptionGroup var options: JSONOptions

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var table: TableOptions

  mutating func run() throws {
    let (files, format, terminal) = (self.files, self.format, table.terminal)
    let (shape, roles) = (try options.shape ?? .auto, try options.wantedRoles)
    let cancellation = SignalCancellation.listen()
    var hasAll = true
    try reportingErrors {
      let extraction = ArtistExtraction(shape, roles: roles)
      let writer = format.makeWriter(to: StandardOutput(), terminal: terminal)
      try writer.begin(columns: [
        "file", "preset", "documents", "name", "id", "image_url", "role", "credited", "problem",
      ])
      for file in files {
        var options = TrackMigrationOptions()
        (options.json, options.roles) = (shape, roles)
        let rows = try Self.counts(of: file, options, cancellation) ?? Self.rows(of: file, extraction)
        if rows.contains(where: { $0.last != .null }) { hasAll = false }
        try rows.forEach(writer.write)
      }
      try writer.end()
    }
    if !hasAll { throw foundSomething }
  }

  private static func row(
    _ file: String, _ preset: String?, count: Int? = nil, _ artist: ArtistExtraction.Artist? = nil,
    problem: String? = nil
  ) -> [FieldValue] {
    [
      .path(file), FieldValue(preset), FieldValue(count), FieldValue(artist?.name),
      FieldValue(artist?.id), FieldValue(artist?.imageURL), FieldValue(artist?.role?.rawValue),
      FieldValue(artist?.credited), FieldValue(problem),
    ]
  }

  private static func rows(of file: String, _ extraction: ArtistExtraction) throws -> [[FieldValue]] {
    let bytes = try FileSystem.contents(ofInput: file)
    do throws(JSONStreamError) {
      let finding = try extraction.read(bytes)
      let preset = finding.preset?.name
      guard finding.artists.isEmpty else { return finding.artists.map { row(file, preset, $0) } }
      let kind = finding.preset.map { $0.kind == .track ? "" : ": \($0.title)" } ?? ""
      return [row(file, preset, problem: finding.reason.map { $0.summary + kind })]
    } catch {
      return [row(file, nil, problem: "\(error)")]
    }
  }

  /// Counts the documents of a feed or a library; `nil` if the file holds one document.
  private static func counts(
    of file: String, _ options: TrackMigrationOptions, _ cancellation: MigrationCancellation
  ) throws -> [[FieldValue]]? {
    let facts: Facts
    // Lines that are no answers, but name a title and artists.
    var fields = 0
    var problems: [(reason: String, count: Int, examples: [String])]
    // A pipe can be read only once.
    guard FileStatus(file)?.kind == .regular else { return nil }
    if StoreFile.isDatabase(file) {
      var work = LibraryMigration(path: file)
      (work.trackOptions, work.settings.cancellation) = (options, cancellation)
      guard case .migrated(let result) = try work.run(isDryRun: true) else {
        return [row(file, nil, problem: "a v2 library has no JSON")]
      }
      facts = result.report.facts
      problems = FallbackReason.allCases.map {
        ($0.summary, facts[.fallbacks][$0.rawValue] ?? 0, result.examples[$0.counter] ?? [])
      }
    } else if hasManyDocuments(file) {
      let folder = try ScratchFolder()
      var work = LibraryImport(feedPath: file, path: folder.path("Library.sqlite"))
      (work.trackOptions, work.settings.cancellation) = (options, cancellation)
      let result = try work.run(isDryRun: true)
      facts = result.facts
      problems = result.fallbacks.map { ($0.reason.summary, $0.count, $0.examples) }
      problems.append(("no track", facts[.rejectedLines] ?? 0, result.rejectExamples))
      let answers = facts[.presets].values.reduce(0, +)
      fields = max(0, (facts[.addedTracks] ?? 0) - answers - problems.dropLast().reduce(0) { $0 + $1.count })
    } else {
      return nil
    }
    let presets = facts[.presets].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return (presets.map { ($0.key, $0.value) } + (fields > 0 ? [("(fields)", fields)] : [])).map {
      row(file, $0, count: $1)
    }
      + problems.filter { $0.count > 0 }.map { problem in
        let example = problem.examples.first.map { ", such as \($0)" } ?? ""
        return row(file, nil, count: problem.count, problem: problem.reason + example)
      }
  }

  /// Whether a file is a feed: by its name, or because another document follows the first line.
  private static func hasManyDocuments(_ file: String) -> Bool {
    let name = file.lowercased()
    if [".ndjson", ".jsonl", ".csv", ".tsv", ".gz", ".zip"].contains(where: name.hasSuffix) { return true }
    guard let bytes = try? FileSystem.contents(ofInput: file) else { return false }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    let extraction = ArtistExtraction()
    return lines.count == 2 && lines[0].first == UInt8(ascii: "{")
      && lines[1].contains(UInt8(ascii: "{")) && (try? extraction.read(Array(lines[0]))) != nil
  }
}

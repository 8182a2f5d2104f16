internal import CommandLineArguments
import FeedFiles
import JSONPresets
import JSONStream
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import TerminalOutput
import TrackLibrary
import TrackVerification

/// Groups the commands about presets: where artists stand in the answers of services.
struct Presets: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, show and test presets: where artists stand in services' JSON.",
    discussion: """
      A preset says how to recognize the JSON of a service, and where its artists, their names, ids, images and roles \
      stand. 'migrate' uses the first preset that matches each track's JSON, in the order of this list, unless --json \
      names one. To read JSON of another shape, let 'presets new' propose a preset, or save a similar one with \
      'presets show', change it, try it with 'presets test', and pass the file to --json.

      EXAMPLES
        tracks-migrate presets
        tracks-migrate presets show deezer > mine.json
        tracks-migrate presets test answer.json --json mine.json
        tracks-migrate Library.sqlite --json mine.json --dry-run
      """,
    subcommands: [ListPresets.self, ShowPreset.self, TestPresets.self, NewPreset.self],
    defaultSubcommand: ListPresets.self,
    otherNames: ["services", "formats", "shapes"])
}

/// Lists the built-in presets.
struct ListPresets: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the built-in presets, in the order in which they are tried.",
    extraWords: { words, _ in
      let name = words.first.flatMap { word in
        Preset.builtIn.first { $0.name == word.lowercased() }?.name ?? nearest(to: word, in: Preset.builtIn.map(\.name))
      }
      return name.map { "Show a preset with: tracks-migrate presets show \($0)" }
    })

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var table: TableOptions

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws { try csv.check(isCSV: format == .csv) }

  mutating func run() throws {
    let guardsFormulas = csv.guardsFormulas
    let (format, terminal) = (self.format, table.terminal)
    try reportingErrors {
      let writer = format.makeWriter(to: StandardOutput(), terminal: terminal, guardsFormulas: guardsFormulas)
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

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws { try csv.check(isCSV: format == .csv) }

  mutating func run() throws {
    let guardsFormulas = csv.guardsFormulas
    let (files, format, terminal) = (self.files, self.format, table.terminal)
    let (shape, roles) = (try options.shape ?? .auto, try options.wantedRoles)
    let cancellation = SignalCancellation.listen()
    var hasAll = true
    try reportingErrors {
      let extraction = ArtistExtraction(shape, roles: roles)
      let writer = format.makeWriter(to: StandardOutput(), terminal: terminal, guardsFormulas: guardsFormulas)
      let kinds = files.map(Self.kind(of:))
      let columns = ["file", "preset", "name", "id", "image_url", "role", "credited", "problem"]
      let hasCounts = kinds.contains { $0 != .document }
      try writer.begin(columns: columns + (hasCounts ? ["documents"] : []))
      var options = TrackMigrationOptions()
      (options.json, options.roles) = (shape, roles)
      for (file, kind) in zip(files, kinds) {
        let rows =
          switch kind {
          case .document: try Self.rows(of: file, extraction)
          case .feed: try Self.counts(ofFeed: file, options, cancellation)
          case .library: try Self.counts(ofLibrary: file, options, cancellation)
          }
        if rows.contains(where: { $0.problem != nil }) { hasAll = false }
        for row in rows { try writer.write(row.values(of: file, hasCounts: hasCounts)) }
      }
      try writer.end()
    }
    if !hasAll { throw foundSomething }
  }

  enum Kind { case document, feed, library }

  /// An artist of a document, or a number of documents.
  private struct Row {
    var preset: String?
    var artist: ArtistExtraction.Artist?
    var problem: String?
    var count: Int?

    func values(of file: String, hasCounts: Bool) -> [FieldValue] {
      [
        .path(file), FieldValue(preset), FieldValue(artist?.name), FieldValue(artist?.id),
        FieldValue(artist?.imageURL), FieldValue(artist?.role?.rawValue), FieldValue(artist?.credited),
        FieldValue(problem),
      ] + (hasCounts ? [FieldValue(count)] : [])
    }
  }

  private static func rows(of file: String, _ extraction: ArtistExtraction) throws -> [Row] {
    let bytes = try FileSystem.contents(ofInput: file)
    do throws(JSONStreamError) {
      let finding = try extraction.read(bytes)
      let preset = finding.preset?.name
      guard finding.artists.isEmpty else { return finding.artists.map { Row(preset: preset, artist: $0) } }
      let kind = finding.preset.map { $0.kind == .track ? "" : ": \($0.title)" } ?? ""
      return [Row(preset: preset, problem: finding.reason.map { $0.summary + kind })]
    } catch {
      return [Row(problem: "\(error)")]
    }
  }

  private static func counts(
    ofLibrary file: String, _ options: TrackMigrationOptions, _ cancellation: MigrationCancellation
  ) throws -> [Row] {
    var work = LibraryMigration(path: file)
    (work.trackOptions, work.settings.cancellation) = (options, cancellation)
    guard case .migrated(let result) = try work.run(isDryRun: true) else {
      return [Row(problem: "a v2 library has no JSON")]
    }
    return counts(
      result.report.facts,
      FallbackReason.allCases.map {
        ($0.summary, result.report.facts[.fallbacks][$0.rawValue] ?? 0, result.examples[$0.counter] ?? [])
      })
  }

  private static func counts(
    ofFeed file: String, _ options: TrackMigrationOptions, _ cancellation: MigrationCancellation
  ) throws -> [Row] {
    let folder = try ScratchFolder()
    var work = LibraryImport(feedPath: file, path: folder.path("Library.sqlite"))
    (work.trackOptions, work.settings.cancellation) = (options, cancellation)
    let result = try work.run(isDryRun: true)
    let fallbacks = result.fallbacks.map { ($0.reason.summary, $0.count, $0.examples) }
    return counts(
      result.facts, fallbacks + [("no track", result.facts[.rejectedLines] ?? 0, result.rejectExamples)],
      trackCount: result.facts[.addedTracks])
  }

  private static func counts(
    _ facts: Facts, _ problems: [(reason: String, count: Int, examples: [String])], trackCount: Int? = nil
  ) -> [Row] {
    let presets = facts[.presets].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let artistless = facts[.tracksWithoutArtist] ?? 0
    let problems = problems + [("no artist and no artistName", artistless, [])]
    return presets.map { Row(preset: $0.key, count: $0.value) }
      // Those that are no answers name their title and artists.
      + (trackCount.map { [Row(preset: "(tracks)", count: $0)] } ?? [])
      + problems.filter { $0.count > 0 }.map { problem in
        let example = problem.examples.first.map { ", such as \($0)" } ?? ""
        return Row(problem: problem.reason + example, count: problem.count)
      }
  }

  /// Whether a file is a library or a feed: by its name, or because another document follows the first line.
  static func kind(of file: String) -> Kind {
    // A pipe can be read only once.
    guard FileStatus(file)?.kind == .regular else { return .document }
    if StoreFile.isDatabase(file) { return .library }
    let name = file.lowercased()
    if [".ndjson", ".jsonl", ".csv", ".tsv", ".gz", ".zip"].contains(where: name.hasSuffix) { return .feed }
    // A feed may be larger than memory; its beginning tells.
    let bytes = (try? FileSystem.beginning(ofInput: file, count: 1 << 20)) ?? []
    // A list of objects.
    let start = bytes.lazy.filter { $0 > 0x20 }.prefix(2)
    if start.elementsEqual([UInt8(ascii: "["), UInt8(ascii: "{")]) { return .feed }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    let isFeed =
      lines.count == 2 && lines[0].first == UInt8(ascii: "{") && lines[1].contains(UInt8(ascii: "{"))
      && (try? ArtistExtraction().read(Array(lines[0]))) != nil
    return isFeed ? .feed : .document
  }
}

/// Proposes a preset for documents of an unknown shape.
struct NewPreset: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Propose a preset for JSON documents that no preset knows, and say what it is unsure of.",
    discussion: """
      Prints a preset with the likeliest place of artists, and on standard error in how many documents it was found, the \
      other places that are likely, and what is to be looked at. Each file holds one document, or is a feed, of which the \
      first 1,000 lines are read. The exit status is 3 if no likely place was found.

      EXAMPLES
        tracks-migrate presets new answer.json > mine.json
        tracks-migrate presets test answer.json --json mine.json
      """)

  @Argument(help: "Files with one JSON document each, or feeds.", completion: .file(.reads, extensions: ["json"]))
  var files: [String]

  private static let lineLimit = 1000

  mutating func run() throws {
    let (files, cancellation) = (self.files, SignalCancellation.listen())
    var isFound = false
    try reportingErrors {
      var proposal = PresetProposal()
      for file in files {
        let kind = TestPresets.kind(of: file)
        guard kind != .library else {
          StandardError.warning(
            "'\(file)' is a library. A dry run of 'tracks-migrate' says where artists stand in its JSON.")
          continue
        }
        guard kind == .feed else {
          if !proposal.add(try FileSystem.contents(ofInput: file), file) {
            StandardError.warning("'\(file)' is not JSON.")
          }
          continue
        }
        let lines = try LineReader(FeedSource(path: file), advice: "Name a feed.") { cancellation.isCancelled }
        while let line = try lines.next(), lines.number <= Self.lineLimit {
          let name = "line \(lines.number) of '\(file)'"
          if !proposal.add(line, name) { StandardError.warning("\(name) is not JSON.") }
        }
      }
      let total = NumberFormat.counted(proposal.readCount, "document")
      for (name, count) in proposal.builtIn.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
        StandardError.note("The built-in preset '\(name)' finds artists in \(NumberFormat.grouped(count)) of \(total).")
      }
      guard let (preset, evidence) = proposal.presets.first else {
        return StandardError.note(
          proposal.readCount == 0
            ? "None of it could be read." : "No likely place of artists was found in \(total); \(proposal.looks).")
      }
      isFound = true
      let output = StandardOutput()
      try output.write(preset.json)
      try output.flush()
      StandardError.note("Artists: \(preset.artists[0].path.fromRoot), \(evidence).")
      for (other, evidence) in proposal.presets.dropFirst() {
        StandardError.note("Or: \(other.artists[0].path.fromRoot), \(evidence).")
      }
      let guesses = [
        ("titles", preset.trackTitle), ("times", preset.playedAt), ("roles", preset.artists[0].role),
      ].filter { !$0.1.isEmpty }.map { "\($0.0) from '\($0.1[0])'" }
      if !guesses.isEmpty { StandardError.note("Look at these guesses too: \(guesses.joined(separator: ", ")).") }
      StandardError.note(
        "It takes every document with \(preset.conditions[0]). Add to \"detect\" what only these documents have. "
          + "Without \"trackTitle\" and \"playedAt\", a feed's titles and times are found by the usual words.")
    }
    if !isFound { throw foundSomething }
  }
}

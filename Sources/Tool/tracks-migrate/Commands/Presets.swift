internal import CommandLineArguments
import JSONPresets
import JSONStream
import MigrationDiagnostics
import PersistentStore
import Policies
import TerminalOutput

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
      Each file holds one document, as a track's JSON does. The exit status is 3 if any document gives no artist.

      EXAMPLES
        tracks-migrate presets test answer.json
        tracks-migrate presets test *.json --json mine.json --format ndjson
        tracks-migrate presets test answer.json --artists-path '$.ar[*]' --id-path id
      """)

  @Argument(help: "Files with one JSON document each.", completion: .file(.reads, extensions: ["json"]))
  var files: [String]

  @OptionGroup var options: JSONOptions

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var table: TableOptions

  mutating func run() throws {
    let (files, format, terminal) = (self.files, self.format, table.terminal)
    let (shape, roles) = (try options.shape ?? .auto, try options.wantedRoles)
    var hasAll = true
    try reportingErrors {
      let extraction = ArtistExtraction(shape, roles: roles)
      let writer = format.makeWriter(to: StandardOutput(), terminal: terminal)
      try writer.begin(columns: ["file", "preset", "name", "id", "image_url", "role", "credited", "problem"])
      for file in files {
        let rows = try Self.rows(of: file, extraction)
        if rows.contains(where: { $0.last != .null }) { hasAll = false }
        try rows.forEach(writer.write)
      }
      try writer.end()
    }
    if !hasAll { throw foundSomething }
  }

  private static func rows(of file: String, _ extraction: ArtistExtraction) throws -> [[FieldValue]] {
    let bytes = try FileSystem.contents(ofInput: file)
    func row(_ finding: ArtistExtraction.Finding?, _ artist: ArtistExtraction.Artist?, _ problem: String?)
      -> [FieldValue]
    {
      [
        .path(file), FieldValue(finding?.preset?.name), FieldValue(artist?.name), FieldValue(artist?.id),
        FieldValue(artist?.imageURL), FieldValue(artist?.role?.rawValue), FieldValue(artist?.credited),
        FieldValue(problem),
      ]
    }
    do throws(JSONStreamError) {
      let finding = try extraction.read(bytes)
      guard finding.artists.isEmpty else { return finding.artists.map { row(finding, $0, nil) } }
      let kind = finding.preset.map { $0.kind == .track ? "" : ": \($0.title)" } ?? ""
      return [row(finding, nil, finding.reason.map { $0.summary + kind })]
    } catch {
      return [row(nil, nil, "\(error)")]
    }
  }
}

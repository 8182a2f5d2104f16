import JSONPresets
import TestSupport
import Testing

@testable import CommandLineArguments
@testable import tracks_migrate

/// The recipes of CONTRIBUTING for a preset and a command: two places each; `make record` writes the rest.
@Suite("The recipes for a preset and a command")
struct RecipeTests {
  // MARK: - A preset

  private static let presetFiles = ["BuiltInPresets", "ExportPresets", "GeneralShapes", "MoreServices"].map {
    "Sources/Tracks/JSONPresets/\($0).swift"
  }
  private static let tracks = Preset.builtIn.filter { $0.kind == .track }

  @Test func `A preset is tried if its file describes it`() throws {
    let text = try Self.presetFiles.map { try Files.text("\(Readme.root)/\($0)") }.joined()
    let names = text.matches(of: /(?:private|package) static let \w+ = (?:Preset|general)\(\s*"([^"]+)"/).map {
      String($0.output.1)
    }
    let others = Set(Preset.builtIn.filter { $0.kind != .track }.map(\.name))
    #expect(names.filter { !others.contains($0) }.sorted() == Self.tracks.map(\.name).sorted())
  }

  @Test func `No code depends on the name of a service's preset`() throws {
    // This program's own shape, whose ids belong to no service, may be told from others.
    let names = Self.tracks.filter { !$0.namespace.isEmpty }.map { "-e '\"\($0.name)\"'" }.joined(separator: " ")
    // A service may be a member of a document, too, which stands alone in a list.
    let script = "grep -rnF \(names) Sources Policies | grep -v '\\[\"[a-z_]*\"\\]' | cut -d: -f1 | sort -u"
    let files = Self.presetFiles.filter { !$0.hasSuffix("/GeneralShapes.swift") }
    #expect(try CommandRunner.shell(script, in: Readme.root).run().lines.sorted() == files)
  }

  @Test func `Only files that are recorded list the presets`() throws {
    let names = Self.tracks.map { "-e '\($0.name)'" }.joined(separator: " ")
    let script = """
      grep -rowF --exclude-dir=.build --exclude-dir=.git \(names) . | sort -u | cut -d: -f1 | uniq -c
      """
    let counts = try CommandRunner.shell(script, in: Readme.root).run().lines.map { $0.split(separator: " ") }
    let lists = counts.filter { Int($0[0]) ?? 0 > Self.tracks.count / 2 }.map { $0[1] }
    let recorded = ["./docs/presets.md", "./SampleData/Services/artists.csv", "./Tests/Transcripts/help.txt"]
    let others = lists.filter { !Self.presetFiles.contains(String($0.dropFirst(2))) }
    #expect(others.sorted() == recorded.map { $0[...] }.sorted())
  }

  // MARK: - A command

  @Test func `The type of a command is named in its file, and once in the list of its group`() throws {
    let folder = "\(Readme.root)/Sources/Tool/tracks-migrate"
    let script = #"grep -rnoE '[A-Z][A-Za-z]+\.self|(extension|struct) [A-Z][A-Za-z]+' --include=*.swift ."#
    let lines = try CommandRunner.shell(script, in: folder).run().lines.map {
      $0.split(separator: ":").map(String.init)
    }
    func files(with words: String) -> [String] { lines.filter { $0[2] == words }.map { $0[0] } }
    let listings = try CommandRunner.shell("grep -rhoE 'defaultSubcommand: [A-Za-z]+' .", in: folder).run().lines
    let types = Self.commands(of: TracksMigrate.self).map { "\($0)" }
    #expect(types.count > 30)
    for type in types {
      let home = files(with: "struct \(type)")
      #expect(home.count == 1, "\(type)")
      #expect(files(with: "extension \(type)").allSatisfy(home.contains), "\(type)")
      let defaults = listings.count { $0 == "defaultSubcommand: \(type)" }
      #expect(files(with: "\(type).self").count == 1 + defaults, "\(type)")
    }
  }

  private static func commands(of type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    type.configuration.subcommands.flatMap { [$0] + commands(of: $0) }
  }
}

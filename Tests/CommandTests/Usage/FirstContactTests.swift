import TestSupport
import Testing

@testable import CommandLineArguments
@testable import tracks_migrate

/// The first minutes with the command, before anything is known of it.
@Suite("First contact")
struct FirstContactTests {
  @Test func `The command alone says in a screenful what it is, what it can do and how to begin`() throws {
    let result = try tracksMigrate(environment: ["COLUMNS": "80"])
    #expect(result.status == 64 && result.stdout == "", "\(result)")
    let lines = result.stderr.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    // The error stays on a terminal of 24 lines.
    #expect(lines.count <= 24, "\(result)")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(result)")
    #expect(lines.first == "tracks-migrate: error: the argument '<library>' is missing.")
    for info in CommandInfo(root: TracksMigrate.self).shownSubcommands {
      #expect(result.stderr.contains(" \(info.name),") || result.stderr.contains(" \(info.name)\n"), "\(info.name)")
    }
    #expect(result.stderr.contains("\n  tracks-migrate Library.sqlite --dry-run "))
  }

  @Test(arguments: ["version", "-v", "-V"])
  func `The version is shown in the spellings of other tools`(word: String) throws {
    let result = try successfully(word)
    #expect(result.stdout == (try successfully("--version").stdout) && result.stderr == "")
  }

  @Test func `A library named like such a spelling is a library`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.library("version")
    try CommandRunner(["version"], folder: folder.path).run().expectSuccess()
    #expect(try Rows.migrated(folder.file("version")) == [TrackRow].fewMigrated)
    // With a library, the flag is the one of a migration.
    let verbose = try CommandRunner(["-v", "version"], folder: folder.path).run()
    #expect(verbose.status == 0 && verbose.stdout == "", "\(verbose)")
  }

  @Test func `The main help has the commands in groups before the long text`() throws {
    let help = try successfully("--help").stdout
    let places = try [
      "USAGE: ", "MIGRATE AND UNDO:", "LOOK:", "IMPORT AND EXPORT:", "APP TEAMS:", "CLUSTERS:", "OPTIONS:",
      "A v1 library ",
    ]
    .map { try #require(help.firstRange(of: $0)?.lowerBound, "\($0)") }
    #expect(places == places.sorted())
    #expect(CommandInfo(root: TracksMigrate.self).shownSubcommands.allSatisfy { $0.group != nil })
  }

  /// Other words for a command, none of which is one.
  @Test func `No word that suggests a command is one itself, or suggests two`() {
    let commands = CommandInfo(root: TracksMigrate.self).shownSubcommands
    let words = commands.flatMap(\.otherNames)
    #expect(words.count > 30 && Set(words).count == words.count)
    #expect(Set(words).isDisjoint(with: commands.map(\.name)))
  }

  @Test func `Every command that writes CSV can guard it against formulas`() throws {
    func check(_ info: CommandInfo) {
      let names = Set(info.arguments.flatMap(\.names).map(\.spelling))
      if info.arguments.contains(where: { $0.names.contains(.long("format")) && $0.allValues.contains("csv") }) {
        // These read what has the form.
        #expect(names.contains("--safe-csv") || ["import", "extract"].contains(info.name), "\(info.path)")
      }
      info.subcommands.forEach(check)
    }
    check(CommandInfo(root: TracksMigrate.self))
  }

  @Test func `Formulas in models and answers are marked in CSV`() throws {
    let folder = try TemporaryFolder()
    let model = try folder.writeAppModel(
      entity: "E", versions: [#"<attribute name="-a" optional="YES" attributeType="String"/>"#])
    try folder.write(Array(#"{"title":"t","artists":[{"name":"-a","id":"i"}]}"#.utf8), to: "answer.json")
    let empty = try folder.models("Empty.xcdatamodeld", ["Empty": "<entity name=\"E\"/>"])
    for words in [
      ["models", "show", model], ["models", "diff", empty, model], ["presets", "test", folder.file("answer.json")],
    ] {
      let plain = try CommandRunner(words + ["--format", "csv"]).run()
      let safe = try CommandRunner(words + ["--format", "csv", "--safe-csv"]).run()
      #expect(plain.stdout.contains(",-a,") && !plain.stdout.contains("'-a"), "\(plain)")
      #expect(safe.stdout.contains(",'-a,"), "\(safe)")
      #expect(try CommandRunner(words + ["--safe-csv"]).run().status == 64)
    }
  }

  /// Other words for an option: they must not be options of the same command.
  @Test func `No word that suggests an option is one of the same command`() {
    func check(_ info: CommandInfo) {
      let names = Set(info.arguments.flatMap(\.names).map(\.spelling))
      for argument in info.arguments {
        for word in argument.otherNames {
          #expect(!names.contains("--\(word)") && !names.contains("-\(word)"), "\(info.path) \(word)")
        }
      }
      info.subcommands.forEach(check)
    }
    check(CommandInfo(root: TracksMigrate.self))
  }
}

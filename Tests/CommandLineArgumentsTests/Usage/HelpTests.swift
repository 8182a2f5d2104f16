import Testing

@testable import CommandLineArguments

@Suite struct HelpTests {
  @Test func `The help of a root lists the subcommands`() {
    #expect(
      Sample.Tool.helpMessage(columns: 80) == """
        OVERVIEW: Looks at a library.

        USAGE: tool [--loud] <subcommand>

        OPTIONS:
          --loud                  Say more.
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          albums                  Lists the albums of a library, with as many tracks and
                                  as much detail as was asked for.
          artists                 Lists the artists.
          admin                   Keeps order.
          stop

          See 'tool help <subcommand>' for detailed help.
        """)
  }

  private struct Grouped: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "grouped", abstract: "Does things.", discussion: "It takes a while to explain.",
      subcommands: [Sample.Albums.self],
      groupedSubcommands: [
        CommandGroup(name: "Look", subcommands: [Sample.Artists.self]),
        CommandGroup(name: "Work", subcommands: [Sample.Stop.self]),
      ])
  }

  @Test func `Groups of subcommands have headings, and each command is found as without them`() {
    let help = Grouped.helpMessage(columns: 80)
    #expect(help.contains("SUBCOMMANDS:\n  albums"))
    #expect(help.contains("\n\nLOOK:\n  artists                 Lists the artists.\n\nWORK:\n  stop\n"))
    #expect(Grouped.subcommandNames == ["albums", "artists", "stop", "help"])
    #expect(throws: Never.self) { try Grouped.parseAsRoot(["stop"]) }
  }

  @Test func `Groups of subcommands come before the options, and these before the long text`() throws {
    let help = Grouped.helpMessage(columns: 80)
    let places = try [
      "Does things.", "USAGE: ", "LOOK:", "WORK:", "OPTIONS:", "It takes a while to explain.", "  See ",
    ]
    .map { try #require(help.firstRange(of: $0)?.lowerBound, "\($0)") }
    #expect(places == places.sorted())
  }

  @Test func `The help of a command wraps everything except examples`() {
    #expect(
      Sample.Tool.helpMessage(for: Sample.Albums.self, columns: 80) == """
        OVERVIEW: Lists the albums of a library, with as many tracks and as much detail
        as was asked for.

        Albums without tracks are not listed.

        EXAMPLES:
          tool albums library.sqlite --limit 3        # the first three, in the order of their names, as a table

        USAGE: tool albums <library> [--limit <count>] [--min-tracks <min-tracks>]
                 [--no-index] [--format <format>] [--quiet]

        ARGUMENTS:
          <library>               The library.

        OUTPUT:
          -f, --format <format>   How to print. (values: table, json, csv; default:
                                  table)
          -q, --quiet             Say less.

        OPTIONS:
          -l, --limit <count>     How many.
          --min-tracks <min-tracks>
                                  The smallest album. (default: 1)
          --no-index              Do not use the index.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `The help marks the default subcommand`() {
    let help = Sample.Player.helpMessage(columns: 80)
    #expect(help.contains("\n  play (default)\n  stop\n"))
  }

  @Test func `The help shows hidden options only on request`() {
    let hidden = "--trace <trace>"
    #expect(!Sample.Tool.helpMessage(for: Sample.Artists.self, columns: 80).contains(hidden))
    #expect(Sample.Tool.helpMessage(for: Sample.Artists.self, includeHidden: true, columns: 80).contains(hidden))
  }

  struct Many: ParsableCommand {
    struct Numbers: ParsableArguments {
      @Option() var a: Int?
      @Option() var b: Int?
      @Option() var c: Int?
      @Option() var d: Int?
      @Option() var e: Int?
      @Option() var f: Int?
      @Option() var g: Int?
      @Option() var h: Int?
      @Option() var i: Int?
      @Option() var j: Int?
      @Option() var k: Int?
    }

    @OptionGroup var numbers: Numbers
    @Option() var more: Int?
    @Argument() var word: String?
  }

  @Test func `A very long usage line is shortened`() {
    #expect(Many.helpMessage(columns: 80).hasPrefix("USAGE: many [<options>] [<word>]\n"))
  }

  struct Enough: ParsableCommand {
    @OptionGroup var numbers: Many.Numbers
    @Argument() var word: String?
  }

  @Test func `A usage line of twelve parts is not shortened`() {
    #expect(Enough.helpMessage(columns: 80).hasPrefix("USAGE: enough [--a <a>] [--b <b>] [--c <c>]"))
  }

  @Test(
    arguments: [
      (["albums", "-h"], "albums"), (["albums", "--help"], "albums"), (["help", "albums"], "albums"),
      (["albums", "l", "--limit", "x", "--help"], "albums"),
      (["albums", "--limt", "--help"], "albums"), (["albums", "a", "b", "-h"], "albums"),
      (["admin", "check", "--help"], "admin check"), (["help", "admin", "check"], "admin check"),
      (["admin", "--help", "check"], "admin"), (["help", "admin"], "admin"), (["nonsense", "--help"], ""),
      (["--help", "albums"], ""), (["help"], ""),
    ] as [([String], String)])
  func `The help is the same text in every spelling`(words: [String], command: String) throws {
    let error = try #require(throws: (any Error).self) { try Sample.Tool.parseAsRoot(words) }
    let type: [String: any ParsableCommand.Type] = [
      "": Sample.Tool.self, "albums": Sample.Albums.self, "admin": Sample.Admin.self, "admin check": Sample.Check.self,
    ]
    let expected = Sample.Tool.helpMessage(for: try #require(type[command]), columns: 80)
    #expect(Sample.Tool.fullMessage(for: error, columns: 80) == expected)
    #expect(Sample.Tool.exitCode(for: error) == .success)
  }

  @Test func `A command with only subcommands prints its help`() throws {
    var command = try Sample.Tool.parseAsRoot(["admin"])
    let error = try #require(throws: (any Error).self) { try command.run() }
    let reported = CommandError(thrownBy: Sample.Admin.self, below: Sample.Tool.self, error)
    #expect(
      Sample.Tool.fullMessage(for: reported, columns: 80)
        == Sample.Tool.helpMessage(for: Sample.Admin.self, columns: 80))
  }

  @Test func `The --help option is a plain argument after two dashes`() throws {
    let albums = try Sample.Albums.parse(["--", "--help"])
    #expect(albums.library == "--help")
    // An earlier usage error does not change that.
    let error = try #require(throws: (any Error).self) {
      try Sample.Tool.parseAsRoot(["albums", "--limt", "--", "--help"])
    }
    #expect(Sample.Tool.exitCode(for: error) == .validationFailure)
    #expect(Sample.Tool.fullMessage(for: error, columns: 80).hasPrefix("error: there is no option '--limt'."))
  }
}

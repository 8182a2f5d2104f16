@testable import CommandLineArguments

/// A tool that uses every feature of the module.
enum Sample {
  enum Format: String, CaseIterable, ExpressibleByArgument { case table, json, csv }

  struct Output: ParsableArguments {
    @Option(name: .shortAndLong, help: "How to print.") var format: Format = .table
    @Flag(name: .shortAndLong, help: "Say less.") var quiet = false

    mutating func validate() throws {
      if quiet, format == .csv { throw ValidationError("Nobody reads csv quietly.") }
    }
  }

  struct Tool: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "tool", abstract: "Looks at a library.", version: "1.2.3",
      subcommands: [Albums.self, Artists.self, Admin.self, Stop.self])

    @Flag(help: "Say more.") var loud = false
  }

  struct Albums: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the albums of a library, with as many tracks and as much detail as was asked for.",
      discussion: """
        Albums without tracks are not listed.

        EXAMPLES:
          tool albums library.sqlite --limit 3        # the first three, in the order of their names, as a table
        """)

    @Argument(help: "The library.", completion: .file(.reads, extensions: ["sqlite"])) var library: String
    @Option(name: .shortAndLong, help: ArgumentHelp("How many.", valueName: "count")) var limit: Int?
    @Option(help: "The smallest album.") var minTracks = 1
    @Flag(name: .customLong("no-index"), help: "Do not use the index.") var declinesIndex = false
    @OptionGroup(title: "Output") var output: Output

    func run() throws {}
  }

  struct Artists: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the artists.")

    @Argument(help: "The libraries.", completion: .file(.reads, extensions: ["sqlite"])) var libraries: [String]
    @Option(help: "What to show.", completion: .list(["name", "sort name"]))
    var column: [String] = []
    @Option(help: ArgumentHelp(visibility: .hidden)) var trace: String?

    func run() throws { throw ValidationError("There are not artists.") }
  }

  struct Admin: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Keeps order.", subcommands: [Check.self])
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Checks a library.")

    @Flag(name: .shortAndLong, help: "Print all.") var full = false
    @Option(help: "Where to write.", completion: .directory(.fills)) var into: String?

    func run() throws {}
  }

  /// A tool with a default subcommand.
  struct Player: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "player", subcommands: [Play.self, Stop.self], defaultSubcommand: Play.self)

    @Flag var loud = false
  }

  struct Play: ParsableCommand {
    @Argument(completion: .file(.reads)) var song: String
    @Option(name: .shortAndLong, completion: .list(["1", "2"])) var times = 1

    func run() throws {}
  }

  struct Stop: ParsableCommand {
    func run() throws { throw ExitCode(7) }
  }
}

import CommandLineArguments

/// A tool that uses every feature of the module.
enum Sample {
  enum Format: String, CaseIterable, ExpressibleByArgument { case table, json, csv }

  enum Order: EnumerableFlag { case ascending, descending }

  enum Depth: EnumerableFlag {
    case brief, full

    static func name(for value: Self) -> NameSpecification { value == .full ? .shortAndLong : .long }
    static func help(for value: Self) -> ArgumentHelp? { value == .full ? "Print all." : "Print names." }
  }

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
      subcommands: [Albums.self, Artists.self, Admin.self, Secret.self])

    @Flag(help: "Say more.") var loud = false
  }

  struct Albums: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the albums of a library, with as many tracks and as much detail as was asked for.",
      discussion: """
        Albums without tracks are not listed.

        EXAMPLES:
          tool albums library.sqlite --limit 3        # the first three, in the order of their names, as a table
        """,
      aliases: ["al"])

    @Argument(help: "The library.", completion: .file(extensions: ["sqlite"])) var library: String
    @Option(name: .shortAndLong, help: ArgumentHelp("How many.", valueName: "count")) var limit: Int?
    @Option(help: "The smallest album.") var minTracks = 1
    @Flag(inversion: .prefixedNo, help: "Use the index.") var index = true
    @Flag(help: "The order.") var order: Order = .ascending
    @OptionGroup(title: "Output") var output: Output

    func run() throws {}
  }

  struct Artists: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the artists.")

    @Argument(help: "The libraries.", completion: .file(extensions: ["sqlite"])) var libraries: [String]
    @Option(parsing: .upToNextOption, help: "What to show.", completion: .list(["name", "sort name"]))
    var column: [String] = []
    @Option(help: .hidden) var trace: String?

    func run() throws { throw ValidationError("There are not artists.") }
  }

  struct Admin: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Keeps order.", subcommands: [Check.self])
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Checks a library.")

    @Flag(help: "How much to print.") var depth: Depth = .brief
    @Option(help: "Where to write.", completion: .directory) var into: String?

    func run() throws {}
  }

  struct Secret: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Not listed.", shouldDisplay: false)

    func run() throws { throw ExitCode(7) }
  }

  /// A tool with a default subcommand.
  struct Player: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "player", subcommands: [Play.self, Stop.self], defaultSubcommand: Play.self)

    @Flag var loud = false
  }

  struct Play: ParsableCommand {
    @Argument(completion: .file()) var song: String
    @Option(name: .shortAndLong, completion: .list(["1", "2"])) var times = 1

    func run() throws {}
  }

  struct Stop: ParsableCommand {
    func run() throws {}
  }
}

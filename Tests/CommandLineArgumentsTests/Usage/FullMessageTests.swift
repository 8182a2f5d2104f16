import Testing

@testable import CommandLineArguments

@Suite struct FullMessageTests {
  private func text(_ words: [String]) throws -> String {
    let error = try #require(throws: (any Error).self) { try Sample.Tool.parseAsRoot(words) }
    return Sample.Tool.fullMessage(for: error, columns: 80)
  }

  @Test func `The message for a wrong value has the option's help and the command's usage`() throws {
    #expect(
      try text(["artists", "l", "--column"]) == """
        error: the value of '--column <column>' is missing.
        Help:  --column <column>  What to show.
        Usage: tool artists <libraries> ... [--column <column> ...]
          See 'tool artists --help' for more information.
        """)
  }

  @Test func `The message for an unknown command has the parent command's usage`() throws {
    #expect(
      try text(["artsts"]) == """
        error: there is no command 'artsts'. Did you mean 'artists'?
        Usage: tool [--loud] <subcommand>
          See 'tool --help' for more information.
        """)
  }

  struct Copy: ParsableCommand {
    @Argument(help: "What to copy.") var source: String
  }

  @Test func `The message for an empty command line has the whole help`() throws {
    let error = try #require(throws: (any Error).self) { try Copy.parseAsRoot([]) }
    #expect(
      Copy.fullMessage(for: error, columns: 80) == """
        error: the argument '<source>' is missing.

        USAGE: copy <source>

        ARGUMENTS:
          <source>                What to copy.

        OPTIONS:
          -h, --help              Show help information.

        """)
  }

  struct Shop: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "shop", abstract: "Sells things.", usage: "shop <thing>\nshop <subcommand>",
      discussion: "Everything else about it.",
      introduction: """
        Begin with the first of these, which costs nothing.

          shop look             see what is there
        """,
      groupedSubcommands: [
        CommandGroup(name: "Look and buy", subcommands: [Buy.self, Look.self]),
        CommandGroup(name: "Other", subcommands: [Close.self]),
      ], defaultSubcommand: Buy.self)
  }

  struct Buy: ParsableCommand {
    @Argument(help: "What to buy.") var thing: String
  }

  struct Look: ParsableCommand {}
  struct Close: ParsableCommand {}

  @Test func `The message for an empty command line of many commands has a few lines instead of the whole help`() throws
  {
    let error = try #require(throws: (any Error).self) { try Shop.parseAsRoot([]) }
    #expect(
      Shop.fullMessage(for: error, columns: 50) == """
        error: the argument '<thing>' is missing.

        Sells things.

        USAGE: shop <thing>
               shop <subcommand>

          Look and buy  buy, look
          Other         close

        Begin with the first of these, which costs
        nothing.

          shop look             see what is there

          See 'shop help <subcommand>' for detailed help.
        """)
  }

  struct Wordy: ParsableCommand {
    @Option() var colour: String?
    @Option() var sizeOfTheThing: String?
    @Option() var materialOfTheThing: String?
    @Argument() var thing: String
    @Argument() var others: [String] = []
  }

  @Test func `A usage of more than one line is shortened below an error`() throws {
    let error = try #require(throws: (any Error).self) { try Wordy.parseAsRoot(["--colour"]) }
    #expect(
      Wordy.fullMessage(for: error) == """
        error: the value of '--colour <colour>' is missing.
        Usage: wordy [<options>] <thing> [<others> ...]
          See 'wordy --help' for more information.
        """)
    #expect(Wordy.helpMessage(columns: 80).contains("[--colour <colour>]"))
  }

  struct Custom: ParsableCommand {
    static let configuration = CommandConfiguration(usage: "custom FROM TO\ncustom --list")
  }

  @Test func `The message has the usage that the command defines`() {
    #expect(
      Custom.fullMessage(for: ValidationError("No.")) == """
        error: No.
        Usage: custom FROM TO
               custom --list
          See 'custom --help' for more information.
        """)
  }

  struct Failure: Error, CustomStringConvertible { let description = "The disk is full." }

  @Test func `The message for an error of the command itself is its description`() {
    #expect(Sample.Tool.fullMessage(for: Failure()) == "error: The disk is full.")
    #expect(Sample.Tool.exitCode(for: Failure()) == .failure)
    #expect(Sample.Tool.fullMessage(for: ExitCode(7)) == "")
    #expect(Sample.Tool.exitCode(for: ExitCode(7)) == ExitCode(7))
  }

  @Test(arguments: [["--version"], ["albums", "--version"], ["albums", "l", "--version"]])
  func `The version of the root is printed for --version anywhere`(words: [String]) throws {
    #expect(try text(words) == "1.2.3")
  }

  @Test func `A command's own version is printed unless a flag has that name`() throws {
    struct Plain: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "plain", version: "4.5", subcommands: [Sample.Albums.self])
    }
    struct Own: ParsableCommand {
      static let configuration = CommandConfiguration(version: "4.5")
      @Flag var version = false
    }
    struct None: ParsableCommand {}
    let error = try #require(throws: (any Error).self) { try Plain.parseAsRoot(["--version"]) }
    #expect(Plain.fullMessage(for: error) == "4.5")
    #expect(Plain.exitCode(for: error) == .success)
    #expect(try (Own.parseAsRoot(["--version"]) as? Own)?.version == true)
    let unknown = try #require(throws: (any Error).self) { try None.parseAsRoot(["--version"]) }
    #expect(None.exitCode(for: unknown) == .validationFailure)
  }

  struct Versioned: ParsableCommand {
    struct Described: ParsableCommand {
      init() { Issue.record("a subcommand is described") }
    }

    static let configuration = CommandConfiguration(version: "1.2", subcommands: [Described.self])
  }

  @Test func `The version is told without describing the subcommands or making the beginning of errors`() throws {
    let request = try #require(throws: CommandError.self) { try Versioned.parseAsRoot(["--version"]) }
    func prefix() -> String {
      Issue.record("the beginning of errors is made")
      return ""
    }
    #expect(MessageInfo(error: request, root: Versioned.self).fullText(prefix: prefix()) == "1.2")
  }

  struct Nested: ParsableCommand {
    struct Other: ParsableCommand {
      struct Usual: ParsableCommand {
        init() { Issue.record("the default of a command that is not named is described") }
      }

      struct Named: ParsableCommand {
        init() { Issue.record("a subcommand of a command that is not named is described") }
      }

      static let configuration = CommandConfiguration(
        subcommands: [Usual.self, Named.self], defaultSubcommand: Usual.self)
    }

    struct Named: ParsableCommand {}

    static let configuration = CommandConfiguration(subcommands: [Other.self, Named.self])
  }

  @Test func `Only what a command line can name is described`() throws {
    #expect(try Nested.parseAsRoot(["named"]) is Nested.Named)
  }
}

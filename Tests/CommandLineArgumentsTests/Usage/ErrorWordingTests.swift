import Testing

@testable import CommandLineArguments

@Suite struct ErrorWordingTests {
  @Test(
    arguments: [
      (["albums", "l", "--limt", "3"], "there is no option '--limt'. Did you mean '--limit'?"),
      (["albums", "l", "--zzzzz"], "there is no option '--zzzzz'."),
      (["albums", "l", "--lod"], "there is no option '--lod'. Did you mean '--loud'?"),
      (["albums", "l", "-z"], "there is no option '-z'."),
      (["albums", "l", "-qz"], "there is no option '-z'."),
      (["albums", "l", "-limit", "3"], "there is no option '-limit'. Did you mean '--limit'?"),
      (["albums", "l", "--="], "there is no option '--'."),
      (["artsts"], "there is no command 'artsts'. Did you mean 'artists'?"),
      (["library"], "there is no command 'library'."),
      (["--", "library", "--help"], "there is no command 'library'."),
      (["admin", "chek"], "there is no command 'chek'. Did you mean 'check'?"),
      (["help", "artsts"], "there is no command 'artsts'. Did you mean 'artists'?"),
      (["albums"], "the argument '<library>' is missing."),
      (["artists"], "the argument '<libraries> ...' is missing."),
      (["albums", "l", "--limit"], "the value of '--limit <count>' is missing."),
      (["albums", "l", "-l"], "the value of '-l <count>' is missing."),
      (["albums", "l", "--limit", "--quiet"], "the value of '--limit <count>' is missing."),
      (["albums", "l", "--limit", "--", "3"], "the value of '--limit <count>' is missing."),
      (["artists", "l", "--column"], "the value of '--column <column>' is missing."),
      (["albums", "l", "--limit", "x"], "the value 'x' is invalid for '--limit <count>'."),
      (["albums", "l", "-l", "x"], "the value 'x' is invalid for '-l <count>'."),
      (["albums", "l", "--limit="], "the value '' is invalid for '--limit <count>'."),
      (
        ["albums", "l", "--limit", "99999999999999999999"],
        "the value '99999999999999999999' is invalid for '--limit <count>'."
      ),
      (
        ["albums", "l", "--format", "xml"],
        "the value 'xml' is invalid for '--format <format>'. Please provide one of 'table', 'json' or 'csv'."
      ),
      (["albums", "a", "b"], "the argument 'b' is unexpected."),
      (["albums", "a", "b", "c"], "the arguments 'b', 'c' are unexpected."),
      (["albums", "l", "--quiet=yes"], "the option '--quiet' does not take any value, but 'yes' was specified."),
      (["albums", "l", "-q=yes"], "the option '-q' does not take any value, but 'yes' was specified."),
      (["albums", "l", "-qf", "csv"], "Nobody reads csv quietly."),
      (["--generate-completion-script"], "the value of '--generate-completion-script <shell>' is missing."),
      (
        ["--generate-completion-script", "ksh"],
        """
        there are no completion scripts for 'ksh'.
        Please use --generate-completion-script=<shell> with one of:
            zsh bash fish
        """
      ),
    ] as [([String], String)])
  func `An error message says what is wrong`(words: [String], message: String) throws {
    let error = try #require(throws: (any Error).self) { try Sample.Tool.parseAsRoot(words) }
    #expect(Sample.Tool.message(for: error) == message)
    #expect(Sample.Tool.exitCode(for: error) == .validationFailure)
  }

  /// Commands that know other words for themselves, their options and what is left over.
  struct Shop: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "shop", subcommands: [Buy.self, Keep.self], defaultSubcommand: Buy.self)
  }

  struct Buy: ParsableCommand {
    static let configuration = CommandConfiguration(
      otherNames: ["purchase", "get"],
      extraWords: { extra, taken in
        extra == ["socks"] ? "Put '\(extra[0])' beside '\(taken.joined(separator: " "))' with '--with'." : nil
      })

    @Argument() var thing: String
    @Option(help: ArgumentHelp("Something else.", otherNames: ["and", "a"])) var with: String?
    @Option() var color: String?
  }

  struct Keep: ParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [List.self])
  }

  struct List: ParsableCommand {}

  @Test(
    arguments: [
      (["help", "purchase"], "there is no command 'purchase'. Did you mean 'buy'?"),
      (["help", "Get"], "there is no command 'Get'. Did you mean 'buy'?"),
      (["help", "list"], "there is no command 'list'. Did you mean 'keep list'?"),
      (["help", "kep"], "there is no command 'kep'. Did you mean 'keep'?"),
      (["help", "keep", "purchase"], "there is no command 'purchase'."),
      (["shoes", "--and", "socks"], "there is no option '--and'. Did you mean '--with'?"),
      (["shoes", "-a", "socks"], "there is no option '-a'. Did you mean '--with'?"),
      (["shoes", "--colour", "red"], "there is no option '--colour'. Did you mean '--color'?"),
      (["shoes", "socks"], "the argument 'socks' is unexpected. Put 'socks' beside 'shoes' with '--with'."),
      (["shoes", "gloves"], "the argument 'gloves' is unexpected."),
    ] as [([String], String)])
  func `An error message suggests what other words are likely to mean`(words: [String], message: String) throws {
    let error = try #require(throws: (any Error).self) { try Shop.parseAsRoot(words) }
    #expect(Shop.message(for: error) == message)
    #expect(Shop.exitCode(for: error) == .validationFailure)
  }

  struct Odd: ParsableArguments {
    enum Digit: String, CaseIterable, ExpressibleByArgument { case one, two }
    enum Letter: String, CaseIterable, ExpressibleByArgument { case a, b, c, d, e, f }

    @Option() var digit: Digit?
    @Option() var letter: Letter?
    @Argument() var number: Int?
  }

  @Test(
    arguments: [
      (["--digit", "3"], "the value '3' is invalid for '--digit <digit>'. Please provide one of 'one' and 'two'."),
      (
        ["--letter", "g"],
        """
        the value 'g' is invalid for '--letter <letter>'. Please provide one of the following:
          - a
          - b
          - c
          - d
          - e
          - f
        """
      ),
      (["x"], "the value 'x' is invalid for '<number>'."),
    ] as [([String], String)])
  func `An error message says what would be valid`(words: [String], message: String) throws {
    let error = try #require(throws: (any Error).self) { try Odd.parse(words) }
    #expect(Odd.message(for: error) == message)
  }
}

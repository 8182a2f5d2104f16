import Testing

@testable import CommandLineArguments

@Suite struct ErrorWordingTests {
  @Test(
    arguments: [
      (["albums", "l", "--limt", "3"], "Unknown option '--limt'. Did you mean '--limit'?"),
      (["albums", "l", "--zzzzz"], "Unknown option '--zzzzz'"),
      (["albums", "l", "--lod"], "Unknown option '--lod'. Did you mean '--loud'?"),
      (["albums", "l", "-z"], "Unknown option '-z'"),
      (["albums", "l", "-qz"], "Unknown option '-z'"),
      (["albums", "l", "-limit", "3"], "Unknown option '-limit'. Did you mean '--limit'?"),
      (["albums", "l", "--="], "Unknown option '--'"),
      (["artsts"], "Unknown command 'artsts'. Did you mean 'artists'?"),
      (["library"], "Unknown command 'library'"),
      (["--", "library", "--help"], "Unknown command 'library'"),
      (["admin", "chek"], "Unknown command 'chek'. Did you mean 'check'?"),
      (["help", "artsts"], "Unknown command 'artsts'. Did you mean 'artists'?"),
      (["albums"], "Missing expected argument '<library>'"),
      (["artists"], "Missing expected argument '<libraries> ...'"),
      (["albums", "l", "--limit"], "Missing value for '--limit <count>'"),
      (["albums", "l", "-l"], "Missing value for '-l <count>'"),
      (["albums", "l", "--limit", "--quiet"], "Missing value for '--limit <count>'"),
      (["albums", "l", "--limit", "--", "3"], "Missing value for '--limit <count>'"),
      (["artists", "l", "--column"], "Missing value for '--column <column>'"),
      (["albums", "l", "--limit", "x"], "The value 'x' is invalid for '--limit <count>'"),
      (["albums", "l", "-l", "x"], "The value 'x' is invalid for '-l <count>'"),
      (["albums", "l", "--limit="], "The value '' is invalid for '--limit <count>'"),
      (
        ["albums", "l", "--limit", "99999999999999999999"],
        "The value '99999999999999999999' is invalid for '--limit <count>'"
      ),
      (
        ["albums", "l", "--format", "xml"],
        "The value 'xml' is invalid for '--format <format>'. Please provide one of 'table', 'json' or 'csv'."
      ),
      (["albums", "a", "b"], "Unexpected argument 'b'"),
      (["albums", "a", "b", "c"], "2 unexpected arguments: 'b', 'c'"),
      (["albums", "l", "--quiet=yes"], "The option '--quiet' does not take any value, but 'yes' was specified."),
      (["albums", "l", "-q=yes"], "The option '-q' does not take any value, but 'yes' was specified."),
      (["albums", "l", "-qf", "csv"], "Nobody reads csv quietly."),
      (["--generate-completion-script"], "Missing value for '--generate-completion-script <shell>'"),
      (
        ["--generate-completion-script", "ksh"],
        """
        Can't generate completion scripts for 'ksh'.
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

  struct Odd: ParsableArguments {
    enum Digit: String, CaseIterable, ExpressibleByArgument { case one, two }
    enum Letter: String, CaseIterable, ExpressibleByArgument { case a, b, c, d, e, f }

    @Option() var digit: Digit?
    @Option() var letter: Letter?
    @Argument() var number: Int?
  }

  @Test(
    arguments: [
      (["--digit", "3"], "The value '3' is invalid for '--digit <digit>'. Please provide one of 'one' and 'two'."),
      (
        ["--letter", "g"],
        """
        The value 'g' is invalid for '--letter <letter>'. Please provide one of the following:
          - a
          - b
          - c
          - d
          - e
          - f
        """
      ),
      (["x"], "The value 'x' is invalid for '<number>'"),
    ] as [([String], String)])
  func `An error message says what would be valid`(words: [String], message: String) throws {
    let error = try #require(throws: (any Error).self) { try Odd.parse(words) }
    #expect(Odd.message(for: error) == message)
  }
}

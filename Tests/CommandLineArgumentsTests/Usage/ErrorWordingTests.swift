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

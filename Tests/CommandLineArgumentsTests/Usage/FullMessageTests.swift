import CommandLineArguments
import Testing

@Suite struct FullMessageTests {
  private func text(_ words: [String]) throws -> String {
    let error = try #require(throws: (any Error).self) { try Sample.Tool.parseAsRoot(words) }
    return Sample.Tool.fullMessage(for: error, columns: 80)
  }

  @Test func `for a wrong value is the help of the option and the usage of the command`() throws {
    #expect(
      try text(["artists", "l", "--column"]) == """
        Error: Missing value for '--column <column>'
        Help:  --column <column>  What to show.
        Usage: tool artists <libraries> ... [--column <column> ...]
          See 'tool artists --help' for more information.
        """)
  }

  @Test func `for an unknown command is the usage of the command above it`() throws {
    #expect(
      try text(["artsts"]) == """
        Error: Unknown command 'artsts'. Did you mean 'artists'?
        Usage: tool [--loud] <subcommand>
          See 'tool --help' for more information.
        """)
  }

  struct Copy: ParsableCommand {
    @Argument(help: "What to copy.") var source: String
  }

  @Test func `for an empty command line is the whole help`() throws {
    let error = try #require(throws: (any Error).self) { try Copy.parseAsRoot([]) }
    #expect(
      Copy.fullMessage(for: error, columns: 80) == """
        Error: Missing expected argument '<source>'

        USAGE: copy <source>

        ARGUMENTS:
          <source>                What to copy.

        OPTIONS:
          -h, --help              Show help information.

        """)
  }

  struct Custom: ParsableCommand {
    static let configuration = CommandConfiguration(
      usage: "custom FROM TO\ncustom --list", helpNames: .customLong("hilfe"))
  }

  struct Silent: ParsableCommand {
    static let configuration = CommandConfiguration(usage: "", helpNames: [])
  }

  @Test func `has the usage that the command wants`() {
    #expect(
      Custom.fullMessage(for: ValidationError("No.")) == """
        Error: No.
        Usage: custom FROM TO
               custom --list
          See 'custom --hilfe' for more information.
        """)
    #expect(Silent.fullMessage(for: ValidationError("No.")) == "Error: No.\n")
  }

  struct Failure: Error, CustomStringConvertible { let description = "The disk is full." }

  @Test func `for errors of the command itself is their description`() {
    #expect(Sample.Tool.fullMessage(for: Failure()) == "Error: The disk is full.")
    #expect(Sample.Tool.exitCode(for: Failure()) == .failure)
    #expect(Sample.Tool.fullMessage(for: ExitCode(7)) == "")
    #expect(Sample.Tool.exitCode(for: ExitCode(7)) == ExitCode(7))
    #expect(Sample.Tool.fullMessage(for: CleanExit.message("Nothing to do.")) == "Nothing to do.")
    #expect(Sample.Tool.exitCode(for: CleanExit.message("Nothing to do.")) == .success)
  }

  @Test(arguments: [["--version"], ["albums", "--version"], ["albums", "l", "--version"]])
  func `is the version of the root, anywhere`(words: [String]) throws {
    #expect(try text(words) == "1.2.3")
  }

  @Test func `is the version of a command without properties, and not of one with a flag of that name`() throws {
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
}

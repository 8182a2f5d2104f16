import Testing

@testable import CommandLineArguments

@Suite struct ManualPageTests {
  struct Small: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "small", abstract: "Shows 'all' of it.",
      discussion: """
        First paragraph.

        .hidden files come second, and C:\\ third.

        EXAMPLES:
          small -n 1

          small x
        """,
      version: "2.0", subcommands: [Part.self])
  }

  struct Part: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A part.", discussion: "EXIT STATUS\n  0  always")
    @Argument(help: "The word.") var word: String?
    @Option(name: .shortAndLong, help: "How many.") var number = 3
    @Flag var index = false
  }

  @Test func `The manual page contains everything in the help`() {
    #expect(
      Small.manualPage == #"""
        .TH "SMALL" "1" "" "small 2.0"
        .SH NAME
        small \- Shows \(aqall\(aq of it
        .SH SYNOPSIS
        \fBsmall\fR <subcommand>
        .SH DESCRIPTION
        First paragraph.
        .PP
        \&.hidden files come second, and C:\e third.
        .SH "EXAMPLES"
        .nf
          small \-n 1
        \&
          small x
        .fi
        .SH "OPTIONS"
        .TP
        \fB\-\-version\fR
        Show the version.
        .TP
        \fB\-h\fR, \fB\-\-help\fR
        Show help information.
        .SH COMMANDS
        .SS "part"
        A part.
        .PP
        \fBsmall part\fR [<word>] [\-\-number <number>] [\-\-index]
        .PP
        \fIExit status\fR
        .PP
        .nf
          0  always
        .fi
        .PP
        \fIArguments\fR
        .TP
        \fI<word>\fR
        The word.
        .PP
        \fIOptions\fR
        .TP
        \fB\-n\fR, \fB\-\-number\fR \fI<number>\fR
        How many. (default: 3)
        .TP
        \fB\-\-index\fR
        \&

        """#)
  }

  @Test(arguments: ["", "Text\n\nA heading is no sentence.", "\n  CAPITALS in an example"])
  func `Only a heading starts another section of the manual page`(discussion: String) {
    #expect(ManualSection.split(discussion).map(\.title) == [""])
  }

  @Test func `Sections follow the order of the discussion`() {
    #expect(
      ManualSection.split("a\n\nb\n\nSEE ALSO:\n\nc\n\nBUGS\n").map { [$0.title, $0.text] } == [
        ["", "a\n\nb"], ["SEE ALSO", "c"], ["BUGS", ""],
      ])
  }

  @Test func `The manual page has no date, so it is reproducible`() throws {
    let page = Sample.Tool.manualPage
    #expect(page.hasPrefix(#".TH "TOOL" "1" "" "tool 1.2.3""#))
    let error = try #require(throws: (any Error).self) { try Sample.Tool.parseAsRoot(["--generate-man-page"]) }
    #expect(Sample.Tool.fullMessage(for: error) == page)
  }

  @Test func `The manual page names every visible command`() {
    let page = Sample.Tool.manualPage
    #expect(
      page.split(separator: "\n").filter { $0.hasPrefix(".SS") } == [
        #".SS "albums""#, #".SS "artists""#, #".SS "admin""#, #".SS "admin check""#, #".SS "stop""#,
      ])
  }

  @Test(.enabled(if: Shell("groff") != nil), arguments: ["small", "tool", "player"])
  func `The manual page is valid roff`(name: String) throws {
    let pages = [
      "small": Small.manualPage, "tool": Sample.Tool.manualPage, "player": Sample.Player.manualPage,
    ]
    let result = try #require(Shell("groff")).run(["-man", "-ww", "-z"], input: try #require(pages[name]))
    #expect(result.lines == [])
    #expect(result.code == 0)
  }
}

import Testing

@testable import CommandLineArguments
@testable import tracks_migrate

@Suite("The help")
struct HelpTests {
  static let commands = CommandInfo(root: TracksMigrate.self).shownSubcommands.map(\.name)

  @Test(arguments: commands)
  func `A command's help is the same in all spellings`(command: String) throws {
    let help = try successfully(command, "--help")
    #expect(help.stderr == "")
    #expect(help.stdout.hasPrefix("OVERVIEW: "))
    #expect(help.stdout.contains("USAGE: tracks-migrate \(command) "))
    #expect(try successfully("help", command).stdout == help.stdout)
    #expect(try successfully(command, "-h").stdout == help.stdout)
  }

  @Test(arguments: commands)
  func `A command's help has an example command line`(command: String) throws {
    let lines = try successfully(command, "--help").lines
    let start = try #require(lines.firstIndex { $0.trimmingPrefix(while: { $0 == " " }) == "EXAMPLES" })
    #expect(lines[start + 1].trimmingPrefix(while: { $0 == " " }).hasPrefix("tracks-migrate "))
  }

  @Test func `The main help names every command and exit status`() throws {
    let help = try successfully("--help")
    #expect(try successfully("help").stdout == help.stdout)
    #expect(try successfully("-h").stdout == help.stdout)
    for command in Self.commands { #expect(help.stdout.contains("\n  \(command) ")) }
    for status in [0, 1, 3, 64, 65, 66, 69, 73, 74, 75, 76] { #expect(help.stdout.contains("\n  \(status) ")) }
  }

  @Test(arguments: [60, 80, 132] as [UInt16])
  func `The help fits on the terminal`(width: UInt16) throws {
    for command in Self.commands {
      var runner = CommandRunner(["help", command])
      runner.terminalStreams = [.output]
      runner.terminalWidth = width
      let lines = try runner.run().terminal.split(separator: "\r\n")
      // Examples and usage are command lines, which are not broken.
      let texts = lines.filter { !$0.contains("tracks-migrate") && !$0.contains("[--") }
      for line in texts { #expect(line.count <= Int(width), "\(line)") }
    }
  }

  @Test func `The version is printed`() throws {
    let version = try successfully("--version")
    #expect(version.stdout.wholeMatch(of: /\d+\.\d+\.\d+(-[0-9a-z.]+)?\n/) != nil)
    #expect(version.stderr == "")
  }

  @Test(arguments: [["--help"], ["help", "artists"], ["--version"], ["--generate-completion-script", "bash"]])
  func `The help has no colours and no control characters`(arguments: [String]) throws {
    var runner = CommandRunner(arguments, environment: ["NO_COLOR": "1"])
    runner.terminalStreams = [.output, .error]
    #expect(try !runner.run().terminal.contains("\u{1B}[3"))
  }
}

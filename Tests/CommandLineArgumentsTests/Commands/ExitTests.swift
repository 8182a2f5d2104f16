import Testing

@testable import CommandLineArguments

@Suite struct ExitTests {
  @Test func `Help goes to standard output and the process succeeds`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]) {
        Sample.Tool.main(["admin", "--help"])
      })
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(output.contains("OVERVIEW: Keeps order.\n"))
    #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("OVERVIEW"))
  }

  @Test func `A usage error goes to standard error and the process exits with 64`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .exitCode(64), observing: [\.standardOutputContent, \.standardErrorContent]) {
        Sample.Tool.main(["albums", "l", "--limt"])
      })
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self).contains("error: there is no option '--limt'."))
    #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("there is no option"))
  }

  @Test func `A validation error at run time shows the usage of the subcommand`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .exitCode(64), observing: [\.standardErrorContent]) {
        Sample.Tool.main(["artists", "l"])
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("error: There are not artists.\nUsage: tool artists <libraries> ..."))
  }

  @Test func `An exit code that a command throws ends the process silently`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
        Sample.Tool.main(["stop"])
      })
    #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("Error"))
  }

  @Test func `A valid command line runs the command and returns`() {
    Sample.Tool.main(["albums", "l"])
  }
}

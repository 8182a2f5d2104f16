import CommandLineArguments
import Testing

@Suite struct ExitTests {
  @Test func `prints help on standard output and succeeds`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]) {
        Sample.Tool.main(["admin", "--help"])
      })
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(output.contains("OVERVIEW: Keeps order.\n"))
    #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("OVERVIEW"))
  }

  @Test func `prints what is wrong on standard error and ends with 64`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .exitCode(64), observing: [\.standardOutputContent, \.standardErrorContent]) {
        Sample.Tool.main(["albums", "l", "--limt"])
      })
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("Error: Unknown option '--limt'."))
    #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("Unknown option"))
  }

  @Test func `shows the usage of the subcommand that found something wrong when it ran`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .exitCode(64), observing: [\.standardErrorContent]) {
        Sample.Tool.main(["artists", "l"])
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("Error: There are no artists.\nUsage: tool artists <libraries> ..."))
  }

  @Test func `ends with the code of the command and says nothing`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
        Sample.Tool.main(["secret"])
      })
    #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("Error"))
  }

  @Test func `goes on if nothing is wrong`() {
    Sample.Tool.main(["albums", "l"])
  }
}

import CommandLineArguments
import Testing

@Suite struct CleanExitTests {
  @Test func `A help request prints the help of the command that it names`() throws {
    let albums = Sample.Tool.helpMessage(for: Sample.Albums.self, columns: 80)
    let named = CleanExit.helpRequest(Sample.Albums.self)
    #expect(Sample.Tool.fullMessage(for: named, columns: 80) == albums)
    let command = try Sample.Albums.parse(["l"])
    #expect(Sample.Tool.fullMessage(for: CleanExit.helpRequest(command), columns: 80) == albums)
    #expect(Sample.Tool.exitCode(for: named) == .success)
  }

  @Test func `A help request without a name prints the help of the root`() {
    #expect(Sample.Tool.fullMessage(for: CleanExit.helpRequest(), columns: 80) == Sample.Tool.helpMessage(columns: 80))
  }

  @Test func `A command of another tool has its own help`() {
    #expect(
      Sample.Tool.helpMessage(for: Sample.Stop.self, columns: 80) == Sample.Stop.helpMessage(columns: 80))
  }

  @Test func `An exit code says whether the command succeeded`() {
    #expect(ExitCode.success.isSuccess)
    #expect(!ExitCode.failure.isSuccess)
    #expect(ExitCode.validationFailure.rawValue == 64)
    #expect(ExitCode(rawValue: 3) == ExitCode(3))
  }
}

import Testing

@testable import CommandLineArguments

@Suite struct CompletionScriptTests {
  @Test(arguments: CompletionShell.allCases)
  func `A completion script is printed on request, alone or among other words`(shell: CompletionShell) throws {
    let words = ["--loud", "--generate-completion-script", shell.rawValue, "nonsense"]
    let error = try #require(throws: (any Error).self) { try Sample.Tool.parseAsRoot(words) }
    #expect(Sample.Tool.fullMessage(for: error) == Sample.Tool.completionScript(for: shell))
    #expect(Sample.Tool.exitCode(for: error) == .success)
  }

  @Test(arguments: CompletionShell.allCases)
  func `A completion script leaves out hidden options`(shell: CompletionShell) {
    #expect(!Sample.Tool.completionScript(for: shell).contains("help-hidden"))
  }
}

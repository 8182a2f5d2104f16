import Testing

@testable import CommandLineArguments

@Suite(.enabled(if: Shell("fish") != nil)) struct FishCompletionTests {
  private func offers(_ line: String) throws -> [String] {
    let directory = try TemporaryDirectory(
      files: [
        "library.sqlite": "", "tool.fish": Sample.Tool.completionScript(for: .fish),
        "player.fish": Sample.Player.completionScript(for: .fish),
      ], directories: ["shelf"])
    let driver = "cd $argv[1]; source tool.fish; source player.fish; complete -C $argv[2]"
    let shell = try #require(Shell("fish"))
    let lines = try shell.run(["--no-config", "-c", driver, "--", directory.url.path, line]).lines
    // The description follows a tab.
    return lines.map { String($0.prefix { $0 != "\t" }) }.sorted()
  }

  @Test(arguments: ["tool", "player"])
  func `The fish completion script has no syntax errors`(name: String) throws {
    let script = name == "tool" ? Sample.Tool.completionScript(for: .fish) : Sample.Player.completionScript(for: .fish)
    let directory = try TemporaryDirectory(files: ["script": script])
    let result = try #require(Shell("fish")).run(["-n", directory.path("script")])
    #expect(result.lines == [])
    #expect(result.code == 0)
  }

  @Test(
    arguments: [
      ("tool ", ["admin", "albums", "artists", "help", "stop"]),
      ("tool --loud ar", ["artists"]),
      ("tool admin ", ["check"]),
      ("tool help al", ["albums"]),
      ("tool albums --no", ["--no-index"]),
      ("tool albums --format ", ["csv", "json", "table"]),
      ("tool albums -f j", ["json"]),
      ("tool artists --column s", ["sort name"]),
      ("tool artists --column name lib", ["library.sqlite"]),
      ("tool artists --t", []),
      ("tool albums lib", ["library.sqlite"]),
      ("tool admin check --into s", ["shelf/"]),
      ("player st", ["stop"]),
      ("player song --t", ["--times"]),
      ("player --times ", ["1", "2"]),
      ("player lib", ["library.sqlite"]),
    ] as [(String, [String])])
  func `The fish completion offers matching words`(line: String, expected: [String]) throws {
    #expect(try offers(line) == expected)
  }
}

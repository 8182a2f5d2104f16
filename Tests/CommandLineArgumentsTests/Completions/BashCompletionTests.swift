import Testing

@testable import CommandLineArguments

@Suite(.enabled(if: Shell("bash") != nil)) struct BashCompletionTests {
  private static let files = [
    "library.sqlite": "", "library.txt": "", "my songs.sqlite": "",
    "tool.bash": Sample.Tool.completionScript(for: .bash),
    "player.bash": Sample.Player.completionScript(for: .bash),
  ]

  /// Returns the words that the script offers for the last word of a command line.
  private func offers(_ words: [String]) throws -> [String] {
    let directory = try TemporaryDirectory(files: Self.files, directories: ["shelf"])
    let driver = """
      cd "$1" || exit; shift
      source "$1.bash"
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      "_$1"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let shell = try #require(Shell("bash"))
    return try shell.run(["--norc", "-c", driver, "bash", directory.url.path] + words).lines.sorted()
  }

  @Test(arguments: ["tool", "player"])
  func `The bash completion script has no syntax errors`(name: String) throws {
    let script = name == "tool" ? Sample.Tool.completionScript(for: .bash) : Sample.Player.completionScript(for: .bash)
    let result = try #require(Shell("bash")).run(["-n"], input: script)
    #expect(result.lines == [])
    #expect(result.code == 0)
  }

  @Test(
    arguments: [
      (["tool", ""], ["admin", "albums", "artists", "help", "stop"]),
      (["tool", "a"], ["admin", "albums", "artists"]),
      (["tool", "--loud", "ar"], ["artists"]),
      (["tool", "admin", ""], ["check"]),
      (["tool", "help", "al"], ["albums"]),
      (["tool", "albums", "library.sqlite", ""], []),
      (["player", "st"], ["stop"]),
    ] as [([String], [String])])
  func `The bash completion offers subcommands`(words: [String], expected: [String]) throws {
    #expect(try offers(words) == expected)
  }

  @Test(
    arguments: [
      (["tool", "-"], ["--help", "--loud", "--version", "-h"]),
      (["tool", "albums", "--m"], ["--min-tracks"]),
      (["tool", "albums", "l", "--limit", "3", "--f"], ["--format"]),
      (["tool", "albums", "--no"], ["--no-index"]),
      (["tool", "artists", "--t"], []),
      (["tool", "admin", "check", "--f"], ["--full"]),
      (["tool", "albums", "--", "--f"], []),
      (["player", "--"], ["--help", "--loud", "--times"]),
      (["player", "song", "--t"], ["--times"]),
    ] as [([String], [String])])
  func `The bash completion offers the options of the command`(words: [String], expected: [String]) throws {
    #expect(try offers(words) == expected)
  }

  @Test(
    arguments: [
      (["tool", "albums", "--format", ""], ["csv", "json", "table"]),
      (["tool", "albums", "-f", "j"], ["json"]),
      (["tool", "albums", "--format", "="], ["csv", "json", "table"]),
      (["tool", "albums", "--format", "=", "c"], ["csv"]),
      (["tool", "albums", "--limit", ""], []),
      (["tool", "artists", "--column", ""], ["name", "sort\\ name"]),
      (["tool", "artists", "--column", "s"], ["sort\\ name"]),
      (["player", "--times", ""], ["1", "2"]),
      (["player", "song", "-t", ""], ["1", "2"]),
      (["tool", "--generate-completion-script", "albums", "ad"], ["admin"]),
    ] as [([String], [String])])
  func `The bash completion offers the values of an option`(words: [String], expected: [String]) throws {
    #expect(try offers(words) == expected)
  }

  @Test(
    arguments: [
      (["tool", "albums", ""], ["library.sqlite", "my songs.sqlite", "shelf"]),
      (["tool", "albums", "my"], ["my songs.sqlite"]),
      (["tool", "admin", "check", "--into", ""], ["shelf"]),
      (["tool", "artists", "library.sqlite", "my"], ["my songs.sqlite"]),
      (["player", "lib"], ["library.sqlite", "library.txt"]),
    ] as [([String], [String])])
  func `The bash completion offers files`(words: [String], expected: [String]) throws {
    #expect(try offers(words) == expected)
  }
}

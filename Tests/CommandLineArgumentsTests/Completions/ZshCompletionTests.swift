import Testing

@testable import CommandLineArguments

@Suite(.enabled(if: Shell("zsh") != nil)) struct ZshCompletionTests {
  @Test(arguments: ["tool", "player"])
  func `The zsh completion script has no syntax errors`(name: String) throws {
    let script = name == "tool" ? Sample.Tool.completionScript(for: .zsh) : Sample.Player.completionScript(for: .zsh)
    let result = try #require(Shell("zsh")).run(["-f", "-n"], input: script)
    #expect(result.lines == [])
    #expect(result.code == 0)
  }

  /// zsh completes only in a terminal, so the script runs in the pseudoterminal module that zsh's own tests use.
  private static let driver = """
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1=; stty -echo; autoload -U compinit; compinit -u -D; LISTMAX=1000; source $1/script"
    zpty -w shell "cd $1; unsetopt auto_menu; bindkey '^T' list-choices; print REA''DY"
    zpty -r -m shell line '*READY*'
    zpty -w -n shell "$2"$'\\x14'
    for (( tries = 0; tries < 50; tries++ )); do
      sleep 0.1
      while zpty -r -t shell more; do seen+=$more; done
      [[ $seen == *$3* ]] && break
    done
    print -r -- "$seen"
    zpty -d shell
    """

  @Test(arguments: [
    ("tool ", "artists"),
    ("tool admin ", "check"),
    ("tool albums --no", "--no-index"),
    ("tool albums --format ", "json"),
    ("tool albums -fj", "json"),
    ("tool artists --column ", "sort"),
    ("tool albums ", "library.sqlite"),
    ("player ", "stop"),
    ("player song --", "--times"),
    ("player ", "library.sqlite"),
  ])
  func `The zsh completion offers matching words`(line: String, expected: String) throws {
    let script =
      line.hasPrefix("tool") ? Sample.Tool.completionScript(for: .zsh) : Sample.Player.completionScript(for: .zsh)
    let directory = try TemporaryDirectory(files: ["script": script, "library.sqlite": "", "library.txt": ""])
    let lines = try #require(Shell("zsh")).run(["-f", "-c", Self.driver, "zsh", directory.url.path, line, expected])
      .lines
    #expect(!line.contains(expected))
    #expect(lines.contains { $0.contains(expected) }, "\(lines)")
  }
}

import Foundation
import TestSupport
import Testing

/// What the command itself offers to a shell: the versions of the model that the line names, and presets.
@Suite("Completions that the command computes")
struct DynamicCompletionTests {
  private let notes = SampleStore.data("Notes/Notes.xcdatamodeld")

  @Test func `Versions are those of the model on the command line`() throws {
    for words in [["--model", notes], ["--model", "=", notes], ["--model=\(notes)"]] {
      let result = try CommandRunner(["---complete", "versions", "Notes ", "L.sqlite"] + words + ["--to"]).run()
      #expect(result.stdout == "Notes 2\nNotes 3\nNotes 4\n")
    }
    #expect(try tracksMigrate("---complete", "versions", "", "--model", "none.xcdatamodeld").stdout == "")
    #expect(try tracksMigrate("---complete", "versions", "", "--to").stdout == "")
  }

  @Test func `After a colon stand the versions of the model before it`() throws {
    #expect(try tracksMigrate("---complete", "models", "\(notes):Notes 3").stdout == "\(notes):Notes 3\n")
    #expect(try tracksMigrate("---complete", "models", notes).stdout == "")
  }

  @Test func `Presets are offered by name`() throws {
    #expect(try tracksMigrate("---complete", "presets", "deezer").stdout == "deezer\ndeezer-gw\n")
  }

  /// Runs a shell in a folder with a model whose name has a space, and the command's own script.
  private func offers(_ shell: String, _ driver: String, _ words: [String]) throws -> [String] {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: notes, toPath: folder.file("My Notes.xcdatamodeld"))
    try FileManager.default.copyItem(atPath: notes, toPath: folder.file("Notes.xcdatamodeld"))
    try tracksMigrate("--generate-completion-script", shell).stdout
      .write(toFile: folder.file("script"), atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: try #require(Program.find(shell)))
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.environment = [
      "PATH": "\((Tool.path as NSString).deletingLastPathComponent):/usr/bin:/bin", "HOME": folder.path,
    ]
    process.arguments =
      [shell == "fish" ? "--no-config" : shell == "zsh" ? "-f" : "--norc", "-c", driver]
      + (shell == "fish" ? ["--"] : [shell]) + words
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").map(String.init)
  }

  @Test(
    .enabled(if: Program.find("bash") != nil),
    arguments: [
      (["L.sqlite", "--model", "Notes.xcdatamodeld", "--to", "Notes\\ 3"], [#"Notes\ 3"#]),
      (
        ["L.sqlite", "--model", #"My\ Notes.xcdatamodeld"#, "--to", ""],
        ["Notes", #"Notes\ 2"#, #"Notes\ 3"#, #"Notes\ 4"#]
      ),
      (["models", "diff", "Notes.xcdatamodeld", ":", "Notes\\ 2"], [#"Notes\ 2"#]),
      (
        ["models", "diff", "Notes.xcdatamodeld", ":", "Notes", "Notes.xcdatamodeld", ":"],
        ["Notes", #"Notes\ 2"#, #"Notes\ 3"#, #"Notes\ 4"#]
      ),
      (["models", "show", "N"], ["Notes.xcdatamodeld"]),
      (["L.sqlite", "--model", "Notes.xcdatamodeld", ":", "Notes\\ 3"], [#"Notes\ 3"#]),
      (
        ["verify", "L.sqlite", "--model", "=", "Notes.xcdatamodeld", ":"],
        ["Notes", #"Notes\ 2"#, #"Notes\ 3"#, #"Notes\ 4"#]
      ),
      (["rehearse", "--model", "Notes.xcdatamodeld", ":", "Notes\\ 4"], [#"Notes\ 4"#]),
      (["L.sqlite", "--json", "spotify-h"], ["spotify-history"]),
    ] as [([String], [String])])
  func `bash offers versions and presets`(words: [String], expected: [String]) throws {
    let driver = """
      source ./script
      COMP_WORDS=(tracks-migrate "$@") COMP_CWORD=$#
      _tracks_migrate
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try offers("bash", driver, words).sorted() == expected)
  }

  @Test(
    .enabled(if: Program.find("fish") != nil),
    arguments: [
      ("tracks-migrate L.sqlite --model Notes.xcdatamodeld --to Notes\\ 3", ["Notes 3"]),
      ("tracks-migrate L.sqlite --model My\\ Notes.xcdatamodeld --to 'Notes 4", ["Notes 4"]),
      ("tracks-migrate models diff Notes.xcdatamodeld:Notes\\ 2", ["Notes.xcdatamodeld:Notes 2"]),
      ("tracks-migrate L.sqlite --json spotify-h", ["spotify-history"]),
    ])
  func `fish offers versions and presets`(line: String, expected: [String]) throws {
    let lines = try offers("fish", "source ./script; complete -C $argv[1]", [line])
    // The description follows a tab.
    #expect(lines.map { String($0.prefix { $0 != "\t" }) }.sorted() == expected)
  }

  @Test(
    .enabled(if: Program.find("zsh") != nil),
    arguments: [
      ("tracks-migrate L.sqlite --model Notes.xcdatamodeld --to ", #"Notes\ 4"#),
      ("tracks-migrate models diff Notes.xcdatamodeld:", #"Notes.xcdatamodeld:Notes\ 3"#),
      ("tracks-migrate L.sqlite --json spotify", "spotify-history"),
    ])
  func `zsh offers versions and presets`(line: String, expected: String) throws {
    let driver = """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1=; stty -echo; autoload -U compinit; compinit -u -D; LISTMAX=1000; source ./script"
      zpty -w shell "unsetopt auto_menu; bindkey '^T' list-choices; print REA''DY"
      zpty -r -m shell line '*READY*'
      zpty -w -n shell "$1"$'\\x14'
      for (( tries = 0; tries < 50; tries++ )); do
        sleep 0.1
        while zpty -r -t shell more; do seen+=$more; done
        [[ $seen == *"$2"* ]] && break
      done
      print -r -- "$seen"
      zpty -d shell
      """
    let lines = try offers("zsh", driver, [line, expected])
    #expect(lines.contains { $0.contains(expected) }, "\(lines)")
  }
}

import Foundation
import TestSupport
import Testing

@Suite("Completion scripts and the man page")
struct GeneratedFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `The completion scripts are accepted by their shells`(shell: String) throws {
    let script = try successfully("--generate-completion-script", shell)
    #expect(script.stderr == "")
    for word in HelpTests.commands + ["strict", "min-tracks", "prometheus"] { #expect(script.stdout.contains(word)) }
    try folder.write(script.output, to: "script")
    let check = CommandRunner.shell("command -v \(shell) >/dev/null || exit 0; \(shell) -n script", in: folder.path)
    let result = try check.run()
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr == "")
  }

  @Test func `The completion script completes a command`() throws {
    try folder.write(try successfully("--generate-completion-script", "bash").output, to: "script")
    let script = #"""
      command -v bash >/dev/null || { echo artists; exit; }
      bash -c 'source ./script; COMP_WORDS=(tracks-migrate arti); COMP_CWORD=1; COMP_LINE="tracks-migrate arti"
        COMP_POINT=${#COMP_LINE}; $(complete -p tracks-migrate | sed "s/.*-F \([^ ]*\) .*/\1/") tracks-migrate arti
        printf "%s\n" "${COMPREPLY[@]}"'
      """#
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect(result.lines.contains { $0.hasPrefix("artists") }, "\(result)")
  }

  @Test func `The man page is well-formed and names every command`() throws {
    let page = try successfully("--generate-man-page")
    #expect(page.stdout.hasPrefix(#".TH "TRACKS\-MIGRATE" "1" "#))
    for command in HelpTests.commands { #expect(page.stdout.contains(".SS \"\(command)\"\n")) }
    try folder.write(page.output, to: "page.1")
    let script = "command -v groff >/dev/null || exit 0; groff -man -Tutf8 -ww page.1"
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect(result.status == 0)
    #expect(result.stderr == "")
    if !result.stdout.isEmpty { #expect(result.stdout.contains(#"Library.sqlite "Björk""#)) }
  }

  @Test(arguments: [["--generate-man-page"], ["--generate-completion-script", "zsh"], ["--help"]])
  func `The generated text is always the same`(arguments: [String]) throws {
    #expect(try CommandRunner(arguments).run().output == CommandRunner(arguments).run().output)
  }
}

import Foundation
import TestSupport
import Testing

@Suite("The README")
struct ReadmeTests {
  @Test func `The README shows byte for byte what the command prints`() throws {
    let folder = try TemporaryFolder()
    // A copy, so the sessions cannot change the checkout.
    try FileManager.default.copyItem(atPath: Readme.root + "/SampleData", toPath: folder.file("SampleData"))
    let path = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path + ":/usr/bin:/bin:/usr/local/bin"
    let sessions = try Readme.sessions
    #expect(sessions.count > 1 && sessions.allSatisfy { !$0.isEmpty })
    for step in sessions.flatMap(\.self) {
      guard Readme.harmless.contains(String(step.command.prefix { $0 != " " })) else {
        Issue.record("'\(step.command)' cannot be run in a test: show it in another kind of block")
        continue
      }
      var runner = CommandRunner.shell("exec 2>&1\n\(step.command)", in: folder.path)
      runner.environment["PATH"] = path
      runner.environment["COLUMNS"] = "120"
      let result = try runner.run()
      // A query may exit with a status of its own. The last line ends, too.
      let actual = result.stdout.components(separatedBy: "\n")
      #expect(
        (result.status ?? 128) < 64
          && Readme.matches(
            step.output.map(Readme.normalized), (actual.last == "" ? actual.dropLast() : actual).map(Readme.normalized)),
        "$ \(step.command)\nREADME:\n\(step.output.joined(separator: "\n"))\nreally:\n\(result.stdout)")
    }
  }

  @Test(arguments: [
    ("Migrated 'L.sqlite' from v1 to v2 in 0.03 s.", "Migrated 'L.sqlite' from v1 to v2 in 12 ms."),
    ("  160,000 tracks/s, peak memory 14.2 MB", "  9 tracks/s, peak memory 123 MiB"),
    ("migration  elapsed_seconds   0.5", "migration  elapsed_seconds  12.25"),
    (#""peak_memory_bytes":123456,"#, #""peak_memory_bytes":7,"#),
  ])
  func `Output may differ in values that vary from run to run`(one: String, other: String) {
    #expect(Readme.normalized(one) == Readme.normalized(other))
  }

  @Test(arguments: [
    ("5 artists", "6 artists"), ("artists_count 3", "artists_count 4"), ("https://a/b", "https://a/c"),
    ("  artists   67", "  artists  67"), ("a ", "a"), ("peak memory 1 MiB", "peek memory 1 MiB"),
    ("Backup: a/L.sqlite", "Backup: b/L.sqlite"),
  ])
  func `Output may not differ in anything else`(one: String, other: String) {
    #expect(Readme.normalized(one) != Readme.normalized(other))
  }

  @Test(arguments: [
    (["a", "…", "d"], true), (["a", "…"], true), (["…", "c", "d"], true), (["a", "b", "c", "d"], true),
    (["a", "d"], false), (["…", "x"], false), (["a", "b", "c"], false),
  ])
  func `Sessions may leave lines out`(expected: [String], matches: Bool) {
    #expect(Readme.matches(expected, ["a", "b", "c", "d"]) == matches)
  }
}

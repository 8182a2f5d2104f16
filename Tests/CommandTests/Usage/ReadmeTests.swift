import Foundation
import TestSupport
import Testing

@Suite("The README")
struct ReadmeTests {
  @Test func `shows what the command really prints`() throws {
    let folder = try TemporaryFolder()
    try? FileManager.default.createSymbolicLink(
      atPath: folder.file("SampleData"), withDestinationPath: Readme.root + "/SampleData")
    let path = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path + ":/usr/bin:/bin:/usr/local/bin"
    for step in Readme.sessions.flatMap(\.self) {
      var runner = CommandRunner.shell("exec 2>&1\n\(step.command)", in: folder.path)
      runner.environment["PATH"] = path
      runner.environment["COLUMNS"] = "120"
      let result = try runner.run()
      let expected = Self.lines(step.output)
      let actual = Self.lines(result.stdout.components(separatedBy: "\n"))
      #expect(
        Readme.matches(expected, actual),
        "$ \(step.command)\nREADME:\n\(step.output.joined(separator: "\n"))\nreally:\n\(result.stdout)")
    }
  }

  private static func lines(_ lines: [String]) -> [String] {
    var lines = lines.map(Readme.normalized)
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  @Test(arguments: [
    ("Migrated 'L.sqlite' from v1 to v2 in 0.03 s.", "Migrated 'L.sqlite' from v1 to v2 in 12 ms."),
    ("  160,000 tracks/s, peak memory 14.2 MB", "  9 tracks/s, peak memory 123 MiB"),
    ("Backup: /home/you/Music/L.sqlite.v1-backup", "Backup: /tmp/xyz/L.sqlite.v1-backup"),
    ("migration  elapsed_seconds   0.5", "migration  elapsed_seconds  12.25"),
    (#""peak_memory_bytes":123456,"#, #""peak_memory_bytes":7,"#),
  ])
  func `may differ in what differs from run to run`(one: String, other: String) {
    #expect(Readme.normalized(one) == Readme.normalized(other))
  }

  @Test(arguments: [("5 artists", "6 artists"), ("artists_count 3", "artists_count 4"), ("https://a/b", "https://a/c")])
  func `may not differ in anything else`(one: String, other: String) {
    #expect(Readme.normalized(one) != Readme.normalized(other))
  }

  @Test(arguments: [
    (["a", "…", "d"], true), (["a", "…"], true), (["…", "c", "d"], true), (["a", "b", "c", "d"], true),
    (["a", "d"], false), (["…", "x"], false), (["a", "b", "c"], false),
  ])
  func `may leave lines out`(expected: [String], matches: Bool) {
    #expect(Readme.matches(expected, ["a", "b", "c", "d"]) == matches)
  }
}

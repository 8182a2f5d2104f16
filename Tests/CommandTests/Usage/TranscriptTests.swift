import Foundation
import TestSupport
import Testing

/// Sessions in `Tests/Transcripts` that are run again, to compare all that the command prints, whole.
///
/// A line that begins with `$ ` is a command, which lines that begin with `> ` go on; what follows is its output. To
/// take over a change that is wanted, set `RECORD_TRANSCRIPTS` and look at the difference.
///
/// `mistakes` is a table to read from top to bottom: lines that begin with `## ` are headings, and the usage that follows
/// a message is left out.
@Suite("Transcripts")
struct TranscriptTests {
  private static let folder = Readme.root + "/Tests/Transcripts/"

  @Test(arguments: ["apps", "help", "libraries", "mistakes", "models"])
  func `are what the command prints, byte for byte`(name: String) throws {
    let folder = try TemporaryFolder()
    // A copy: what the sessions do must not reach the checkout.
    for sample in ["Books", "Notes", "Tracks"] {
      try FileManager.default.copyItem(atPath: "\(Readme.root)/SampleData/\(sample)", toPath: folder.file(sample))
    }
    let file = "\(Self.folder)\(name).txt"
    let expected = try Files.text(file)
    let isTable = name == "mistakes"
    let commands = Self.commands(in: expected, withHeadings: isTable)
    #expect(!commands.isEmpty)
    let results = try commands.map { heading, lines in
      let output = try Self.output(lines, in: folder)
      return heading + "$ \(lines.joined(separator: "\n> "))\n" + (isTable ? Self.withoutUsage(output) : output)
    }
    if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] != nil {
      try Data(results.joined().utf8).write(to: URL(fileURLWithPath: file))
      Issue.record("recorded; look at what changed in \(file)")
    }
    var rest = Substring(expected)
    for result in results {
      guard rest.utf8.starts(with: result.utf8) else {
        let wanted = rest.dropFirst().prefix(result.count + 400)
        Issue.record("\(name).txt:\n\(rest.prefix(1))\(wanted)\nreally:\n\(result)")
        return
      }
      rest = Substring(rest.utf8.dropFirst(result.utf8.count))
    }
    #expect(rest.isEmpty)
  }

  @Test func `There are at least eighty mistakes, each with a message and an exit status`() throws {
    let text = try Files.text("\(Self.folder)mistakes.txt")
    let entries = text.split(separator: "\n$ ").dropFirst().filter { $0.contains("tracks-migrate: error: ") }
    #expect(entries.count >= 80)
    for entry in entries { #expect(entry.contains("(exit status "), "\(entry)") }
    // No code for programs stands in a sentence.
    for message in text.matches(of: /tracks-migrate: (?:error|warning): (.*)/) {
      let words = message.1.replacing(/'[^']*'/, with: "")
      #expect(words.firstMatch(of: /\b[a-z]+_[a-z]+\b/) == nil, "\(words)")
    }
  }

  /// The commands, each with the heading before it.
  private static func commands(
    in transcript: String, withHeadings hasHeadings: Bool
  ) -> [(heading: String, lines: [String])] {
    var commands: [(heading: String, lines: [String])] = []
    var heading = ""
    for line in transcript.split(separator: "\n") {
      let text = String(line.dropFirst(2))
      if hasHeadings, line.hasPrefix("## ") { heading = (commands.isEmpty ? "" : "\n") + "\(line)\n\n" }
      if line.hasPrefix("$ ") {
        commands.append((heading, [text]))
        heading = ""
      }
      if line.hasPrefix("> "), !commands.isEmpty { commands[commands.count - 1].lines.append(text) }
    }
    return commands
  }

  /// The output without the usage below an error, which a table of messages repeats a hundred times.
  private static func withoutUsage(_ output: String) -> String {
    var isUsage = false
    return output.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line.hasPrefix("Usage: ") { isUsage = true }
      defer { if line.hasPrefix("  See '") { isUsage = false } }
      return !isUsage && !line.hasPrefix("Help:  ")
    }.joined(separator: "\n")
  }

  /// What a command prints, and its exit status where that is not 0.
  private static func output(_ lines: [String], in folder: TemporaryFolder) throws -> String {
    var runner = CommandRunner.shell("exec 2>&1\n" + lines.joined(separator: "\n"), in: folder.path)
    let tools = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    runner.environment = ["PATH": tools + ":/usr/bin:/bin:/usr/local/bin", "COLUMNS": "120"]
    let result = try runner.run()
    let text = result.stdout.split(separator: "\n", omittingEmptySubsequences: false)
      .map { normalized(Readme.normalized(String($0))) }.joined(separator: "\n")
    let end = text.isEmpty || text.hasSuffix("\n") ? "" : "(no end of line)\n"
    return text + end + (result.status == 0 ? "" : "(exit status \(result.status ?? -1))\n")
  }

  /// A line without what differs from run to run, or from version to version.
  private static func normalized(_ line: String) -> String {
    line.replacing(/(library(?:_path)?"?)( ?[:=] ?)"\/[^"]*"/) { "\($0.1)\($0.2)\"LIBRARY\"" }
      .replacing(/((?:_seconds|_per_second|peak_memory_bytes|"seconds|"bytes)(?:{.*}|"?))( ?[:,] ?| +)[0-9][0-9.e+-]*/)
    {
      "\($0.1)\($0.2)FIGURE"
    }
      .replacing(/(\.TH .*|tool_version.*)\b[0-9]+\.[0-9]+\.[0-9]+\b(?:\\?-[a-z0-9.]+)?/) { "\($0.1)VERSION" }
  }
}

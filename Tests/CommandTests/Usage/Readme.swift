import Foundation
import TestSupport

/// The terminal sessions that the README shows.
enum Readme {
  /// A command line and its output.
  struct Step: Sendable {
    var command: String
    var output: [String] = []
  }

  static let path = root + "/README.md"

  /// The folder of the package, even if this file is reached through a symbolic link.
  static let root: String = {
    let file = realpath(#filePath, nil)
    defer { free(file) }
    let url = URL(fileURLWithPath: file.map { String(cString: $0) } ?? #filePath)
    return (0..<4).reduce(url) { url, _ in url.deletingLastPathComponent() }.path
  }()

  /// The commands that a test can run: none of them installs or builds anything.
  static let harmless = [
    "tracks-migrate", "sqlite3", "cp", "mv", "rm", "ls", "cat", "head", "tail", "wc", "cmp", "diff", "echo", "printf",
    "grep", "sort", "mkdir", "jq", "test",
  ]

  /// The sessions in order: all blocks of the language `console`.
  static var sessions: [[Step]] {
    get throws { blocks(of: try Files.text(path)).map(steps) }
  }

  private static func blocks(of text: String) -> [[String]] {
    var blocks: [[String]] = []
    var current: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if let block = current, trimmed == "```" {
        blocks.append(block)
        current = nil
      } else if current != nil {
        current?.append(line)
      } else if trimmed.hasPrefix("```console") {
        current = []
      }
    }
    return blocks
  }

  private static func steps(in block: [String]) -> [Step] {
    var steps: [Step] = []
    for line in block {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2))))
      } else if steps.last?.command.hasSuffix("\\") == true, steps.last?.output.isEmpty == true {
        steps[steps.count - 1].command += "\n" + line
      } else if !steps.isEmpty {
        steps[steps.count - 1].output.append(line)
      }
    }
    return steps
  }

  /// Returns a line without its varying parts: times, rates and memory.
  static func normalized(_ line: String) -> String {
    line.replacing(/[0-9][0-9,.]* (?:µs|ms|s|min|h)\b/) { _ in "TIME" }
      .replacing(/[0-9][0-9,.]* tracks\/s/) { _ in "RATE" }
      .replacing(/peak memory [0-9][0-9,.]* [KMG]?i?B/) { _ in "peak memory SIZE" }
      .replacing(/((?:elapsed_seconds|tracks_per_second|peak_memory_bytes)"?)[ :,]+[0-9][0-9.eE+-]*/) {
        "\($0.1) FIGURE"
      }
  }

  /// Returns whether a command's output matches the README, where "…" stands for any lines.
  static func matches(_ expected: [String], _ actual: [String]) -> Bool {
    guard let first = expected.first else { return actual.isEmpty }
    if first == "…" {
      return (0...actual.count).contains { matches(Array(expected.dropFirst()), Array(actual.dropFirst($0))) }
    }
    return actual.first.map { Array($0.utf8) == Array(first.utf8) } == true
      && matches(Array(expected.dropFirst()), Array(actual.dropFirst()))
  }
}

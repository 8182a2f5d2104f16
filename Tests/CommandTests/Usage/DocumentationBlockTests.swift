import Foundation
import TestSupport
import Testing

/// The blocks of commands in `docs`, run in a folder that has what they name; `DamagedPageTests` has one page more.
@Suite("The commands of the documentation")
struct DocumentationBlockTests {
  /// The first words of commands that need something that a test does not have.
  private static let foreign = [
    "kubectl", "docker", "until", "squeue", "sbatch", "export", "find", "spark-submit", "(cd", "Cluster/reduce.py",
    "pip",
    "datasette", "unzip", "jq", "(echo", "mkdir",
  ]

  /// A page, and the commands that make what it names.
  struct Page: Sendable, CustomTestStringConvertible {
    let name: String
    let setUp: String
    /// The number of lines that are run, so that none is left out unnoticed.
    let lineCount: Int

    var testDescription: String { name }
  }

  private static let samples = """
    cp SampleData/Tracks/library-v1.sqlite Library.sqlite; cp SampleData/Notes/library-v2.sqlite App.sqlite
    cp -r SampleData/Notes/Notes.xcdatamodeld App.xcdatamodeld
    """

  static let pages = [
    Page(name: "artists", setUp: samples, lineCount: 5),
    Page(
      name: "batch", setUp: "mkdir -p users/1; cp SampleData/Tracks/library-v1.sqlite users/1/Library.sqlite",
      lineCount: 3),
    Page(name: "presets", setUp: "true", lineCount: 1),
    Page(
      name: "reports",
      setUp: """
        \(samples); tracks-migrate Library.sqlite -q
        cp SampleData/Tracks/library-v1.sqlite V.sqlite; tracks-migrate batch V.sqlite -q --results results.ndjson
        """, lineCount: 8),
  ]

  @Test(arguments: pages)
  func `run in their order`(page: Page) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: Readme.root + "/SampleData", toPath: folder.file("SampleData"))
    let path = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path + ":/usr/bin:/bin:/usr/local/bin"
    func run(_ command: String) throws -> CommandResult {
      var runner = CommandRunner.shell("exec 2>&1\n\(command)", in: folder.path)
      runner.environment["PATH"] = path
      runner.environment["EDITOR"] = "true"
      return try runner.run()
    }
    #expect(try run(page.setUp).status == 0)
    let lines = try Self.lines(of: "\(Readme.root)/docs/\(page.name).md")
    #expect(lines.count == page.lineCount, "\(lines)")
    for line in lines {
      let result = try run(line.replacing(" /srv ", with: " users "))
      // Differences and findings have a status of their own.
      #expect((result.status ?? 128) < 64, "$ \(line)\n\(result.stdout)")
    }
  }

  private static func lines(of path: String) throws -> [String] {
    // After a line with a prompt comes what it prints.
    var (isShell, isConsole) = (false, false)
    var lines: [String] = []
    for line in try Files.text(path).split(separator: "\n") {
      if line.hasPrefix("```") {
        (isShell, isConsole) = (line == "```sh", line == "```console")
      } else if isShell || isConsole && line.hasPrefix("$ ") {
        let command = isConsole ? String(line.dropFirst(2)) : String(line)
        let first = String(command.prefix { $0 != " " })
        if !foreign.contains(first) { lines.append(command) }
      }
    }
    return lines
  }
}

import TestSupport
import Testing

@Suite("A list of libraries")
struct BatchListTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["a.sqlite", "b.sqlite"] { _ = try folder.library(name) }
  }

  private func run(_ list: [UInt8], _ options: String...) throws -> CommandResult {
    try folder.write(list, to: "list")
    return try CommandRunner(["batch", "--files-from", "list"] + options, folder: folder.path).run()
  }

  @Test(arguments: [1 << 16, 1 << 20])
  func `A line that is too long for a path fails by itself`(length: Int) throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: length + 1)
    let result = try run(Array("a.sqlite\n".utf8) + long + Array("\nb.sqlite\n".utf8) + long)
    #expect(result.status == 1 && result.stderr.contains("4 libraries: 2 migrated, 0 current, 2 failed."), "\(result)")
    #expect(result.stdout.contains("File name too long"), "\(result.stdout.suffix(2000))")
  }

  @Test func `Paths that end with NUL bytes are not taken for one line`() throws {
    let list = Array("a.sqlite\0b.sqlite\0".utf8)
    let refused = try run(list)
    #expect(refused.status == 66 && refused.stderr.contains("line 1 has a NUL byte"), "\(refused)")
    #expect(refused.stderr.contains("use '--null'"), "\(refused)")
    #expect(try run(list, "--null").status == 0)
  }

  @Test func `A line with a NUL byte fails by itself where each line is answered`() throws {
    let lines = Array("a.sqlite\nx".utf8) + [0] + Array("y\nb.sqlite\n".utf8)
    try folder.write(lines, to: "list")
    let result = try CommandRunner.shell(#""$TOOL" batch --pipe < list"#, in: folder.path).run()
    #expect(result.status == 0, "\(result)")
    let answers = try BatchLine.all(result.stdout)
    #expect(answers.map(\.path) == ["a.sqlite", "x\0y", "b.sqlite"])
    #expect(answers.map(\.status) == ["migrated", "failed", "migrated"])
    #expect(answers[1].message == "'x\0y' cannot be read: it has a NUL byte, so it is not a path")
    #expect(answers[1].advice == "If the paths end with NUL bytes, use '--null'." && answers[1].exit_status == 66)
  }

  @Test(arguments: ["-r.nd", "r\nr.nd", "##[x]r.nd", "it's.nd"])
  func `The command that runs failed libraries again works as it is printed`(name: String) throws {
    for list in ["none.sqlite", "-none.sqlite", "no\nne.sqlite"] {
      let first = try CommandRunner(
        ["batch", "./\(list)", "--identity", "id", "--results=\(name)", "--output-dir=-out"], folder: folder.path
      ).run()
      #expect(first.status == 1, "\(first)")
      let command = try #require(first.stderr.components(separatedBy: "run it again with: tracks-migrate ").last)
      _ = try folder.library(list)
      var runner = CommandRunner.shell("\"$TOOL\" \(command)", in: folder.path)
      runner.executable = try #require(Program.find("bash"))
      let again = try runner.run()
      #expect(again.status == 0, "\(command) \(again)")
      let last = try #require(try BatchLine.all(try Files.text(folder.file(name))).last)
      #expect(last.status == "migrated" && last.output?.hasPrefix("./-out/") == true, "\(last)")
      Files.remove(folder.file(name))
      Files.remove(folder.file(list))
    }
  }

  @Test func `A list is checked whole before any library is begun, where results are written`() throws {
    let lines = (0..<20_000).map { "missing/library-\($0).sqlite\n" }.joined()
    let clash = try run(Array((lines + "a.sqlite\n").utf8), "--results", "a.sqlite")
    #expect(clash.status == 73, "\(clash)")
    #expect(try folder.listing().sorted() == ["a.sqlite", "b.sqlite", "list"])
  }

  @Test func `Results that cannot be read keep a repeat from ending well`() throws {
    _ = try run(Array("a.sqlite\nb.sqlite\n".utf8), "--results", "results")
    try folder.write(Array((try Files.text(folder.file("results")) + "no result\n").utf8), to: "results")
    let result = try CommandRunner(["batch", "--retry-failed", "results"], folder: folder.path).run()
    #expect(result.status == 1 && result.stderr.contains("1 line of the results could not be read."), "\(result)")
  }
}

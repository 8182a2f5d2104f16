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

  @Test func `A list is checked whole before any library is begun, where results are written`() throws {
    let lines = (0..<20_000).map { "missing/library-\($0).sqlite\n" }.joined()
    let clash = try run(Array((lines + "a.sqlite\n").utf8), "--results", "a.sqlite")
    #expect(clash.status == 73, "\(clash)")
    #expect(try folder.listing().sorted() == ["a.sqlite", "b.sqlite", "list"])
  }

  @Test func `Results that cannot be read keep a repeat from ending well`() throws {
    try folder.write(Array("no result\n".utf8), to: "results")
    let result = try CommandRunner(["batch", "--retry-failed", "results"], folder: folder.path).run()
    #expect(result.status == 1 && result.stderr.contains("1 line of the results could not be read."), "\(result)")
  }
}

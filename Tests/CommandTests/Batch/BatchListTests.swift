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

  @Test(arguments: [false, true])
  func `A line that cannot be a path ends the batch once those before it are done`(hasEnd: Bool) throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: (1 << 16) + 1)
    let result = try run(Array("a.sqlite\n".utf8) + long + (hasEnd ? Array("\nb.sqlite\n".utf8) : []))
    #expect(result.status == 66, "\(result)")
    #expect(
      result.stderr.contains("'list' cannot be read: line 2 is longer than 64 KiB, so it is not a path."), "\(result)")
    #expect(result.stderr.contains("1 library: 1 migrated"), "\(result)")
    #expect(result.stdout.contains(#""a.sqlite""#) && !result.stdout.contains("b.sqlite"), "\(result)")
    #expect(try folder.listing().contains("a.sqlite.v1-backup"))
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
}

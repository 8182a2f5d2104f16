import Foundation
import TestSupport
import Testing

/// Altered stores under limits of the operating system: 512 MiB of address space and 20 seconds.
@Suite(
  "A hostile store in a resource-limited process",
  .enabled(if: !Sanitizer.isOn, "a sanitizer takes terabytes of addresses"))
struct LimitedProcessTests {
  private static let limits = #"ulimit -v 524288; ulimit -t 20; ulimit -c 0; exec "$TOOL" "$@""#

  private static func run(_ arguments: [String]) throws -> CommandResult {
    var runner = CommandRunner(["-c", limits, "sh"] + arguments, environment: ["TOOL": Tool.path])
    runner.executable = "/bin/sh"
    return try runner.run()
  }

  private static let template = Result { () throws -> [UInt8] in
    let folder = try TemporaryFolder(isInMemory: true)
    return try Files.bytes(try folder.library("Library.sqlite", .few + .many(60)))
  }

  @Test func `A good store migrates within the limits`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.write(Self.template.get(), to: "Library.sqlite")
    #expect(try Self.run([library, "--jobs", "2"]).status == 0)
  }

  @Test func `A large store with shared pages migrates within the limits`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.write(Self.template.get(), to: "Library.sqlite")
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = 'ZTRACK'"
    try SharedPages.make(in: library, root: try #require(Database.value(query, in: library).flatMap { Int($0) }))
    // The file is too large to be searched when it is opened. The added pages are a hole and take no space.
    try Files.resize(library, to: 66 << 20)
    let tooMany = "its table 'ZTRACK' seems to have more rows than fit into the file."
    let twice = "the primary key 1 of 'ZTRACK' comes more than once."
    for (arguments, detail) in [
      ([library], twice), ([library, "--dry-run"], tooMany), (["info", library], tooMany),
      (["stats", library], tooMany),
    ] {
      let result = try Self.run(arguments)
      #expect(result.status == 65, "\(result)")
      #expect(result.stderr.contains("error: '\(library)' is damaged: \(detail)"))
    }
    #expect(try folder.listing() == ["Library.sqlite"])
  }

  @Test(arguments: [
    ("ZARTIST", ["artists", "L", "--sort", "tracks", "--limit", "1"]), ("ZARTIST", ["artist", "L", "Nobody"]),
    ("ZTRACK", ["tracks", "L", "--sort", "played", "--limit", "1"]),
    ("ZTRACK", ["tracks", "L", "--where", "title ENDSWITH[cd] 'x'", "--limit", "1"]),
  ])
  func `A large store with shared pages can be queried within the limits`(table: String, words: [String]) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.write(Self.template.get(), to: "Library.sqlite")
    try successfully(library, "--no-backup", "--quiet")
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"
    try SharedPages.make(in: library, root: try #require(Database.value(query, in: library).flatMap { Int($0) }))
    try Files.resize(library, to: 66 << 20)
    let result = try Self.run(words.map { $0 == "L" ? library : $0 })
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("its table '\(table)' seems to have more rows than fit into the file."))
  }

  @Test func `A damaged store that claims to be huge stays within the limits`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.write(Self.template.get(), to: "Library.sqlite")
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = 'ZTRACK'"
    let root = try #require(Database.value(query, in: library).flatMap { Int($0) })
    var bytes = try Files.bytes(library)
    bytes.replaceSubrange((root - 1) * 4096..<(root - 1) * 4096 + 8, with: [UInt8](repeating: 255, count: 8))
    try Files.write(bytes, to: library)
    // This is larger than any disk, but a file system in memory allows it.
    try? Files.resize(library, to: UInt64(Int64.max))
    for arguments in [[library, "--no-space-check"], ["info", library]] {
      let result = try Self.run(arguments)
      #expect(result.status == 65, "\(result)")
      #expect(result.stderr.contains("error: '\(library)' is damaged"))
    }
  }

  @Test(arguments: 0..<16)
  func `A randomly damaged store causes at most an error and stays unchanged`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) + 500)
    var bytes = try Self.template.get()
    for _ in 0..<(1 << (seed % 5)) {
      let page = Int.random(in: 0..<bytes.count / 4096, using: &generator) * 4096
      // At the page headers and cell pointers, or anywhere.
      let length = Bool.random(using: &generator) ? 40 : 4096
      bytes[page + Int.random(in: 0..<length, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.write(bytes, to: "Library.sqlite")
    let before = try folder.snapshot()
    for arguments in [["info", library], [library, "--dry-run", "--jobs", "2"], ["stats", library]] {
      let result = try Self.run(arguments)
      #expect([0, 65, 66, 69, 74, 76].contains(result.status), "\(arguments), seed \(seed): \(result)")
      #expect(result.status == 0 || result.stderr.contains("tracks-migrate: error: "))
      #expect(try folder.snapshot() == before)
    }
  }
}

import Foundation
import SQLiteDatabase
import TestSupport
import Testing

/// Commands that show, count or compare rows, on libraries that are damaged so that SQLite finds fewer, without an error.
@Suite("Rows that damage hides")
struct DamagedIndexTests {
  private let folder: TemporaryFolder
  private let library: String
  private let whole: [UInt8]

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    library = try folder.library("Library.sqlite", .many(172))
    try successfully(library, "--quiet", "--no-backup")
    try successfully("export", library, "--output", folder.file("before.ndjson"))
    try Files.copy(library, to: folder.file("Whole.sqlite"))
    whole = try Files.bytes(library)
  }

  private var commands: [[String]] {
    [
      ["artists", library, "--format", "csv"], ["artists", library, "--track", "Track 1", "--format", "csv"],
      ["artists", library, "--min-tracks", "2", "--limit", "5", "--format", "csv"],
      ["artist", library, "id-7", "--format", "json"], ["tracks", library, "--format", "csv"],
      ["tracks", library, "--artist", "Artist 9", "--format", "csv"], ["tracks", library, "--limit", "3"],
      ["query", library, "Artist", "--format", "csv"], ["query", library, "Track", "--limit", "2", "--format", "csv"],
      ["export", library, "--what", "links", "--format", "csv"], ["export", library], ["info", library],
      ["export", library, "--entity", "Track", "--format", "csv"], ["stats", library, "--format", "csv"],
      ["artists", "review", library], ["report", library, "--output", "-"],
    ]
  }

  /// The output of each command; `nil` where it ends with an error about the library.
  private func outputs() throws -> [[UInt8]?] {
    try commands.map { command in
      let result = try CommandRunner(command, folder: folder.path).run()
      guard result.status != 0 else { return result.output }
      #expect(result.status == 65, "\(command): \(result)")
      return nil
    }
  }

  private func rootPage(of name: String) throws -> Int {
    let page = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", in: library)
    return try #require(page.flatMap { Int($0) })
  }

  private static let indexes = ["Z_1TRACKS_Z_2TRACKS_INDEX", "sqlite_autoindex_Z_1TRACKS_1"]

  @Test(arguments: indexes) func `No command gives fewer rows because an index lacks entries`(index: String) throws {
    // The page of the index is put back as it was before the last links were added.
    let root = try rootPage(of: index)
    let last = "SELECT rowid FROM Z_1TRACKS ORDER BY rowid DESC LIMIT 36"
    let links = try Database.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS WHERE rowid IN (\(last))", in: library)
    try Database.run("DELETE FROM Z_1TRACKS WHERE rowid IN (\(last))", in: library)
    let kept = try Files.bytes(library)
    let values = links.map { "(\($0.replacing("|", with: ",")))" }.joined(separator: ",")
    try Database.run("INSERT INTO Z_1TRACKS VALUES \(values)", in: library)
    var bytes = try Files.bytes(library)
    try #require(bytes.count == kept.count)
    bytes.replaceSubrange((root - 1) * 4096..<root * 4096, with: kept[(root - 1) * 4096..<root * 4096])
    try Files.write(bytes, to: library)
    for command in commands {
      let result = try CommandRunner(command, folder: folder.path).run()
      #expect(result.status == 65, "\(command)")
      #expect(result.stderr.contains("is damaged: "), "\(command): \(result.stderr)")
    }
    for stores in [[library, "Whole.sqlite"], ["Whole.sqlite", library]] {
      #expect(try CommandRunner(["diff"] + stores, folder: folder.path).run().status == 65)
    }
  }

  @Test func `No command gives fewer rows because a page has lost half of its cells`() throws {
    let expected = try outputs()
    #expect(!expected.contains(nil))
    let names = ["ZARTIST", "ZTRACK", "Z_1TRACKS"] + Self.indexes
    for root in try names.map(rootPage) {
      var bytes = whole
      // The number of cells (sqlite.org/fileformat.html#b_tree_pages).
      let place = (root - 1) * 4096 + 3
      let count = (Int(bytes[place]) << 8 | Int(bytes[place + 1])) / 2
      (bytes[place], bytes[place + 1]) = (UInt8(count >> 8), UInt8(count & 0xFF))
      try Files.write(bytes, to: library)
      #expect(try outputs().allSatisfy { $0 == nil })
    }
  }

  /// One byte in each test; most of them are in keys of the join table and its indexes.
  @Test(arguments: 0..<Rounds.count(4)) func `No command gives fewer rows because of a changed byte`(seed: Int) throws {
    let expected = try outputs()
    var generator = SeededGenerator(seed: UInt64(seed))
    let roots = try (["Z_1TRACKS"] + Self.indexes).map(rootPage)
    var bytes = whole
    let page = try #require(roots.randomElement(using: &generator))
    bytes[page * 4096 - 1 - Int.random(in: 0..<1500, using: &generator)] ^= UInt8(
      1 << Int.random(in: 0..<8, using: &generator))
    try Files.write(bytes, to: library)
    for (command, (output, found)) in zip(commands, zip(expected, try outputs())) {
      // Nothing but the keys of rows and links is in these pages.
      if let found { #expect(found == output, "\(command)") }
    }
  }

  @Test func `Damaged pages of rows end every command with the file and a way out, and never with SQL`() throws {
    let page = try rootPage(of: "ZTRACK")
    let size = 4096
    for kind in 0..<4 {
      var bytes = whole
      // The first leaf below the root, whose cell has its number in four bytes.
      let root = (page - 1) * size
      let cell = Int(bytes[root + 12]) << 8 | Int(bytes[root + 13])
      let child = bytes[root] == 5 ? bytes[root + cell..<root + cell + 4].reduce(0) { $0 << 8 | Int($1) } : page
      let start = (child - 1) * size
      switch kind {
      case 0: bytes.replaceSubrange(start..<start + size, with: [UInt8](repeating: 0, count: size))
      case 1: bytes[start] = 0x77
      case 2: bytes.replaceSubrange(start + 8..<start + 40, with: [UInt8](repeating: 0xFF, count: 32))
      // The first two rows are the same row.
      default: bytes.replaceSubrange(start + 10..<start + 12, with: bytes[start + 8..<start + 10])
      }
      try Files.write(bytes, to: library)
      for command in commands + [["diff", library, library], ["diff", "Whole.sqlite", library, "--by", "title"]] {
        // A search for a few rows may not meet the page.
        let result = try CommandRunner(command, folder: folder.path).run()
        #expect(result.status == 65, "\(kind) \(command): \(result)")
        #expect(result.stderr.contains("'\(library)' is damaged: "), "\(kind) \(command): \(result.stderr)")
        #expect(result.stderr.contains("Restore it from a backup"), "\(command): \(result.stderr)")
        #expect(!result.stderr.contains("SELECT"), "\(command): \(result.stderr)")
      }
    }
  }
}

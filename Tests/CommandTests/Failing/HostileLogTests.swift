import Foundation
import SQLiteDatabase
import TestSupport
import Testing

/// A file or folder in place of a write-ahead log.
struct HostileLog: Sendable, CustomTestStringConvertible {
  let name: String
  /// Makes the log at a path from the bytes of a good log.
  let make: @Sendable (_ path: String, _ log: [UInt8]) throws -> Void

  var testDescription: String { name }

  private static func bytes(_ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Self {
    Self(name: name) { try Files.write(change($1), to: $0) }
  }

  private static func noise(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Logs that SQLite reads, fully or up to the first damaged frame.
  static let files: [Self] = [
    bytes("good") { $0 }, bytes("empty") { _ in [] }, bytes("zeros") { _ in [UInt8](repeating: 0, count: 50_000) },
    bytes("noise") { _ in noise(50_000) }, bytes("noise behind the header") { Array($0.prefix(32)) + noise(50_000) },
    bytes("half a header") { Array($0.prefix(20)) }, bytes("half a frame") { Array($0.prefix(32 + 24 + 2000)) },
    bytes("without its end") { Array($0.dropLast(1000)) },
    bytes("zeros in place of the header") { [UInt8](repeating: 0, count: 32) + $0.dropFirst(32) },
    bytes("a wrong salt") { Array($0.prefix(42)) + [$0[42] ^ 1] + $0.dropFirst(43) },
    bytes("a sector of zeros") { Array($0.prefix(4096)) + [UInt8](repeating: 0, count: 512) + $0.dropFirst(4608) },
    bytes("a wrong checksum") { Array($0.prefix(48)) + [0, 0, 0, 0, 0, 0, 0, 0] + $0.dropFirst(56) },
    bytes("a byte that is lost") { Array($0.prefix(500)) + $0.dropFirst(501) },
    bytes("a sector that is lost") { Array($0.prefix(512)) + $0.dropFirst(1024) },
    bytes("a byte that is added") { Array($0.prefix(500)) + [0] + $0.dropFirst(500) },
    bytes("a wrong page size") { Array($0.prefix(8)) + [0, 0, 0, 3] + $0.dropFirst(12) },
    bytes("a page beyond all") { Array($0.prefix(32)) + [255, 255, 255, 255] + $0.dropFirst(36) },
    Self(name: "a hole of a terabyte behind it") {
      try Files.write($1, to: $0)
      try Files.resize($0, to: 1 << 40)
    },
    Self(name: "the largest hole there can be") {
      try Files.write($1, to: $0)
      // This is larger than any disk, but a file system in memory allows it.
      try? Files.resize($0, to: UInt64(Int64.max))
    },
    Self(name: "that of another database") { path, _ in
      let folder = try TemporaryFolder(isInMemory: true)
      var builder = LibraryBuilder(tracks: .many(9))
      builder.writeAheadLogStart = 3
      try builder.write(to: folder.file("Other"))
      try Files.copy(folder.file("Other-wal"), to: path)
    },
  ]

  /// Those in which committed changes follow what SQLite does not read.
  static let refused: Set = [
    "noise", "zeros in place of the header", "a wrong salt", "a sector of zeros", "a wrong checksum",
    "a wrong page size", "a page beyond all", "a byte that is lost", "a sector that is lost", "a byte that is added",
  ]

  /// Things that SQLite cannot read a log from.
  static let others: [Self] = [
    Self(name: "a folder") { path, _ in mkdir(path, 0o755) },
    Self(name: "a pipe") { path, _ in mkfifo(path, 0o644) },
    Self(name: "a link to nothing") { path, _ in try Files.link(path, to: "nothing") },
    Self(name: "a link to itself") { path, _ in try Files.link(path, to: path) },
    Self(name: "a link to zeros without end") { path, _ in try Files.link(path, to: "/dev/zero") },
    Self(name: "a link to a log") { path, log in
      try Files.write(log, to: path + ".moved")
      try Files.link(path, to: path + ".moved")
    },
  ]
}

@Suite("A hostile write-ahead log")
struct HostileLogTests {
  let folder: TemporaryFolder
  let library: String
  let log: [UInt8]

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    var builder = LibraryBuilder(tracks: .many(40))
    builder.writeAheadLogStart = 5
    library = try folder.library("Library.sqlite", builder)
    log = try Files.bytes(library + "-wal")
    Files.remove(library + "-wal")
  }

  /// Returns what SQLite itself reads from a copy; `nil` for a library that it calls damaged.
  private func rows() throws -> [String]? {
    let other = try TemporaryFolder(isInMemory: true)
    try Files.copy(library, to: other.file("Copy"))
    // Copying the hole would take long.
    try Files.write(Array(Files.bytes(library + "-wal", limit: 1 << 20)), to: other.file("Copy-wal"))
    do {
      return try Rows.tracks(other.file("Copy"))
    } catch is SQLiteError {
      return nil
    }
  }

  @Test(arguments: HostileLog.files)
  func `A hostile log is refused, or read as far as SQLite reads it`(hostile: HostileLog) throws {
    try hostile.make(library + "-wal", log)
    #expect(try isRefused() == HostileLog.refused.contains(hostile.name))
  }

  @Test(arguments: [12, 30, 32 + 24 + 1000, 32 + 4120 + 20])
  func `A log of which a byte has changed is refused in place, and stays as it is`(place: Int) throws {
    var bytes = log
    bytes[place] ^= 4
    try Files.write(bytes, to: library + "-wal")
    let before = try folder.snapshot()
    for arguments in [[library], ["extract", library, "--output", folder.file("shard")]] {
      let result = try CommandRunner(arguments).run()
      #expect(result.status == 65)
      #expect(
        result.stderr.hasPrefix("tracks-migrate: error: the write-ahead log '\(library)-wal' cannot be read: its "))
      #expect(result.stderr.hasSuffix("--output NEW\n"))
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `Every command that reads a library refuses a log with a changed salt`() throws {
    let folder = try TemporaryFolder()
    let (library, other, feed) = (try folder.library(), folder.file("Other.sqlite"), folder.file("feed.ndjson"))
    try successfully(library, "--quiet")
    try Files.copy(library, to: other)
    try successfully("export", other, "--output", feed)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("PRAGMA journal_mode = WAL")
    connection.keepWriteAheadLogOnClose()
    for key in 1...3 { try connection.execute("UPDATE ZTRACK SET ZTITLE = 'new' WHERE Z_PK = \(key)") }
    try connection.close()
    var log = try Files.bytes(library + "-wal")
    log[32 + 8] ^= 1
    try Files.write(log, to: library + "-wal")
    Files.remove(library + "-shm")
    let before = try folder.snapshot()
    let commands = [
      [library], [library, "--dry-run"], [library, "--model", ModelFixture.tracks], ["artists", library],
      ["artist", library, "x"], ["tracks", library, "--limit", "1"], ["info", library], ["query", library, "Track"],
      ["export", library], ["export", library, "--entity", "Track"], ["diff", library, other],
      ["diff", other, library],
      ["report", library], ["verify", library, "--source", other], ["import", feed, library],
      ["models", "hash", library], ["models", "explain", library, ModelFixture.tracks], ["artists", "review", library],
    ]
    for command in commands {
      let result = try CommandRunner(command).run()
      #expect(result.status == 65, "\(command): \(result)")
      #expect(result.stderr.contains("the write-ahead log '\(library)-wal' cannot be read: its frame 1"), "\(command)")
    }
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: 0..<12) func `A log with random changes is refused, or read as far as SQLite reads it`(seed: Int)
    throws
  {
    var generator = SeededGenerator(seed: UInt64(seed))
    var bytes = log
    for _ in 0...seed % 4 {
      // Most changes are in frame headers. The checksums cover the rest.
      let frame = 32 + 4120 * Int.random(in: 0..<(log.count - 32) / 4120, using: &generator)
      let place = seed.isMultiple(of: 3) ? Int.random(in: 0..<log.count, using: &generator) : frame
      bytes[min(place + Int.random(in: 0..<24, using: &generator), log.count - 1)] ^= UInt8(1 << (seed % 8))
    }
    try Files.write(bytes, to: library + "-wal")
    _ = try isRefused()
  }

  /// Whether the log is refused; otherwise the result has what SQLite reads.
  private func isRefused() throws -> Bool {
    let (bytes, logStatus) = (try Files.bytes(library), try Files.status(library + "-wal"))
    let expected = try rows()
    let result = try tracksMigrate(library, "--output", folder.file("New.sqlite"), "--quiet")
    let isRefused = result.status == 65 && result.stderr.contains("write-ahead log")
    #expect(isRefused || result.status == (expected == nil ? 65 : 0), "\(result)")
    if let expected, !isRefused { #expect(try Rows.tracks(folder.file("New.sqlite")) == expected) }
    #expect(try Files.bytes(library) == bytes)
    #expect(try Files.status(library + "-wal") == logStatus)
    return isRefused
  }

  @Test(arguments: HostileLog.others) func `A log that is not a regular file is refused`(hostile: HostileLog) throws {
    try hostile.make(library + "-wal", log)
    let before = try folder.snapshot()
    let reason = hostile.name.hasPrefix("a link") ? "it is a symbolic link" : "it is not a regular file"
    for arguments in [["info", library], [library], [library, "--output", folder.file("New.sqlite")]] {
      let result = try CommandRunner(arguments).run()
      #expect(result.status == 65)
      #expect(
        result.stderr == "tracks-migrate: error: the write-ahead log '\(library)-wal' cannot be read: \(reason). "
          + "Put the log itself there, or move this away if it is none; then run the command again.\n")
    }
    #expect(try folder.snapshot() == before)
  }
}

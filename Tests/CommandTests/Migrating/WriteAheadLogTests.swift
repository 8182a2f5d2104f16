import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("A library with a live write-ahead log")
struct WriteAheadLogTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a library whose last three tracks are only in the log.
  private func library() throws -> String {
    let path = try folder.library("Live.sqlite", LibraryBuilder(writeAheadLogStart: 2))
    try #require(folder.listing() == ["Live.sqlite", "Live.sqlite-wal"])
    return path
  }

  @Test func `All tracks arrive in place and no log remains beside the new library`() throws {
    let library = try library()
    try successfully(library)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(
      try folder.listing() == ["", ".migration.json", ".rejects.ndjson", ".v1-backup"].map { "Live.sqlite" + $0 })
    #expect(try Database.value("PRAGMA journal_mode", in: library) == "delete")
  }

  @Test func `The backup contains the tracks of the log`() throws {
    let library = try library()
    try successfully(library)
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: library + ".v1-backup") == "5")
  }

  @Test(arguments: [false, true])
  func `All tracks arrive in an output, and library and log stay unchanged`(hasIndex: Bool) throws {
    let library = try library()
    if hasIndex { try folder.write([UInt8](repeating: 0, count: 32768), to: "Live.sqlite-shm") }
    let (bytes, log) = (try Files.bytes(library), try Files.bytes(library + "-wal"))
    let target = try TemporaryFolder()
    try successfully(library, "--output", target.file("New.sqlite"))
    #expect(try Rows.migrated(target.file("New.sqlite")) == [TrackRow].fewMigrated)
    // The index is unused and is rebuilt from the log.
    #expect(try folder.listing() == ["Live.sqlite", "Live.sqlite-wal"])
    #expect(try Files.bytes(library) == bytes)
    #expect(try Files.bytes(library + "-wal") == log)
  }

  @Test func `An empty log does not change the library`() throws {
    let library = try folder.library("Live.sqlite", LibraryBuilder(writeAheadLogStart: 5))
    try folder.write([], to: "Live.sqlite-wal")
    try folder.write([UInt8](repeating: 0, count: 32768), to: "Live.sqlite-shm")
    let bytes = try Files.bytes(library)
    let target = try TemporaryFolder()
    try successfully(library, "--output", target.file("New.sqlite"))
    #expect(try Rows.migrated(target.file("New.sqlite")) == [TrackRow].fewMigrated)
    #expect(try folder.listing() == ["Live.sqlite"])
    #expect(try Files.bytes(library) == bytes)
  }

  @Test func `A truncated log is read up to its last complete transaction`() throws {
    let library = try library()
    var log = try Files.bytes(library + "-wal")
    log.removeLast(100)
    try folder.write(log, to: "Live.sqlite-wal")
    try successfully(library)
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: library) == "2")
    #expect(try Database.isWhole(library))
  }

  @Test func `A failed run leaves the log unchanged`() throws {
    let library = try library()
    let (bytes, log) = (try Files.bytes(library), try Files.bytes(library + "-wal"))
    #expect(try tracksMigrate(library, "--strict").status == 65)
    #expect(try Files.bytes(library) == bytes)
    #expect(try Files.bytes(library + "-wal") == log)
    #expect(try folder.listing() == ["Live.sqlite", "Live.sqlite-wal"])
  }

  @Test func `Queries read the log and leave it unchanged`() throws {
    let library = try folder.library()
    try successfully(library, "--quiet")
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("PRAGMA journal_mode = WAL; UPDATE ZARTIST SET ZNAME = 'Renamed' WHERE Z_PK = 1")
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: library + suffix, toPath: copy.file("Live.sqlite" + suffix))
    }
    let before = try copy.snapshot()
    #expect(
      try successfully("artists", copy.file("Live.sqlite"), "--id", "bj", "--format", "csv").lines[1].hasPrefix(
        "Renamed"))
    try successfully("stats", copy.file("Live.sqlite"))
    try successfully("info", copy.file("Live.sqlite"))
    #expect(try copy.snapshot() == before)
  }
}

import Foundation
import TestSupport
import Testing

@Suite("A migration in place")
struct InPlaceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `The path holds a v2 library with artists and otherwise unchanged tracks`() throws {
    let library = try folder.library()
    let before = try Rows.tracks(library)
    try successfully(library)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Rows.tracks(library) == before)
    #expect(try Database.isWhole(library))
    #expect(
      try Database.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT", in: library)
        == ["1|Artist|0|3", "2|Track|0|5"])
    #expect(try Database.value("SELECT Z_UUID FROM Z_METADATA", in: library) == LibraryBuilder().uuid)
  }

  @Test func `Only the library, its backup, the statistics and the rejects remain`() throws {
    try successfully(try folder.library())
    #expect(
      try folder.listing() == [
        "Library.sqlite", "Library.sqlite.migration.json", "Library.sqlite.rejects.ndjson", "Library.sqlite.v1-backup",
      ])
  }

  @Test func `Standard output stays empty and the paths appear on standard error`() throws {
    let library = try folder.library()
    let result = try successfully(library)
    #expect(result.stdout == "")
    #expect(result.stderr.contains("Backup: \(library).v1-backup\n"))
    #expect(result.stderr.contains("Rejects: \(library).rejects.ndjson (raw JSON, tracks: 1)\n"))
    #expect(result.stderr.contains("Statistics: \(library).migration.json\n"))
    #expect(result.stderr.hasPrefix("Migrated '\(library)' from v1 to v2 in "))
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o400, 0o666] as [mode_t])
  func `The library keeps its permissions`(mode: mode_t) throws {
    let library = try folder.library()
    chmod(library, mode)
    // Root can write to a read-only file. Other users get an error.
    guard geteuid() == 0 || mode & 0o200 != 0 else { return }
    try successfully(library)
    let attributes = try FileManager.default.attributesOfItem(atPath: library)
    #expect(attributes[.posixPermissions] as? Int == Int(mode))
  }

  @Test func `An empty library is migrated`() throws {
    let library = try folder.library("Empty.sqlite", [])
    try successfully(library)
    #expect(try Rows.migrated(library) == [])
    #expect(try Database.rows("SELECT Z_MAX FROM Z_PRIMARYKEY", in: library) == ["0", "0"])
  }

  @Test func `The keys of deleted tracks are not reused`() throws {
    let library = try folder.library()
    try Database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 900", in: library)
    try successfully(library)
    #expect(try Database.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Track'", in: library) == "900")
  }

  @Test func `The database layout is kept`() throws {
    let pragmas = "PRAGMA page_size = 8192; PRAGMA auto_vacuum = 1; PRAGMA encoding = 'UTF-16le'"
    let library = try folder.library("UTF16.sqlite", LibraryBuilder(pragmas: pragmas))
    try successfully(library)
    #expect(try Database.rows("PRAGMA page_size", in: library) == ["8192"])
    #expect(try Database.rows("PRAGMA auto_vacuum", in: library) == ["1"])
    #expect(try Database.rows("PRAGMA encoding", in: library) == ["UTF-16le"])
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test func `The app's own metadata is kept`() throws {
    let library = try folder.library("Own.sqlite", LibraryBuilder(metadata: ["AppToken": "s3cr3t-t0ken"]))
    try successfully(library)
    let plist = try #require(try Database.value("SELECT hex(Z_PLIST) FROM Z_METADATA", in: library))
    #expect(plist.contains("s3cr3t-t0ken".utf8.map { String($0, radix: 16, uppercase: true) }.joined()))
  }

  @Test func `The migrate command can be named explicitly`() throws {
    let library = try folder.library()
    try successfully("migrate", library)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }
}

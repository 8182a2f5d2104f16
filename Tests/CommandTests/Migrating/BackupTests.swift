import Foundation
import TestSupport
import Testing

@Suite("The backup")
struct BackupTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  @Test func `The backup is the old library byte for byte`() throws {
    let before = try Files.bytes(library)
    let rows = try Rows.original(library)
    try successfully(library)
    #expect(try Files.bytes(library + ".v1-backup") == before)
    #expect(try Rows.original(library + ".v1-backup") == rows)
  }

  @Test func `A backup is never overwritten`() throws {
    let bytes = try Files.bytes(library)
    try successfully(library)
    // The backup is restored as any database's manual says: by copying it over the library.
    try folder.write(bytes, to: "Library.sqlite")
    let result = try successfully(library)
    #expect(result.stderr.contains("Backup: \(library).v1-backup-2\n"))
    #expect(try Files.bytes(library + ".v1-backup") == bytes)
    #expect(try Files.bytes(library + ".v1-backup-2") == bytes)
    // The rejects are the same and are kept once.
    #expect(!FileManager.default.fileExists(atPath: library + ".rejects-2.ndjson"))

    try folder.write(bytes, to: "Library.sqlite")
    #expect(try successfully(library).stderr.contains("Backup: \(library).v1-backup-3\n"))
  }

  @Test func `A backup that was moved back is migrated again`() throws {
    try successfully(library)
    try FileManager.default.removeItem(atPath: library)
    try FileManager.default.moveItem(atPath: library + ".v1-backup", toPath: library)
    try successfully(library)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Rows.original(library + ".v1-backup").count == 6)
  }

  @Test func `An unrelated file with the backup's name is left alone`() throws {
    try folder.write([1, 2, 3], to: "Library.sqlite.v1-backup")
    try successfully(library)
    #expect(try Files.bytes(library + ".v1-backup") == [1, 2, 3])
    #expect(try Rows.original(library + ".v1-backup-2").count == 6)
  }

  @Test func `A dangling link with the backup's name is left alone`() throws {
    try FileManager.default.createSymbolicLink(atPath: library + ".v1-backup", withDestinationPath: "nowhere")
    try successfully(library)
    #expect(try folder.listing().contains("Library.sqlite.v1-backup-2"))
    #expect(try !folder.listing().contains("nowhere"))
  }

  @Test func `No backup is kept with --no-backup`() throws {
    let result = try successfully(library, "--no-backup")
    #expect(!result.stderr.contains("Backup"))
    #expect(
      try folder.listing() == ["Library.sqlite", "Library.sqlite.migration.json", "Library.sqlite.rejects.ndjson"])
    #expect(try Files.text(library + ".migration.json").contains("backup_file") == false)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test func `Another hard link and the backup both keep the old library`() throws {
    // A library with another hard link keeps it, and the link still leads to the old library.
    let other = folder.file("Other.sqlite")
    try FileManager.default.linkItem(atPath: library, toPath: other)
    let rows = try Rows.original(library)
    try successfully(library)
    #expect(try Rows.original(other) == rows)
    #expect(try Rows.original(library + ".v1-backup") == rows)
  }
}

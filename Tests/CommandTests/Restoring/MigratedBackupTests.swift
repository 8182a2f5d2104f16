import TestSupport
import Testing

/// What 'restore' brings back is older than the library.
@Suite("Backups that are not older than the library")
struct MigratedBackupTests {
  @Test func `A backup that was migrated itself is refused, and the way out is named`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let rows = try Rows.original(library)
    try successfully(library, "-q")
    try successfully(library + ".v1-backup", "-q")
    let before = try folder.snapshot()
    for words in [["restore", library], ["restore", library, "--backup", library + ".v1-backup"]] {
      for more in [[], ["--dry-run"]] {
        let result = try CommandRunner(words + more).run()
        #expect(result.status == 73, "\(result)")
        #expect(result.stderr.contains("holds version v2, not v1, so it was migrated itself"), "\(result)")
        #expect(result.stderr.contains("The old library may be '\(library).v1-backup.v1-backup'"), "\(result)")
      }
    }
    #expect(try folder.snapshot() == before)
    try successfully("restore", library, "--backup", library + ".v1-backup.v1-backup")
    #expect(try Rows.original(library) == rows)
  }

  @Test func `A migrated backup of an app's store is refused`() throws {
    let store = try SampleStore("Notes")
    try store.migrate()
    let backup = try #require(try store.folder.listing().first { $0.hasSuffix("-backup") })
    let path = store.folder.file(backup)
    try successfully(path, "--model", store.model)
    let result = try CommandRunner(["restore", store.path]).run()
    #expect(result.status == 73 && result.stderr.contains("holds the same version as the library"), "\(result)")
  }

  @Test func `A newer backup is not restored over an older library unless it is named`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    try successfully(library, "-q")
    let feed = try folder.write(Array(#"{"title":"T","artists":["A"]}"#.utf8), to: "feed")
    try successfully("import", feed, library, "-q")
    // The library before the import is as new as the library.
    try successfully("restore", library, "-q")
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    try successfully("import", feed, library, "-q")
    try successfully("restore", library, "--backup", library + ".v1-backup", "-q")
    let result = try CommandRunner(["restore", library]).run()
    #expect(result.status == 73 && result.stderr.contains("holds version v2, not an older one"), "\(result)")
    try successfully("restore", library, "--backup", library + ".v2-backup", "-q")
  }
}

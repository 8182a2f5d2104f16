import Foundation
import TestSupport
import Testing

/// In a world-writable folder such as `/tmp`, another user can put a link at any name before the command does.
@Suite("Symbolic links planted beside a library")
struct PlantedLinkTests {
  let folder: TemporaryFolder
  let library: String
  let precious: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    precious = try folder.write(Array("precious".utf8), to: "precious")
    folder.setPermissions(0o1777)
    // The folder belongs to another user than root. Otherwise root's links would be the folder owner's.
    chown(folder.path, geteuid() == 0 ? 4321 : geteuid(), gid_t.max)
  }

  /// Puts a link to the precious file at a name.
  ///
  /// - Returns: Whether the link belongs to another user, which only root can arrange.
  private func plant(_ path: String, to target: String? = nil) throws -> Bool {
    try Files.link(path, to: target ?? precious)
    return geteuid() == 0 && lchown(path, 65534, gid_t.max) == 0
  }

  @Test func `A planted link at the statistics' name is never followed, and is named`() throws {
    guard try plant(library + ".migration.json") else { return }
    let before = try folder.snapshot()
    let result = try tracksMigrate(library)
    #expect(result.status == 73)
    #expect(
      result.stderr == "tracks-migrate: error: '\(library).migration.json' cannot be created: it is a symbolic link of "
        + "another user (65534). Nothing was changed. Remove it, or name another file.\n")
    #expect(try folder.snapshot() == before)
  }

  @Test func `The user's own link at the statistics' name is itself replaced`() throws {
    try Files.link(library + ".migration.json", to: precious)
    try successfully(library)
    #expect(try Files.text(precious) == "precious")
    #expect(try Files.bytes(library + ".migration.json").first == UInt8(ascii: "{"))
    #expect(throws: (any Error).self) {
      try FileManager.default.destinationOfSymbolicLink(atPath: library + ".migration.json")
    }
  }

  @Test func `A link at the statistics' name is not read through`() throws {
    let other = try folder.library("Other.sqlite")
    try successfully(library)
    try successfully(other)
    Files.remove(library + ".migration.json")
    try Files.link(library + ".migration.json", to: other + ".migration.json")
    let result = try tracksMigrate("stats", library)
    #expect(result.status == 0)
    #expect(!result.stdout.contains("migration"))
    #expect(result.stderr.contains("it is a symbolic link"))
  }

  @Test func `A link at the rejects' name is not taken for rejects already kept`() throws {
    let other = try folder.library("Other.sqlite")
    try successfully(other)
    let rejects = try Files.rejects(other + ".rejects.ndjson")
    try Files.link(library + ".rejects.ndjson", to: other + ".rejects.ndjson")
    try successfully(library)
    #expect(try Files.rejects(library + ".rejects-2.ndjson") == rejects)
    #expect(try Files.text(library + ".migration.json").contains("Library.sqlite.rejects-2.ndjson"))
  }

  @Test func `A planted link is not followed when a user names it`() throws {
    let link = folder.file("link")
    guard try plant(link) else { return }
    let before = try folder.snapshot()
    for arguments in [[library, "--stats", link], ["stats", library, "--output", link]] {
      let result = try CommandRunner(arguments).run()
      #expect(result.status == 73, "\(arguments)")
      #expect(result.stderr.contains("it is a symbolic link of another user"), "\(arguments)")
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `A planted link to a library is not followed`() throws {
    let link = folder.file("Link.sqlite")
    guard try plant(link, to: library) else { return }
    let before = try folder.snapshot()
    for arguments in [["info", link], [link], ["stats", link], ["restore", link]] {
      #expect(try CommandRunner(arguments).run().status == 66, "\(arguments)")
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `A link is followed when the folder is not world-writable`() throws {
    folder.setPermissions(0o755)
    let link = folder.file("Link.sqlite")
    _ = try plant(link, to: library)
    try successfully(link)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }
}

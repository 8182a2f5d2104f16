import Foundation
import TestSupport
import Testing

@Suite("A migration to a new file")
struct OutputTests {
  let folder: TemporaryFolder
  let source: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    source = try TemporaryFolder()
    library = try source.library()
  }

  @Test func `The library's folder stays unchanged and the result is complete`() throws {
    let before = try source.snapshot()
    let output = folder.file("New.sqlite")
    let result = try successfully(library, "--output", output)
    #expect(try source.snapshot() == before)
    #expect(try Rows.migrated(output) == [TrackRow].fewMigrated)
    #expect(try folder.listing() == ["New.sqlite", "New.sqlite.migration.json", "New.sqlite.rejects.ndjson"])
    #expect(result.stdout == "")
    #expect(result.stderr.contains("Migrated '\(library)' to '\(output)' from v1 to v2"))
    #expect(!result.stderr.contains("Backup"))
  }

  @Test(arguments: [nil, 2, 5] as [Int?])
  func `A read-only folder can be the source`(writeAheadLogStart: Int?) throws {
    let inner = try source.makeFolder("inner")
    try LibraryBuilder(writeAheadLogStart: writeAheadLogStart).write(to: inner + "/Library.sqlite")
    chmod(inner, 0o555)
    defer { chmod(inner, 0o755) }
    let before = try FolderSnapshot(inner)
    let result = try tracksMigrate(inner + "/Library.sqlite", "--output", folder.file("New.sqlite"))
    // A user who cannot create the log's index cannot read the log.
    if geteuid() == 0 || writeAheadLogStart == nil { result.expectSuccess() }
    #expect(try FolderSnapshot(inner) == before)
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: [0, 2, 5])
  func `A killed run leaves nothing beside the library that the next run does not remove`(
    writeAheadLogStart: Int
  ) throws {
    let library = try source.library("Live.sqlite", LibraryBuilder(writeAheadLogStart: writeAheadLogStart))
    if writeAheadLogStart == 5 { Files.remove(library + "-wal") }
    let before = try source.snapshot()
    let runner = CommandRunner([library, "--output", folder.file("New.sqlite")])
    let killed = try runner.startAndStop(atWrite: 5, in: folder, try #require(FaultInjector.shared))
    #expect(Files.exists(library + "-shm"))
    killed.send(SIGKILL)
    #expect(try killed.finish().end == .signalled(SIGKILL))
    try runner.run().expectSuccess()
    #expect(try source.snapshot() == before)
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `A file that could be mistaken for part of the result is an obstacle`(suffix: String) throws {
    try folder.write([1, 2, 3], to: "New.sqlite" + suffix)
    let before = (try folder.snapshot(), try source.snapshot())
    let result = try tracksMigrate(library, "--output", folder.file("New.sqlite"))
    #expect(result.status == 73)
    #expect(
      result.stderr == "tracks-migrate: error: '\(folder.file("New.sqlite" + suffix))' already exists. "
        + "Choose another name, or remove it first.\n")
    #expect(try folder.snapshot() == before.0)
    #expect(try source.snapshot() == before.1)
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `A name that SQLite takes for part of another database is refused`(suffix: String) throws {
    let other = folder.file("other.sqlite")
    try Database.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a)", in: other)
    let before = (try folder.snapshot(), try source.snapshot())
    for words in [["--output", other + suffix], ["--stats", other + suffix]] {
      let result = try CommandRunner([library] + words).run()
      #expect(result.status == 73, "\(result)")
      #expect(result.stderr.contains("this name belongs to the database '\(other)'"), "\(result)")
    }
    #expect(try folder.snapshot() == before.0)
    #expect(try source.snapshot() == before.1)
    try successfully(library, "--output", folder.file("New.sqlite"))
    let result = try tracksMigrate("stats", folder.file("New.sqlite"), "--output", other + suffix)
    #expect(result.status == 73, "\(result)")
    // Without such a database it is an ordinary name.
    try successfully(library, "--output", folder.file("alone.sqlite" + suffix))
  }

  @Test(arguments: ["--output", "--stats"])
  func `The name of the external data folder is refused`(option: String) throws {
    let before = try source.snapshot()
    let result = try tracksMigrate(library, option, source.file(".Library_SUPPORT"))
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.contains("'\(option)' would replace the external data files of '\(library)'"))
    #expect(try source.snapshot() == before)
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".v1-backup", ".migration.json"])
  func `A name that belongs to the library is refused`(suffix: String) throws {
    let before = try source.snapshot()
    let result = try tracksMigrate(library, "--output", library + suffix)
    #expect(result.status == 73)
    #expect(result.stderr.contains("'--output' would replace "))
    #expect(result.stderr.contains(" of '\(library)'. Nothing was changed. Name another file."))
    #expect(try source.snapshot() == before)
  }

  @Test func `A library that is already current is not copied, and the run says so`() throws {
    try successfully(library)
    let result = try successfully(library, "--output", folder.file("New.sqlite"))
    #expect(result.stderr.hasSuffix("nothing to do.\n'\(folder.file("New.sqlite"))' was not written.\n"))
    #expect(try folder.listing() == [])
  }

  @Test func `The library itself cannot be the output`() throws {
    let before = try source.snapshot()
    #expect(try tracksMigrate(library, "--output", library).status == 73)
    #expect(try source.snapshot() == before)
  }

  @Test(arguments: ["nowhere/New.sqlite", "folder/", "/proc/New.sqlite", "pipe", "."])
  func `A result that cannot be created is reported before any work`(name: String) throws {
    _ = try folder.makeFolder("folder")
    mkfifo(folder.file("pipe"), 0o600)
    let result = try tracksMigrate(library, "--output", name, in: folder.path)
    #expect(result.status == 73)
    #expect(result.stderr.hasPrefix("tracks-migrate: error: '\(name)' "))
    #expect(try folder.listing() == ["folder", "pipe"])
    #expect(try source.listing() == ["Library.sqlite"])
  }

  @Test func `The result has the library's permissions`() throws {
    chmod(library, 0o640)
    try successfully(library, "--output", folder.file("New.sqlite"))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("New.sqlite"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  @Test func `An older rejects file with the same name is kept`() throws {
    try folder.write([7], to: "New.sqlite.rejects.ndjson")
    try successfully(library, "--output", folder.file("New.sqlite"))
    #expect(try Files.bytes(folder.file("New.sqlite.rejects.ndjson")) == [7])
    #expect(try folder.listing().contains("New.sqlite.rejects-2.ndjson"))
  }
}

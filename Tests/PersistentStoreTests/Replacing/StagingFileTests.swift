import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct StagingFileTests {
  private let folder: TemporaryFolder
  private let target: String
  private var hidden: String { folder.file(".Library.sqlite.tracks-migrate") }

  init() throws {
    folder = try TemporaryFolder()
    target = folder.file("Library.sqlite")
  }

  private func stage() throws -> StagingFile { try StagingFile(for: target, named: "as named") }

  @Test func `A staging file is hidden next to its target`() throws {
    let staging = try stage()
    #expect(staging.path == hidden)
    #expect(try folder.listing() == [".Library.sqlite.tracks-migrate"])
    staging.discard()
    #expect(try folder.listing().isEmpty)
  }

  @Test func `Two staging files for one target exclude each other`() throws {
    let first = try stage()
    let error = try #require(throws: MigrationError.self) { try stage() }
    #expect(error.code == .alreadyRunning)
    #expect(error.subject.path == "as named")
    // Another library is not affected.
    #expect(throws: Never.self) { try StagingFile(for: folder.file("Other.sqlite"), named: "other") }
    withExtendedLifetime(first) {}
  }

  @Test(.enabled(if: Program.flock != nil, "needs flock"), .timeLimit(.minutes(1)))
  func `A staging file of another process excludes this one as long as that process lives`() throws {
    let flock = try #require(Program.flock)
    try Files.write("half a store", to: hidden)
    let other = try Companion(flock, ["--exclusive", hidden, "sh", "-c", "echo locked; read line"])
    #expect(other.readLine() == "locked")
    #expect(try #require(throws: MigrationError.self) { try stage() }.code == .alreadyRunning)
    #expect(try Files.text(hidden) == "half a store")
    _ = try other.ask("go")
    other.end()
    #expect(throws: Never.self) { try stage() }
  }

  @Test func `An existing file is never written to because it may be open elsewhere`() throws {
    try Files.write("left", to: hidden)
    let number = try Files.fileNumber(hidden)
    let descriptor = open(hidden, O_RDONLY)
    defer { close(descriptor) }
    let staging = try stage()
    try Files.write("the new library", to: staging.path)
    #expect(try Files.fileNumber(hidden) != number)
    var bytes = [UInt8](repeating: 0, count: 100)
    #expect(read(descriptor, &bytes, 100) == 4)
    #expect(try Files.access(hidden).mode == 0o600)
  }

  @Test func `A file that cannot be removed is named`() throws {
    _ = try folder.makeFolder(".Library.sqlite.tracks-migrate.rejects")
    let error = try #require(throws: MigrationError.self) { try stage() }
    #expect(error.code == .cannotCreate)
    #expect(error.detail?.contains("'\(hidden).rejects' is in the way") == true)
    #expect(try folder.listing() == [".Library.sqlite.tracks-migrate.rejects"])
  }

  @Test func `Leftovers of a dead run are removed`() throws {
    try Files.write("half a store", to: hidden)
    for suffix in ["-journal", "-wal", "-shm", ".links", ".rejects", ".complete", ".backup"] {
      try Files.write("left", to: hidden + suffix)
    }
    try Files.write("somebody else's", to: hidden + ".other")
    let staging = try stage()
    #expect(try Files.bytes(hidden).isEmpty)
    #expect(try folder.listing() == [".Library.sqlite.tracks-migrate", ".Library.sqlite.tracks-migrate.other"])
    withExtendedLifetime(staging) {}
  }

  @Test func `A lock ends with its owner`() throws {
    do { _ = try stage() }
    #expect(throws: Never.self) { try stage() }
  }

  @Test func `A symbolic link is refused, and its target is left unchanged`() throws {
    try Files.write("precious", to: folder.file("precious"))
    try Files.link(hidden, to: folder.file("precious"))
    #expect(try #require(throws: MigrationError.self) { try stage() }.code == .cannotCreate)
    #expect(try Files.text(folder.file("precious")) == "precious")
  }

  @Test func `A hard link to the result is never emptied`() throws {
    // A run that died between giving its result a name and taking away the hidden one leaves this.
    try Files.write("the whole result", to: target)
    try Files.hardLink(hidden, to: target)
    let staging = try stage()
    #expect(try Files.text(target) == "the whole result")
    #expect(try Files.bytes(staging.path).isEmpty)
    #expect(try Files.fileNumber(target) != Files.fileNumber(staging.path))
  }

  @Test(arguments: ["folder", "missing/Library.sqlite"])
  func `A target where no file can be created throws an error`(name: String) throws {
    _ = try folder.makeFolder(".folder.tracks-migrate")
    let error = try #require(throws: MigrationError.self) { try StagingFile(for: folder.file(name), named: name) }
    #expect(error.code == .cannotCreate)
  }

  @Test func `A read-only folder throws an error`() throws {
    folder.setPermissions(0o555)
    let error: MigrationError = try Privileges.asNobody {
      try #require(throws: MigrationError.self) { try self.stage() }
    }
    #expect(error.code == .cannotCreate)
    #expect(error.exitStatus == 73)
  }

  @Test func `A pipe with the staging file's name throws an error`() throws {
    #expect(mkfifo(hidden, 0o600) == 0)
    #expect(try #require(throws: MigrationError.self) { try stage() }.code == .cannotCreate)
  }
}

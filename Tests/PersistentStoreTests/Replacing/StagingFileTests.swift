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

  @Test func `a staging file is hidden beside its target`() throws {
    let staging = try stage()
    #expect(staging.path == hidden)
    #expect(try folder.listing() == [".Library.sqlite.tracks-migrate"])
    staging.discard()
    #expect(try folder.listing().isEmpty)
  }

  @Test func `two at once exclude each other`() throws {
    let first = try stage()
    let error = try #require(throws: MigrationError.self) { try stage() }
    #expect(error.code == .alreadyRunning)
    #expect(error.subject.path == "as named")
    // Another library is no matter.
    #expect(throws: Never.self) { try StagingFile(for: folder.file("Other.sqlite"), named: "other") }
    withExtendedLifetime(first) {}
  }

  @Test(.enabled(if: Program.flock != nil, "needs flock"), .timeLimit(.minutes(1)))
  func `another process excludes this one for as long as it lives`() throws {
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

  @Test func `what is there is never written to: somebody may have it open`() throws {
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

  @Test func `a file that cannot be removed is named`() throws {
    _ = try folder.makeFolder(".Library.sqlite.tracks-migrate.rejects")
    let error = try #require(throws: MigrationError.self) { try stage() }
    #expect(error.code == .cannotCreate)
    #expect(error.detail?.contains("'\(hidden).rejects' is in the way") == true)
    #expect(try folder.listing() == [".Library.sqlite.tracks-migrate.rejects"])
  }

  @Test func `what a dead run has left is removed`() throws {
    try Files.write("half a store", to: hidden)
    for suffix in ["-journal", "-wal", "-shm", ".rejects", ".complete", ".backup"] {
      try Files.write("left", to: hidden + suffix)
    }
    try Files.write("somebody else's", to: hidden + ".other")
    let staging = try stage()
    #expect(try Files.bytes(hidden).isEmpty)
    #expect(try folder.listing() == [".Library.sqlite.tracks-migrate", ".Library.sqlite.tracks-migrate.other"])
    withExtendedLifetime(staging) {}
  }

  @Test func `a lock ends with its owner`() throws {
    do { _ = try stage() }
    #expect(throws: Never.self) { try stage() }
  }

  @Test func `a symbolic link is refused, and what it leads to is left alone`() throws {
    try Files.write("precious", to: folder.file("precious"))
    try Files.link(hidden, to: folder.file("precious"))
    #expect(try #require(throws: MigrationError.self) { try stage() }.code == .cannotCreate)
    #expect(try Files.text(folder.file("precious")) == "precious")
  }

  @Test func `a second name of the result is never emptied`() throws {
    // A run that died between giving its result a name and taking away the hidden one leaves this.
    try Files.write("the whole result", to: target)
    try Files.hardLink(hidden, to: target)
    let staging = try stage()
    #expect(try Files.text(target) == "the whole result")
    #expect(try Files.bytes(staging.path).isEmpty)
    #expect(try Files.fileNumber(target) != Files.fileNumber(staging.path))
  }

  @Test(arguments: ["folder", "missing/Library.sqlite"])
  func `where no file can be made there is an error`(name: String) throws {
    _ = try folder.makeFolder(".folder.tracks-migrate")
    let error = try #require(throws: MigrationError.self) { try StagingFile(for: folder.file(name), named: name) }
    #expect(error.code == .cannotCreate)
  }

  @Test func `a folder that may not be written is an error`() throws {
    folder.setPermissions(0o555)
    let error: MigrationError = try Privileges.asNobody {
      try #require(throws: MigrationError.self) { try self.stage() }
    }
    #expect(error.code == .cannotCreate)
    #expect(error.exitStatus == 73)
  }

  @Test func `a pipe in its place is an error`() throws {
    #expect(mkfifo(hidden, 0o600) == 0)
    #expect(try #require(throws: MigrationError.self) { try stage() }.code == .cannotCreate)
  }
}

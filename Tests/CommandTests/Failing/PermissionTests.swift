import Foundation
import TestSupport
import Testing

@Suite("Missing permissions")
struct PermissionTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  @Test func `An unreadable library is reported`() throws {
    chmod(library, 0o000)
    guard let result = try StrangerRunner.run([library]) else { return }
    #expect(result.status == 66)
    #expect(
      result.stderr == "tracks-migrate: error: '\(library)' cannot be read: Permission denied. "
        + "Check the permissions of the file and of its folders.\n")
    #expect(try folder.listing() == ["Library.sqlite"])
  }

  @Test func `A library in an unreadable folder is reported`() throws {
    chmod(folder.path, 0o700)
    guard let result = try StrangerRunner.run([library]) else { return }
    #expect(result.status == 66)
    #expect(result.stderr.contains("Permission denied"))
  }

  @Test(arguments: [nil, 2, 5] as [Int?])
  func `A read-only folder is reported, and nothing is changed`(writeAheadLogStart: Int?) throws {
    try FileManager.default.removeItem(atPath: library)
    _ = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: writeAheadLogStart))
    chmod(library, 0o666)
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run([library]) else { return }
    #expect(result.status == (writeAheadLogStart == 2 ? 65 : 73), "\(result)")
    #expect(result.stderr.hasPrefix("tracks-migrate: error: "))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A read-only library is reported`() throws {
    chmod(folder.path, 0o777)
    chmod(library, 0o444)
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run([library]) else { return }
    #expect(result.status == 73, "\(result)")
    let owner = geteuid()
    let advice =
      owner == 0
      ? "'\(library)' belongs to another user (0): run the command as that user, or ask them for permission to "
        + "read and write it."
      : "Give yourself permission to read and write it with: chmod u+rw '\(library)'"
    #expect(
      result.stderr
        == "tracks-migrate: error: '\(library)' cannot be replaced: Permission denied. Nothing was changed. \(advice)\n"
    )
    #expect(try folder.snapshot() == before)
  }

  @Test func `The owner of a read-only library learns how to make it writable`() throws {
    chmod(folder.path, 0o777)
    chown(library, 65534, 65534)
    chmod(library, 0o444)
    guard let result = try StrangerRunner.run([library]) else { return }
    #expect(result.status == 73, "\(result)")
    #expect(
      result.stderr
        == "tracks-migrate: error: '\(library)' cannot be replaced: Permission denied. Nothing was changed. "
        + "Give yourself permission to read and write it with: chmod u+rw '\(library)'\n")
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: library) == "5")
  }

  @Test func `Restoring in a read-only folder does not suggest an option that restore lacks`() throws {
    try successfully(library)
    chmod(library, 0o666)
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    guard let result = try StrangerRunner.run(["restore", library]) else { return }
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.hasSuffix(". Nothing was changed. Check the permissions of its folder.\n"), "\(result)")
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `A SQLite file that cannot be read is named`(suffix: String) throws {
    try FileManager.default.removeItem(atPath: library)
    _ = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: suffix == "-journal" ? nil : 2))
    // In a writable folder, an unused index is removed.
    chmod(folder.path, 0o755)
    chmod(library, 0o666)
    if suffix == "-shm" { chmod(library + "-wal", 0o666) }
    if suffix != "-wal" { try Files.write(Array("x".utf8), to: library + suffix) }
    chmod(library + suffix, 0o000)
    let before = try folder.snapshot()
    for arguments in [["info", library], [library]] {
      guard let result = try StrangerRunner.run(arguments) else { return }
      #expect(result.status == 66, "\(result)")
      #expect(result.stderr.contains("'\(library)\(suffix)' cannot be read: Permission denied. No data was changed. "))
      #expect(result.stderr.contains("'\(library)\(suffix)' belongs to another user (0)") || geteuid() != 0)
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `A read-only library can be migrated to a new file and queried`() throws {
    chmod(folder.path, 0o555)
    let target = try TemporaryFolder()
    chmod(target.path, 0o777)
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run([library, "--output", target.file("New.sqlite")]) else { return }
    #expect(result.status == 0, "\(result)")
    #expect(try folder.snapshot() == before)
    #expect(try Rows.migrated(target.file("New.sqlite")) == [TrackRow].fewMigrated)
    let info = try #require(try StrangerRunner.run(["info", library]))
    #expect(info.status == 0)
    #expect(try folder.snapshot() == before)
  }
}

/// Runs the command as a user who does not own the files.
enum StrangerRunner {
  /// Root switches to the user nobody.
  ///
  /// Any other user is restricted by permissions that the test withdraws.
  ///
  /// - Returns: `nil` if that is not possible.
  static func run(_ arguments: [String]) throws -> CommandResult? {
    guard geteuid() == 0 else { return try CommandRunner(arguments).run() }
    guard try command(["--version"]).run().status == 0 else { return nil }
    return try command(arguments).run()
  }

  private static func command(_ arguments: [String]) -> CommandRunner {
    var runner = CommandRunner(["--reuid", "65534", "--regid", "65534", "--clear-groups", Tool.path] + arguments)
    runner.executable = "/usr/bin/setpriv"
    return runner
  }
}

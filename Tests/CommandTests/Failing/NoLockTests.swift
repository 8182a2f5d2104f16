import Foundation
import TestSupport
import Testing

@Suite(
  "A file system without locks", .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct NoLockTests {
  private static let advice =
    "No data was changed. Copy the library and its '-wal' to a disk of this machine and use the copy, or have the lock "
    + "service of the file server started (NFS: lockd).\n"

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs the command with failing locks in one folder, as on a file server without a lock service.
  ///
  /// - Returns: The result, and the number of requests for a lock.
  private func run(_ arguments: [String], withoutLocksIn root: String) throws -> (CommandResult, Int?) {
    let records = try TemporaryFolder()
    let variables = [
      "KINDS": "lock", "CALL": "1", "LASTING": "1", "ACTION": "\(ENOLCK)", "COUNTS": records.file("counts"),
    ]
    let injector = try #require(FaultInjector.shared)
    let command = CommandRunner(arguments, environment: injector.environment(root: root, variables))
    return (try command.run(), try FaultInjector.counts(in: records.file("counts"))[.lock])
  }

  @Test(arguments: [nil, 2] as [Int?], [["info"], [], ["--dry-run"]])
  func `Missing locks are reported at once with a way out`(log: Int?, command: [String]) throws {
    let library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: log))
    let before = try folder.snapshot()
    let (result, count) = try run(command + [library], withoutLocksIn: folder.path)
    #expect(result.status == 74, "\(result)")
    #expect(
      result.stderr.hasSuffix(
        "tracks-migrate: error: '\(library)' is in a file system without locks: No locks available. \(Self.advice)"))
    #expect(count == 1)
    #expect(try folder.snapshot() == before)
  }

  @Test func `Missing locks at the output's location are reported too`() throws {
    let library = try folder.library()
    let target = try TemporaryFolder()
    let (result, _) = try run([library, "--output", target.file("New.sqlite")], withoutLocksIn: target.path)
    #expect(result.status == 74, "\(result)")
    #expect(result.stderr.contains("error: '\(target.file("New.sqlite"))' is in a file system without locks: "))
    #expect(try target.listing() == [])
    try successfully(library, "--output", target.file("New.sqlite"))
  }
}

import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("The --wait option")
struct WaitTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  /// The command's name for this process.
  private var ownName: String {
    get throws {
      let name = try Files.text("/proc/self/comm").split(separator: "\n").first
      return "\(name ?? "") (process \(getpid()))"
    }
  }

  @Test func `A waiting command names the other program while it waits and when it gives up`() throws {
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    let result = try tracksMigrate(library, "--wait", "2")
    #expect(result.status == 75)
    #expect(result.stderr.contains("Waiting: '\(library)' is "))
    #expect(result.stderr.components(separatedBy: try ownName).count == 3, "\(result)")
    try connection.close()
    try successfully(library)
  }

  @Test func `A program that reads through a write-ahead log is named`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN; SELECT count(*) FROM ZTRACK")
    let result = try tracksMigrate(library, "--wait", "0")
    #expect(result.status == 75)
    #expect(result.stderr.contains("is open in another program: \(try ownName)"), "\(result)")
  }

  @Test func `A waiting command continues as soon as the library is free`() throws {
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let command = try CommandRunner([library, "--wait", "30"]).start()
    command.waitForError("Waiting: ")
    try connection.close()
    #expect(try command.finish().status == 0)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test func `A waiting command can be stopped and changes nothing`() throws {
    // Reading the file again would release this process's locks on it.
    let before = try folder.snapshot()
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let command = try CommandRunner([library, "--wait", "30"]).start()
    command.waitForError("Waiting: ")
    command.send(SIGTERM)
    let result = try command.finish()
    #expect(result.end == .signalled(SIGTERM))
    #expect(result.stderr.contains("error: interrupted"))
    #expect(try folder.snapshot() == before)
    try connection.close()
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"))
  func `A command waits for another migration and names it`() throws {
    let first = try CommandRunner([library]).startAndStop(atWrite: 5, in: folder, try #require(FaultInjector.shared))
    let hasty = try tracksMigrate(library)
    #expect(hasty.status == 75)
    #expect(
      hasty.stderr.contains(
        "another migration of '\(library)' is running: tracks-migrate (process \(first.processID))"), "\(hasty)")
    let patient = try CommandRunner([library, "--wait", "30"]).start()
    patient.waitForError("Waiting: ")
    first.send(SIGCONT)
    #expect(try first.finish().status == 0)
    let result = try patient.finish()
    #expect(result.status == 0)
    #expect(result.stderr.contains("is a v2 library already"))
  }

  @Test(arguments: ["-1", "x", "nan", "1e12"])
  func `An invalid number of seconds is refused`(seconds: String) throws {
    #expect(try tracksMigrate(library, "--wait=\(seconds)").status == 64)
  }
}

import Foundation
import SQLiteDatabase
import TestSupport
import Testing

/// Options of `migrate`, which must take effect for both tracks and apps' stores.
@Suite("Options that track libraries and apps' stores share")
struct OptionTableTests {
  enum Kind: String, CaseIterable, Sendable { case tracks, app }

  /// A library of tracks, migrated as such or as the store of an app.
  private struct Target {
    let folder: TemporaryFolder
    let path: String
    let arguments: [String]

    init(_ kind: Kind, count: Int? = nil, options: String...) throws {
      folder = try TemporaryFolder()
      path = folder.file("Library.sqlite")
      if let count {
        try successfully(["sample", "\(count)", path] + options)
      } else {
        try LibraryBuilder().write(to: path)
      }
      let (model, mapping) = ("Tracks/Tracks.xcdatamodeld", "Tracks/Tracks.xcmappingmodel")
      let app = ["--model", SampleStore.data(model), "--mapping", SampleStore.data(mapping)]
      arguments = [path] + (kind == .tracks ? [] : app)
    }

    func command(_ options: String...) -> CommandRunner { CommandRunner(arguments + options) }

    func migrate(_ options: String...) throws -> CommandResult {
      try successfully(arguments + options)
    }
  }

  @Test(arguments: Kind.allCases) func `The option --output leaves the library alone`(kind: Kind) throws {
    let target = try Target(kind)
    let before = try Files.bytes(target.path)
    _ = try target.migrate("--output", target.folder.file("New.sqlite"))
    #expect(try Files.bytes(target.path) == before)
    #expect(try Rows.migrated(target.folder.file("New.sqlite")) == [TrackRow].fewMigrated)
  }

  @Test(arguments: Kind.allCases) func `The option --no-backup decides whether there is a backup`(kind: Kind) throws {
    for options in [[], ["--no-backup"]] {
      let target = try Target(kind)
      try successfully(target.arguments + options)
      #expect(try target.folder.listing().contains { $0.hasSuffix("-backup") } == options.isEmpty)
    }
  }

  @Test(arguments: Kind.allCases) func `The option --stats names the statistics file`(kind: Kind) throws {
    let target = try Target(kind)
    _ = try target.migrate("--stats", target.folder.file("s.json"))
    #expect(try Files.text(target.folder.file("s.json")).contains(#""source_version""#))
  }

  @Test(arguments: Kind.allCases) func `The option --dry-run prints a plan and changes nothing`(kind: Kind) throws {
    let target = try Target(kind)
    let before = try target.folder.snapshot()
    #expect(try target.migrate("--dry-run").lines.count > 1)
    #expect(try target.folder.snapshot() == before)
  }

  @Test(arguments: Kind.allCases) func `The option --strict refuses doubtful data`(kind: Kind) throws {
    let target = try Target(kind)
    try Database.run("CREATE TABLE ATRANSACTION (a); INSERT INTO ATRANSACTION VALUES (1)", in: target.path)
    let before = try target.folder.snapshot()
    #expect(try target.command("--strict").run().status == 65)
    #expect(try target.folder.snapshot() == before)
    _ = try target.migrate()
  }

  @Test(arguments: Kind.allCases, ["name", "id"])
  func `The option --identity distinguishes artists`(kind: Kind, by: String) throws {
    let target = try Target(kind)
    try Database.run(
      #"UPDATE ZTRACK SET ZJSON = '{"artists":[{"id":"' || Z_PK || '","name":"X"}]}'"#, in: target.path)
    _ = try target.migrate("--identity", by)
    #expect(try Database.value("SELECT count(*) FROM ZARTIST", in: target.path) == (by == "name" ? "1" : "5"))
  }

  @Test(arguments: Kind.allCases)
  func `The option --quiet prints nothing and --verbose prints the plan`(kind: Kind) throws {
    #expect(try Target(kind).migrate("--quiet").stderr == "")
    let brief = try Target(kind).migrate().lines
    let verbose = try Target(kind).migrate("--verbose")
    #expect(brief.isEmpty)
    let plan = kind == .tracks ? "Plan: v1 to v2" : "' goes from 'Tracks' to 'Tracks 2' in one hop"
    #expect(verbose.stderr.contains(plan))
  }

  // `--jobs`: each thread has its own connection, visible in the open files of a stopped process.

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: Kind.allCases)
  func `The option --jobs sets the number of reading connections`(kind: Kind) throws {
    let target = try Target(kind, count: 3000)
    var counts: [Int] = []
    for jobs in ["1", "4", "7"] {
      let output = target.folder.file("New\(jobs).sqlite")
      let command = try target.command("--output", output, "--jobs", jobs, "--quiet").startAndStop(
        atWrite: 40, in: target.folder, try #require(FaultInjector.shared))
      counts.append(try openFiles(of: command.processID, target.path))
      command.send(SIGCONT)
      #expect(try command.finish().status == 0)
    }
    #expect(counts[1] == counts[0] + 4)
    #expect(counts[2] == counts[0] + 7)
  }

  private func openFiles(of process: pid_t, _ path: String) throws -> Int {
    let folder = "/proc/\(process)/fd"
    let wanted = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    return try Files.listing(folder).count { name in
      var status = stat()
      return stat("\(folder)/\(name)", &status) == 0 && Int(status.st_ino) == wanted
    }
  }

  // `--wait`.

  @Test(arguments: Kind.allCases) func `The option --wait waits for other programs and names them`(kind: Kind) throws {
    let target = try Target(kind)
    let connection = try Connection(path: target.path, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let command = try target.command("--wait", "120").start()
    command.waitForError("Waiting: ")
    try connection.close()
    let result = try command.finish()
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("Waiting: '\(target.path)' is "), "\(result)")
    #expect(try Rows.migrated(target.path) == [TrackRow].fewMigrated)
  }

  @Test(arguments: Kind.allCases)
  func `The option --wait with --quiet is silent and names the other program only on failure`(kind: Kind) throws {
    let target = try Target(kind)
    let connection = try Connection(path: target.path, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let begin = ContinuousClock.now
    let result = try target.command("--wait", "3", "--quiet").run()
    #expect(ContinuousClock.now - begin >= .seconds(3))
    #expect(result.status == 75)
    #expect(!result.stderr.contains("Waiting"), "\(result)")
    #expect(result.stderr.hasPrefix("tracks-migrate: error: '\(target.path)' is "), "\(result)")
    try connection.close()
  }

  @Test(arguments: Kind.allCases) func `A signal ends a run that waits because of --wait`(kind: Kind) throws {
    let target = try Target(kind)
    let before = try target.folder.snapshot()
    let connection = try Connection(path: target.path, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let command = try target.command("--wait", "600").start()
    command.waitForError("Waiting: ")
    command.send(SIGTERM)
    #expect(try command.finish().status != 0)
    #expect(try target.folder.snapshot() == before)
    try connection.close()
  }

  // The space check.

  @Test(arguments: Kind.allCases)
  func `The option --no-space-check starts on a disk that is too small`(kind: Kind) throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    let target = try Target(kind, count: 3000)
    try Files.copy(target.path, to: disk + "/Library.sqlite")
    try mount.leaveFree(64 << 10)
    let before = try FolderSnapshot(disk)
    let arguments = [disk + "/Library.sqlite"] + target.arguments.dropFirst()
    let refused = try CommandRunner(arguments).run()
    #expect(refused.stderr.contains("there is not enough space for '"), "\(refused)")
    let begun = try CommandRunner(arguments + ["--no-space-check"]).run()
    #expect(begun.status == 75)
    #expect(begun.stderr.contains("there is no space left to write '"), "\(begun)")
    #expect(try FolderSnapshot(disk) == before)
  }

  /// Returns the number of bytes that an error says are needed, to within about 50 or 50 Ki.
  private func needed(_ result: CommandResult) throws -> Double {
    let text = try #require(result.stderr.components(separatedBy: "it takes about ").dropFirst().first)
    let words = text.split(separator: " ")
    let units = ["bytes": 1, "KiB": 1024, "MiB": 1024 * 1024] as [Substring: Double]
    return try #require(Double(words[0])) * (try #require(units[words[1].prefix { $0 != "," }]))
  }

  @Test func `Two hops need space for two results, and a log is checkpointed only in place`() throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    let store = disk + "/App.sqlite"
    try successfully("sample", "2000", store, "--example", "notes")
    try Database.leaveLog("PRAGMA journal_mode = WAL; UPDATE ZNOTE SET Z_OPT = 7", in: store)
    let log = try Double(Files.bytes(store + "-wal").count)
    try #require(log > 50_000)
    try mount.leaveFree(100 << 10)
    func refusal(_ options: String...) throws -> Double {
      let model = SampleStore.data("Notes/Notes.xcdatamodeld")
      let result = try CommandRunner([store, "--model", model] + options).run()
      #expect(result.status == 75, "\(result)")
      return try needed(result)
    }
    let new = disk + "/New.sqlite"
    let (one, two) = try (refusal("--to", "Notes 2", "--output", new), refusal("--to", "Notes 3", "--output", new))
    #expect(one > 100_000 && two < 1_048_576)
    #expect(abs(two - 2 * one) < 500)
    let (oneInPlace, twoInPlace) = try (refusal("--to", "Notes 2"), refusal("--to", "Notes 3"))
    #expect(abs(oneInPlace - one - log) < 500)
    #expect(abs(twoInPlace - two - log) < 500)
  }
}

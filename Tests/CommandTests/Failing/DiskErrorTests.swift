import Foundation
import TestSupport
import Testing

@Suite(
  "Disk errors", .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct DiskErrorTests {
  // `make crash` strikes at every call; these tests strike at some of them.

  /// Explanations that would be wrong for a disk error.
  private static let otherReasons = [
    "damaged", "not a SQLite database", "another program", "another migration", "ermissions", "no file", "no folder",
    "no backup", "cannot be",
  ]

  @Test(arguments: ["journal", "log", "output", "restore", "app"], [Fault.Kind.read, .look, .open])
  func `A persistent disk error is reported as such, not as damage or a lock`(name: String, kind: Fault.Kind) throws {
    let injector = try #require(FaultInjector.shared)
    let prepared = try PreparedScene(try #require(CrashScenario.all.first { $0.name == name }), injector)
    let count = try #require(prepared.callCounts[kind])
    #expect(count > 5)
    for call in stride(from: 1, through: count, by: count > 60 ? Rounds.areMany ? 11 : 41 : 7) {
      let variables = ["KINDS": kind.rawValue, "CALL": "\(call)", "ACTION": "\(EIO)", "LASTING": "1"]
      let trial = try Trial(prepared, injector)
      let result = try trial.command(variables).run()
      // A failure at the very end, during the search for leftovers, does no harm.
      if result.status == 0 { continue }
      #expect(result.status == 74, "call \(call): \(result)")
      #expect(!Self.otherReasons.contains { result.stderr.contains($0) }, "call \(call): \(result)")
      #expect(result.stderr.contains("Check the disk and run this again."), "call \(call)")
    }
  }

  @Test(arguments: ["log", "journal", "app", "columns", "restore"])
  func `A single disk error is reported as such`(name: String) throws {
    let injector = try #require(FaultInjector.shared)
    let prepared = try PreparedScene(try #require(CrashScenario.all.first { $0.name == name }), injector)
    let count = try #require(prepared.callCounts[.read])
    for call in stride(from: 1, through: count, by: Rounds.areMany ? 3 : 13) {
      let trial = try Trial(prepared, injector)
      let result = try trial.command(["KINDS": "read", "CALL": "\(call)", "ACTION": "\(EIO)"]).run()
      if result.status == 0 { continue }
      #expect([66, 74].contains(result.status), "call \(call): \(result)")
      #expect(result.stderr.contains("Input/output error"), "call \(call): \(result)")
      #expect(!result.stderr.contains("damaged"), "call \(call): \(result)")
    }
  }

  /// Every read and write of more than one byte stops halfway, as a signal or a network can cause.
  @Test(arguments: ["log", "output", "no second names", "restore", "app", "columns", "portions"])
  func `Bytes are read and written completely even in portions`(name: String) throws {
    let injector = try #require(FaultInjector.shared)
    // Enough links for pages that are written without SQLite.
    let large = CrashScenario(name: "portions") {
      _ = try $0.library("Library.sqlite", LibraryBuilder(tracks: .many(6000)))
    }
    let prepared = try PreparedScene(CrashScenario.all.first { $0.name == name } ?? large, injector)
    let trial = try Trial(prepared, injector)
    let variables = ["KINDS": "read,write", "CALL": "1", "ACTION": "short", "LASTING": "1"]
    let result = try trial.command(variables).run()
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("struck "))
    #expect(try Inspection(trial.folder, prepared).requireFinished("it") == [])
  }

  @Test func `A failing lock call is not reported as another program's lock`() throws {
    let injector = try #require(FaultInjector.shared)
    let prepared = try PreparedScene(try #require(CrashScenario.all.first { $0.name == "log" }), injector)
    let count = try #require(prepared.callCounts[.lock])
    // SQLite retries for seconds.
    for call in stride(from: 4, through: count, by: count / 3) {
      let variables = ["KINDS": "lock", "CALL": "\(call)", "ACTION": "\(EIO)", "LASTING": "1"]
      let trial = try Trial(prepared, injector)
      let result = try trial.command(variables).run()
      #expect([0, 74].contains(result.status), "call \(call): \(result)")
      #expect(!Self.otherReasons.contains { result.stderr.contains($0) }, "call \(call): \(result)")
    }
  }

  /// Runs the command repeatedly.
  ///
  /// Each time, another call fails once: each of them, or one of `step`.
  private func forEachFailure(
    _ kinds: String, _ variables: [String: String] = [:], step: Int = 1, make: (TemporaryFolder) throws -> String,
    check: (_ result: CommandResult, _ folder: TemporaryFolder, _ call: Int) throws -> Void
  ) throws {
    let injector = try #require(FaultInjector.shared)
    let count = try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try make(folder)
      let strike = ["KINDS": kinds, "CALL": "\(1 + (call - 1) * step)", "ACTION": "\(EIO)"].merging(variables) { $1 }
      let command = CommandRunner([library], environment: injector.environment(root: folder.path, strike))
      let result = try command.run()
      guard result.stderr.contains("struck ") else { return nil }
      try check(result, folder, call)
      return result
    }
    #expect(count > 3)
  }

  @Test(arguments: [[:], ["DENY": "\(EPERM)"]])
  func `A disk error leaves the statistics of an earlier run unchanged`(variables: [String: String]) throws {
    var failures = 0
    try forEachFailure("name,sync,look", variables, step: Rounds.areMany ? 3 : 11) { folder in
      try Files.write("{}", to: folder.file("Library.sqlite.migration.json"))
      return try folder.library()
    } check: { result, folder, call in
      let names = try folder.listing()
      let mayBeLeft = result.stderr.contains("struck unlink")
      #expect(mayBeLeft || !names.contains { $0.hasSuffix(".earlier") }, "call \(call): \(result)")
      guard result.status != 0 else { return }
      failures += 1
      let statistics = try Files.text(folder.file("Library.sqlite.migration.json"))
      #expect(statistics == "{}", "call \(call): \(result)")
    }
    #expect(failures > 3)
  }

  @Test func `A disk error leaves no foreign journal beside a library`() throws {
    var failures = 0
    try forEachFailure("name", ["ONLY": "unlink"]) { folder in
      try folder.write([UInt8](repeating: 0, count: 512), to: "Library.sqlite-journal")
      return try folder.library()
    } check: { result, folder, call in
      let names = try folder.listing()
      if result.status != 0 { failures += 1 }
      #expect(result.status != 0 || !names.contains("Library.sqlite-journal"), "call \(call): \(result)")
    }
    #expect(failures > 0)
  }

  @Test(arguments: [false, true])
  func `A failed write to the old file is repeated, or the run warns about it`(isLasting: Bool) throws {
    let injector = try #require(FaultInjector.shared)
    let prepared = try PreparedScene(try #require(CrashScenario.all.first { $0.name == "no leases" }), injector)
    let trial = try Trial(prepared, injector)
    var command = trial.command([
      "KINDS": "write", "CALL": "\(try #require(prepared.callCounts[.write]))", "ACTION": "\(EIO)",
      "LASTING": isLasting ? "1" : "0",
    ])
    command.arguments.append("--quiet")
    let result = try command.run()
    #expect(result.status == 0, "\(result)")
    let warning = "Library.sqlite' is in place, but its old file could not be made unusable: Input/output error. "
    #expect(result.stderr.contains("struck pwrite"))
    #expect(result.stderr.contains(warning) == isLasting, "\(result)")
    #expect(try Inspection(trial.folder, prepared).requireFinished("it") == [])
  }

  @Test func `An unconfirmed rename is a warning`() throws {
    let injector = try #require(FaultInjector.shared)
    let prepared = try PreparedScene(try #require(CrashScenario.all.first { $0.name == "journal" }), injector)
    let trial = try Trial(prepared, injector)
    let result = try trial.command([
      "KINDS": "sync", "CALL": "\(try #require(prepared.callCounts[.sync]))", "ACTION": "\(EIO)", "LASTING": "1",
    ]).run()
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("' is in place, but the disk does not confirm that it stays there: Input/output"))
  }

  @Test func `A write-ahead log that cannot be removed is reported`() throws {
    let injector = try #require(FaultInjector.shared)
    var isTold = false
    // Other calls come first, such as those that look for the remains of a dead run.
    for call in 1...30 where !isTold {
      let folder = try TemporaryFolder()
      let library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: 2))
      let variables = ["KINDS": "name", "ONLY": "unlink", "CALL": "\(call)", "ACTION": "\(EIO)", "LASTING": "1"]
      let command = CommandRunner([library], environment: injector.environment(root: folder.path, variables))
      let result = try command.run()
      guard result.status != 0 else { break }
      #expect(result.status == 74, "\(result)")
      isTold = result.stderr.contains("failed: its write-ahead log cannot be removed. No data was changed.")
      try successfully(library, "--quiet")
      #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    }
    #expect(isTold)
  }
}

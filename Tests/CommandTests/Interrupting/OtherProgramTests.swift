import Foundation
import SQLiteDatabase
import TestSupport
import Testing

/// Stops a command before each of its calls in turn and lets another program do its work there.
@Suite(
  "Another program that arrives during a command",
  .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct OtherProgramTests {
  @Test(arguments: [false, true])
  func `A run that waited for the lock does not undo another run`(hasOutput: Bool) throws {
    let count = try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      let target = hasOutput ? folder.file("New.sqlite") : library
      let words = [library, "--quiet"] + (hasOutput ? ["--output", target] : [])
      var other: Int32?
      let result = try CommandRunner(words).run(stoppedAt: call, of: [.lock], in: folder) {
        other = try CommandRunner(words).run().status
      }
      guard let result else { return nil }
      // The second run finds the lock or the result of the first.
      #expect([0, 75].contains(other), "call \(call)")
      #expect([0, 75, hasOutput ? 73 : 0].contains(result.status), "call \(call): \(result)")
      #expect(other == 0 || result.status == 0, "call \(call): \(result)")
      #expect(try Database.isWhole(target), "call \(call): \(result)")
      #expect(try Rows.migrated(target) == [TrackRow].fewMigrated, "call \(call): \(result)")
      #expect(try !folder.listing().contains { $0.contains(".tracks-migrate") }, "call \(call): \(result)")
      return result
    }
    #expect(count > 5)
  }

  /// Both connections must read the same state of the library: one computes from it and the other copies it.
  ///
  /// The state is fixed once the result has its first page. Each commit changes the library's first page, so a
  /// connection that has begun to read must continue, and that is when the next commit comes.
  @Test(arguments: 0..<6)
  func `The copied and the computed data come from the same state despite commits`(start: Int) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.library("Library.sqlite", [TrackRow(title: "0", artistName: "0")])
    let app = try Connection(path: library, access: .readWrite)
    try app.execute("PRAGMA journal_mode = WAL")
    var stops = 0, commits = 0
    let result = try CommandRunner([library, "--output", folder.file("New.sqlite")]).run(
      stoppedAt: 1, of: [.read], in: folder, isLasting: true
    ) {
      let size = try? Files.status(folder.file(".New.sqlite.tracks-migrate"))[1]
      guard let size, size != "0" else { return }
      stops += 1
      guard stops > start, commits < 4 else { return }
      do {
        try app.execute(
          """
          BEGIN; CREATE TABLE grown\(stops) (a); UPDATE ZTRACK SET ZTITLE = '\(stops)', ZARTISTNAME = '\(stops)'; COMMIT
          """)
        commits += 1
      } catch let error as SQLiteError where [SQLiteError.protocolViolation, SQLiteError.busy].contains(error.code) {
        // Another thread of the stopped command holds a lock of the log that it would give up within a moment.
        try? app.execute("ROLLBACK")
      }
    }
    #expect(commits > 0)
    #expect(result?.status == 0, "\(String(describing: result))")
    let rows = try Database.rows(
      """
      SELECT ZTITLE, ZNAME FROM ZTRACK, Z_1TRACKS, ZARTIST
      WHERE Z_2TRACKS = ZTRACK.Z_PK AND Z_1ARTISTS = ZARTIST.Z_PK
      """, in: folder.file("New.sqlite"))
    let parts = try #require(rows.first?.split(separator: "|"))
    #expect(rows.count == 1 && parts.count == 2 && parts[0] == parts[1], "\(rows)")
  }

  @Test func `A program that opens a library with a checkpointed log learns that no data was changed`() throws {
    var foldedCount = 0
    try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: 2))
      var descriptor: Int32 = -1
      defer { close(descriptor) }
      let result = try CommandRunner([library, "--wait", "0"]).run(stoppedAt: call, of: [.lock, .sync], in: folder) {
        descriptor = open(library, O_RDWR | O_NONBLOCK)
      }
      guard let result, result.status != 0 else { return result }
      #expect(result.status == 75, "call \(call): \(result)")
      guard try Files.bytes(library)[18] == 1 else { return result }
      foldedCount += 1
      #expect(result.stderr.contains("No data was changed."), "call \(call): \(result)")
      return result
    }
    #expect(foldedCount > 0)
  }

  @Test(arguments: [["info"], ["--output", "New.sqlite"], ["--dry-run"]])
  func `A log that another program leaves during a read stays, and no other log appears`(words: [String]) throws {
    let alone = try TemporaryFolder(isInMemory: true)
    try Database.run("PRAGMA journal_mode = WAL", in: try alone.library())
    try #require(try CommandRunner(words + ["Library.sqlite"], folder: alone.path).run().status == 0)
    #expect(try alone.listing().filter { $0.hasPrefix("Library.sqlite") } == ["Library.sqlite"])
    var changes = 0
    let count = try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      try Database.run("PRAGMA journal_mode = WAL", in: library)
      var isBusy = false
      let result = try CommandRunner(words + [library], folder: folder.path).run(
        stoppedAt: 2 * call, of: [.read], in: folder
      ) {
        let app = try Connection(path: library, access: .readWrite)
        app.keepWriteAheadLogOnClose()
        do {
          try app.execute("UPDATE ZTRACK SET ZTITLE = 'theirs'")
        } catch let error as SQLiteError where [SQLiteError.protocolViolation, SQLiteError.busy].contains(error.code) {
          // Another thread of the stopped command holds a lock of the log that it would give up within a moment.
          isBusy = true
        }
        try app.close()
      }
      guard let result else { return nil }
      #expect([0, 75].contains(result.status), "call \(call): \(result)")
      guard !isBusy else { return result }
      changes += 1
      #expect(
        try Database.rows("SELECT DISTINCT ZTITLE FROM ZTRACK", in: library) == ["theirs"], "call \(call): \(result)")
      return result
    }
    #expect(count > 3 && changes > 2)
  }
}

import Foundation
import SQLite
import TestSupport
import Testing

/// A command is stopped in front of each of its calls in turn, and another program does its work there.
@Suite(
  "Another program that comes while a command is at work",
  .enabled(if: !Sanitizer.isOn && Striker.shared != nil, "needs a C compiler"))
struct OtherProgramTests {
  @Test(arguments: [false, true])
  func `another run is not undone by one that waited for its lock`(hasOutput: Bool) throws {
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
      // Whoever comes second finds the other's lock, or its result.
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

  @Test func `what is copied and what is computed are of the same state, whoever commits meanwhile`() throws {
    for call in stride(from: 1, through: 40, by: 3) {
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library("Library.sqlite", [TrackRow(title: "0", artistName: "0")])
      // Room to grow: each commit changes the first page, which is then read anew.
      let app = try Connection(path: library, access: .readWrite)
      try app.execute("PRAGMA journal_mode = WAL; CREATE TABLE grown (a)")
      var commits = 0
      let result = try CommandRunner([library, "--output", folder.file("New.sqlite")]).run(
        stoppedAt: call, of: [.lock, .read], in: folder, isLasting: true
      ) {
        guard commits < 12 else { return }
        commits += 1
        try app.execute(
          "BEGIN; CREATE TABLE grown\(commits) (a); UPDATE ZTRACK SET ZTITLE = '\(commits)', ZARTISTNAME = '\(commits)'; COMMIT"
        )
      }
      guard let result else { continue }
      #expect(result.status == 0, "call \(call): \(result)")
      let rows = try Database.rows(
        "SELECT ZTITLE, ZNAME FROM ZTRACK, Z_1TRACKS, ZARTIST WHERE Z_2TRACKS = ZTRACK.Z_PK AND Z_1ARTISTS = ZARTIST.Z_PK",
        in: folder.file("New.sqlite"))
      let parts = try #require(rows.first?.split(separator: "|"))
      #expect(rows.count == 1 && parts.count == 2 && parts[0] == parts[1], "call \(call): \(rows)")
    }
  }

  @Test(arguments: [["info"], ["--output", "New.sqlite"], ["--dry-run"]])
  func `a log that somebody leaves while the library is read is left`(words: [String]) throws {
    let count = try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      try Database.run("PRAGMA journal_mode = WAL", in: library)
      let result = try CommandRunner(words + [library], folder: folder.path).run(
        stoppedAt: 2 * call, of: [.read], in: folder
      ) {
        let app = try Connection(path: library, access: .readWrite)
        app.keepWriteAheadLogOnClose()
        try app.execute("UPDATE ZTRACK SET ZTITLE = 'theirs'")
        try app.close()
      }
      guard let result else { return nil }
      #expect([0, 75].contains(result.status), "call \(call): \(result)")
      #expect(
        try Database.rows("SELECT DISTINCT ZTITLE FROM ZTRACK", in: library) == ["theirs"], "call \(call): \(result)")
      return result
    }
    #expect(count > 3)
  }
}

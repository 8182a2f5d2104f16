import Foundation
import TestSupport
import Testing

@Suite(
  "A disk that fails for good", .enabled(if: !Sanitizer.isOn && Striker.shared != nil, "needs a C compiler"))
struct DiskErrorTests {
  /// What it is not.
  private static let otherReasons = [
    "damaged", "not a SQLite database", "another program", "another migration", "ermissions", "no file", "no folder",
    "no backup", "cannot be",
  ]

  @Test(arguments: ["journal", "log", "output", "restore", "app"], [Strike.Kind.read, .look, .open])
  func `is told as what it is, and not as damage or another program's doing`(name: String, kind: Strike.Kind) throws {
    let striker = try #require(Striker.shared)
    let prepared = try PreparedScene(try #require(Scene.all.first { $0.name == name }), striker)
    let count = try #require(prepared.callCounts[kind])
    #expect(count > 5)
    for call in stride(from: 1, through: count, by: count > 60 ? 5 : 1) {
      let variables = ["KINDS": kind.rawValue, "CALL": "\(call)", "ACTION": "\(EIO)", "LASTING": "1"]
      let trial = try Trial(prepared, striker)
      let result = try trial.command(variables).run()
      // What fails at the very end, where only what is left over is looked for, does no harm.
      if result.status == 0 { continue }
      #expect(result.status == 74, "call \(call): \(result)")
      #expect(!Self.otherReasons.contains { result.stderr.contains($0) }, "call \(call): \(result)")
      #expect(result.stderr.contains("Check the disk, then run the command again."), "call \(call)")
    }
  }

  @Test func `cannot remove a log either, which is told`() throws {
    let striker = try #require(Striker.shared)
    var isTold = false
    // Others, such as those of what a dead run may have left, come first.
    for call in 1...30 where !isTold {
      let folder = try TemporaryFolder()
      let library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: 2))
      let variables = ["KINDS": "name", "ONLY": "unlink", "CALL": "\(call)", "ACTION": "\(EIO)", "LASTING": "1"]
      let command = CommandRunner([library], environment: striker.environment(root: folder.path, variables))
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

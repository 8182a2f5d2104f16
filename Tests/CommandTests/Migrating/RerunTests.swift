import Foundation
import TestSupport
import Testing

@Suite("A library that is already current")
struct RerunTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try successfully(library)
  }

  @Test(arguments: [[], ["--strict"], ["--no-backup"], ["--identity", "id"], ["--verbose"]])
  func `A current library is left alone down to its bytes and times`(options: [String]) throws {
    let before = try folder.snapshot()
    let result = try CommandRunner([library] + options).run()
    #expect(result.status == 0)
    #expect(result.stdout == "")
    #expect(result.stderr.contains("'\(library)' is a v2 library already; nothing to do.\n"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A quiet run says nothing about a current library`() throws {
    let result = try successfully(library, "--quiet")
    #expect(result.stderr == "")
  }

  @Test func `A current library in write-ahead log mode is left alone too`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let before = try folder.snapshot()
    try successfully(library)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A current library is left alone and no output is made`() throws {
    let before = try folder.snapshot()
    let result = try successfully(library, "--output", folder.file("New.sqlite"))
    #expect(result.stderr.contains("already"))
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [
    ("DROP TABLE ZARTIST", "no table 'ZARTIST'"),
    ("ALTER TABLE ZARTIST DROP COLUMN ZIMAGEURL", "no column 'ZIMAGEURL'"),
    ("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", "lacks the index 'Z_1TRACKS_Z_2TRACKS_INDEX'"),
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'track' WHERE Z_NAME = 'Track'", "has 'track' as the name of 'Track'"),
    ("UPDATE Z_PRIMARYKEY SET Z_ENT = 7 WHERE Z_NAME = 'Track'", "rows of the entity 2"),
    ("UPDATE ZTRACK SET Z_ENT = 9 WHERE Z_PK = (SELECT max(Z_PK) FROM ZTRACK)", "rows of the entity 9"),
  ])
  func `A library of the current version whose tables do not fit its model is never called current`(
    change: String, found: String
  ) throws {
    let feed = folder.file("feed.ndjson")
    try Files.write(Array(#"{"title":"new","artists":["new"]}"#.utf8), to: feed)
    let model = ModelFixture.tracks
    let options = [["--quiet"], ["--verbose"], ["--dry-run"], ["--dry-run", "--model", model], ["--model", model]]
    try Database.run(change, in: library)
    let before = try folder.snapshot()
    let commands =
      options.map { [library] + $0 }
      + [[library, "--output", folder.file("New.sqlite")], ["models", "explain", library, model]]
      // What else does not fit keeps no import from adding rows.
      + (change.hasPrefix("UPDATE") ? [["import", feed, library], ["import", feed, library, "--dry-run"]] : [])
    for command in commands {
      let result = try CommandRunner(command).run()
      #expect(result.status == 65, "\(command)")
      #expect(result.stderr.contains(found), "\(result)")
      #expect(!"\(result.stdout)\(result.stderr)".contains("nothing to do"), "\(result)")
    }
    for command in [["batch", library], ["batch", library, "--model", model]] {
      let result = try CommandRunner(command).run()
      #expect(result.status == 1)
      #expect(result.stdout.contains(#""error_code":"damaged""#) && result.stdout.contains(found), "\(result)")
    }
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [
    (
      "CREATE TRIGGER x BEFORE INSERT ON ZTRACK BEGIN SELECT RAISE(ABORT, 'no'); END",
      "the trigger 'x' can refuse changes of 'ZTRACK'"
    ), ("UPDATE ZTRACK SET Z_PK = -5 WHERE Z_PK = 1", "the table 'ZTRACK' in '"),
  ])
  func `What may be in the app's way in a current library is named`(change: String, found: String) throws {
    try Database.run(change, in: library)
    let (model, feed) = (ModelFixture.tracks, folder.file("feed.ndjson"))
    try Files.write(Array(#"{"title":"new","artists":["new"]}"#.utf8), to: feed)
    let commands = [
      [library], [library, "--dry-run"], [library, "--model", model], [library, "--model", model, "--dry-run"],
      [library, "--model", model, "--dry-run", "--strict"], ["models", "explain", library, model],
      ["import", feed, library, "--dry-run"],
    ]
    for command in commands {
      let result = try successfully(command)
      #expect(result.stderr.components(separatedBy: "warning: \(found)").count == 2, "\(command): \(result)")
    }
    #expect(try successfully("batch", library).stdout.contains("\"warnings\":[\"\(found)"))
    #expect(try successfully(library, "--quiet").stderr == "")
    #expect(try successfully("import", feed, library).stderr.contains("warning: \(found)"))
  }

  @Test func `A result of an earlier batch without all of its tables is not called current`() throws {
    let old = try folder.library("Old.sqlite")
    let batch = ["batch", "Old.sqlite", "--output-dir", "out"]
    #expect(try CommandRunner(batch, folder: folder.path).run().status == 0)
    try Database.run("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", in: folder.file("out/Old.sqlite"))
    let result = try CommandRunner(batch, folder: folder.path).run()
    #expect(result.status == 1)
    #expect(result.stdout.contains("lacks the index 'Z_1TRACKS_Z_2TRACKS_INDEX'"), "\(result)")
    #expect(try Database.isWhole(old))
  }
}

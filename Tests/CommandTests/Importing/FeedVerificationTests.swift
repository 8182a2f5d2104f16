import Foundation
import TestSupport
import Testing

@Suite("The verification of an import")
struct FeedVerificationTests {
  private let folder: TemporaryFolder
  private var library: String { folder.file("L.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private static let feed = [
    #"{"title":"A","imageURL":"i","lastPlayedAt":"2024-05-01T12:30:00.25+02:00","artistName":"Ann"}"#,
    #"{"title":"B","json":{"artists":[{"name":"Bob","id":7,"imageURL":"b"},{"name":"Ann","id":1}]}}"#,
    "[1]",
    #"{"type":"track","id":1,"title":"Dee","duration":1,"rank":2,"artist":{"name":"Cat","id":2},"album":{"cover":"c"}}"#,
    #"{"artist":{"name":"Alone"}}"#,
    #"{"title":"C","json":"{\"artists\":","artistName":"Bob"}"#,
  ]

  private func write(_ lines: [String], to name: String = "feed.ndjson") throws -> String {
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: name)
  }

  private func verified(_ feed: String, _ more: String...) throws -> CommandResult {
    try CommandRunner(["verify", library, "--feed", feed] + more).run()
  }

  @Test func `A library that was made with replaced tracks is verified with the option of the import`() throws {
    let first = try write([#"{"key":1,"title":"A","artist":"X"}"#, #"{"key":2,"title":"B","artist":"Y"}"#])
    try successfully("import", first, library)
    let second = try write([#"{"key":1,"title":"Other","artist":"X"}"#], to: "second.ndjson")
    try successfully("import", second, library, "--replace")
    let backup = library + ".v2-backup"
    #expect(try verified(second, "--replace", "--source", backup).status == 0)
    // Without the library before, its rows are too many; the message names it.
    let result = try verified(second, "--replace")
    let hint = "If the feed was added to a library, name that library with: --source '\(backup)'"
    #expect(result.status == 3 && result.stderr.contains(hint), "\(result)")
    #expect(try !verified(first, "--source", backup).stderr.contains("--source"))
    for words in [["--replace"], ["--feed", second, "--replace", "--new-keys"]] {
      #expect(try CommandRunner(["verify", library] + words).run().status == 64)
    }
  }

  @Test func `Import and verification refuse a line of more than 512 MiB alike`() throws {
    let folder = try TemporaryFolder()
    let library = folder.file("L.sqlite")
    try Files.write(#"{"title": "A"}"# + "\n", to: folder.file("feed.ndjson"))
    try successfully("import", folder.file("feed.ndjson"), library)
    let script = "head -c 600000000 /dev/zero | tr '\\0' a | gzip -1 > bomb.gz"
    #expect(try CommandRunner.shell(script, in: folder.path).run().status == 0)
    for words in [["import", "bomb.gz", "New.sqlite"], ["verify", "L.sqlite", "--feed", "bomb.gz"]] {
      let result = try CommandRunner(words, folder: folder.path).run()
      #expect(result.status == 65 && result.stderr.contains("line 1 is longer than 512 MiB"), "\(result)")
    }
  }

  @Test(
    arguments: [
      "UPDATE ZTRACK SET ZTITLE = 'x' WHERE Z_PK = 2", "UPDATE ZTRACK SET ZIMAGEURL = NULL WHERE Z_PK = 1",
      "UPDATE ZTRACK SET ZLASTPLAYEDAT = ZLASTPLAYEDAT + 0.25 WHERE Z_PK = 1",
      "UPDATE ZTRACK SET Z_ENT = 1 WHERE Z_PK = 1", "UPDATE ZTRACK SET Z_PK = 9 WHERE Z_PK = 4",
      "UPDATE ZARTIST SET ZNAME = 'x' WHERE Z_PK = 2", "UPDATE ZARTIST SET ZID = NULL WHERE Z_PK = 1",
      "UPDATE ZARTIST SET ZIMAGEURL = 'x' WHERE Z_PK = 2", "DELETE FROM ZARTIST WHERE ZNAME = 'Alone'",
      "DELETE FROM Z_1TRACKS WHERE rowid = 1", "INSERT INTO Z_1TRACKS VALUES (4, 1)",
      "INSERT INTO Z_1TRACKS VALUES (4, 99)", "DELETE FROM ZTRACK WHERE Z_PK = 4",
      "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT) VALUES (99, 2, 1)",
      "INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (99, 1, 1, 'Ann')",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1", "CREATE TABLE other (a)", "DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX",
    ])
  func `Every change of an imported library is noticed`(change: String) throws {
    let feed = try write(Self.feed)
    try successfully("import", feed, library, "--verify")
    #expect(try verified(feed).status == 0)
    try Database.run(change, in: library)
    let result = try verified(feed)
    #expect(result.status == 3, "\(result)")
    #expect(result.stderr.contains("does not match '\(feed)'"))
  }

  @Test func `A changed, missing or additional reject is noticed`() throws {
    let feed = try write(Self.feed)
    try successfully("import", feed, library)
    let rejects = library + ".rejects.ndjson"
    let lines = try Files.text(rejects).split(separator: "\n").map(String.init)
    #expect(lines.count == 2)
    for changed in [[lines[0]], lines + [lines[0]], [lines[0].replacing("[1]", with: "[2]"), lines[1]]] {
      try Files.write(changed.map { $0 + "\n" }.joined(), to: rejects)
      #expect(try verified(feed).status == 3)
    }
  }

  @Test func `The greatest keys that there are can be imported and verified`() throws {
    let greatest = Int64.max
    let feed = try write([
      #"{"key":\#(greatest),"title":"T","artists":[{"key":\#(greatest),"name":"A"}]}"#
    ])
    try successfully("import", feed, library, "--verify")
    #expect(try Database.rows("SELECT Z_PK FROM ZTRACK", in: library) == ["\(greatest)"])
    #expect(try verified(feed).status == 0)
  }

  @Test func `An import into a library is compared with the library before it`() throws {
    let first = try write(Self.feed)
    try successfully("import", first, library)
    let second = try write(
      [
        #"{"key":2,"title":"B2","artists":["Ann","New"]}"#, #"{"title":"Z","artists":[{"name":"Bob","id":8}]}"#,
        #"{"key":4,"title":"C","artists":["Bob"]}"#,
      ], to: "second.ndjson")
    try successfully("import", second, library, "--replace", "--verify")
    let backup = library + ".v2-backup"
    #expect(try verified(second, "--source", backup).status == 0)
    #expect(try verified(second).status == 3)
    for change in [
      "UPDATE ZTRACK SET ZTITLE = 'x' WHERE Z_PK = 1", "DELETE FROM Z_1TRACKS WHERE Z_2TRACKS = 3",
      "UPDATE ZARTIST SET ZID = 'x' WHERE ZNAME = 'Bob'", "DELETE FROM ZTRACK WHERE Z_PK = 3",
    ] {
      let copy = folder.file("Copy.sqlite")
      Files.remove(copy)
      try Files.copy(library, to: copy)
      try Database.run(change, in: copy)
      let result = try CommandRunner(["verify", copy, "--feed", second, "--source", backup]).run()
      #expect(result.status == 3, "\(change): \(result)")
    }
  }

  @Test func `A feed that cannot be read twice is refused`() throws {
    let result = try CommandRunner(["import", "-", library, "--verify"]).run()
    #expect(result.status == 64)
    #expect(result.stderr.contains("'--verify' reads the feed twice"))
    let missing = try verified(folder.file("nosuch"))
    #expect(missing.status == 66, "\(missing)")
  }
}

import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Adding a feed to a library")
struct FeedAddingTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = folder.file("Library.sqlite")
    try successfully("sample", "600", library, "--odd")
    try successfully(library, "--quiet", "--no-backup", "--force")
    try Database.run(
      """
      UPDATE ZTRACK SET Z_OPT = Z_PK % 7;
      DELETE FROM ZTRACK WHERE Z_PK = 600;
      DELETE FROM Z_1TRACKS WHERE Z_2TRACKS = 600;
      CREATE TABLE MINE (x); INSERT INTO MINE VALUES ('kept');
      INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT max(Z_PK) + 1, 1, 3, 'Lacks details' FROM ZARTIST;
      """, in: library)
  }

  private func add(_ lines: String..., options: [String] = []) throws -> CommandResult {
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    return try CommandRunner(["import", feed, library] + options).run()
  }

  @Test func `Links to missing rows do not lead to new ones`() throws {
    let artist = try #require(Int(try Database.value("SELECT max(Z_PK) + 1 FROM ZARTIST", in: library) ?? ""))
    try Database.run("INSERT INTO Z_1TRACKS VALUES (\(artist), 5); INSERT INTO Z_1TRACKS VALUES (1, 601)", in: library)
    let result = try add(#"{"title":"New","artists":["Brand new"]}"#, options: ["--verify"])
    #expect(result.status == 0, "\(result)")
    let links =
      "SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS WHERE Z_1ARTISTS >= \(artist) OR Z_2TRACKS >= 601 ORDER BY 1"
    #expect(try Database.rows(links, in: library) == ["1|601", "\(artist)|5", "\(artist + 1)|602"])
  }

  @Test func `A feed that is imported twice is noticed, and with a match adds nothing`() throws {
    let lines = [
      #"{"title":"One","artists":["A","B"],"lastPlayedAt":"2020-01-01T00:00:00Z"}"#,
      #"{"title":"One","artists":["B"]}"#,
      #"{"title":"Two","artists":["A"]}"#, #"{"artists":["A"],"lastPlayedAt":"2020-01-01T00:00:00Z"}"#,
      #"{"title":"","artists":["A"]}"#,
    ]
    func add(_ lines: [String], _ options: String...) throws -> CommandResult {
      let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
      return try CommandRunner(["import", feed, library, "--verify"] + options).run()
    }
    let first = try add(lines)
    #expect(first.status == 0 && !first.stderr.contains("imported before"), "\(first)")
    let count = "SELECT count(*) FROM ZTRACK"
    let before = try Database.value(count, in: library)
    // Titles match byte for byte, and artists as a set; a line without a title is always new.
    let others = [
      #"{"title":"One","artists":["B","A","B"]}"#, #"{"title":"one","artists":["B"]}"#,
      #"{"title":"Two","artists":["A","C"]}"#,
    ]
    let matched = try add(lines + others, "--match", "title-and-artists")
    #expect(matched.status == 0 && matched.stderr.contains("Already there: 5 tracks."), "\(matched)")
    #expect(try Database.rows("SELECT \(before ?? "") + 3 = (\(count))", in: library) == ["1"])
    let again = try add(lines)
    #expect(again.status == 0 && again.stderr.contains("this feed was imported before on 20"), "\(again)")
    #expect(again.stderr.contains("5 tracks of it are added once more"))
    let verified = try CommandRunner([
      "verify", library, "--feed", folder.file("feed.ndjson"), "--source", library + ".v2-backup-3", "--match",
      "title-and-artists",
    ]).run()
    #expect(verified.status == 3, "\(verified)")
  }

  /// By names, a line cannot tell artists of one name apart.
  @Test func `A match of tracks by artists of one name finds those of each`() throws {
    let folder = try TemporaryFolder()
    let lines = ["1", "2"].map { #"{"title":"T\#($0)","artists":[{"name":"Same","id":"\#($0)"}]}"# }
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    let library = folder.file("L.sqlite")
    let byID = ["--identity", "id", "--json", "v1"]
    try successfully(["import", feed, library] + byID)
    for options in [[], byID] {
      let added = try CommandRunner(
        ["import", feed, library, "--verify", "--match", "title-and-artists"] + options
      ).run()
      #expect(added.status == 0 && added.stderr.contains("Already there: 2 tracks."), "\(added)")
    }
    // Another artist of the same name is one by ids.
    let other = try folder.write(Array(lines[1].replacing("T2", with: "T1").utf8), to: "other.ndjson")
    let added = try CommandRunner(
      ["import", other, library, "--verify", "--match", "title-and-artists"] + byID
    ).run()
    #expect(added.status == 0 && added.stderr.contains("Added 1 track and 0 artists"), "\(added)")
  }

  @Test(arguments: [
    (#"{"key":9001,"title":"New","artists":["Brand new"]}"#, "Z_1TRACKS VALUES (1, 9001)", "track 9001"),
    (#"{"title":"New","artists":[{"key":9001,"name":"Brand new"}]}"#, "Z_1TRACKS VALUES (9001, 5)", "artist 9001"),
  ])
  func `A key that links to a missing row name is refused`(line: String, link: String, row: String) throws {
    try Database.run("INSERT INTO \(link)", in: library)
    for options in [[], ["--replace"]] {
      let refused = try add(line, options: options)
      #expect(
        refused.status == 65 && refused.stderr.contains("the library has no \(row), but links to it"), "\(refused)")
    }
    let added = try add(line, options: ["--new-keys", "--verify"])
    #expect(added.status == 0, "\(added)")
    let links = "FROM Z_1TRACKS WHERE 9001 IN (Z_1ARTISTS, Z_2TRACKS)"
    #expect(try Database.value("SELECT count(*) \(links)", in: library) == "1")
    try Database.run("DELETE \(links)", in: library)
    let more = try add(line, options: ["--replace", "--verify"])
    #expect(more.status == 0, "\(more)")
  }

  @Test(arguments: ["0", "-1", "1.5", #""x""#, "9223372036854775808"])
  func `A line with a key that no artist has is a reject, and creates no artist`(key: String) throws {
    let result = try add(
      #"{"title":"New","artists":[{"name":"Brand new"},{"key":\#(key),"name":"Other"}]}"#,
      #"{"title":"Other","artists":["Third"]}"#, options: ["--verify"])
    #expect(result.status == 0 && result.stderr.contains("line 1: a value of another type"), "\(result)")
    #expect(try Database.value("SELECT count(*) FROM ZARTIST WHERE ZNAME = 'Brand new'", in: library) == "0")
  }

  @Test func `Rows of the library keep their bytes, and new ones get greater keys`() throws {
    let (tracks, rest) = (try Rows.tracks(library), try Rows.migrated(library))
    let uuid = try Database.value("SELECT Z_UUID FROM Z_METADATA", in: library)
    let result = try add(
      #"{"title":"New 1","artists":[{"name":"Lacks details","id":"late","imageURL":"i"},"Brand new"]}"#,
      #"{"title":"New 2","artistName":"Lacks details"}"#)
    #expect(result.status == 0 && result.stderr.hasPrefix("Added 2 tracks and 1 artist to"), "\(result)")
    #expect(try Array(Rows.tracks(library).prefix(599)) == tracks)
    // The key of the deleted track is not used again.
    #expect(try Database.rows("SELECT Z_PK FROM ZTRACK WHERE Z_PK > 599", in: library) == ["601", "602"])
    let artists = """
      SELECT a.ZNAME, a.ZID, a.ZIMAGEURL FROM Z_1TRACKS l JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS
      WHERE Z_2TRACKS = 601 ORDER BY a.Z_PK
      """
    #expect(
      try Database.rows(artists, in: library)
        == Database.rows("SELECT 'Lacks details', 'late', 'i' UNION ALL SELECT 'Brand new', NULL, NULL", in: library))
    let now = try Set(Rows.migrated(library))
    #expect(rest.count { !now.contains($0) } == 1, "only the artist that lacked details changed")
    #expect(try Database.value("SELECT x FROM MINE", in: library) == "kept")
    #expect(try Database.value("SELECT Z_UUID FROM Z_METADATA", in: library) == uuid)
    #expect(try Database.isWhole(library))
    let backup = library + ".v2-backup"
    #expect(try Rows.tracks(backup) == tracks && Rows.migrated(backup) == rest)
    try successfully("restore", library)
    #expect(try Rows.tracks(library) == tracks && Rows.migrated(library) == rest)
  }

  @Test func `A known key with other values is an error unless it is to be replaced`() throws {
    let known = try #require(successfully("export", library).lines.first)
    let changed = #"{"key":1,"title":"Changed","artists":["Brand new"]}"#
    let before = try folder.snapshot()
    let refused = try add(known, changed)
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.stderr.contains("line 2: track 1 exists with other values. Nothing was changed."), "\(refused)")
    Files.remove(folder.file("feed.ndjson"))
    #expect(try folder.snapshot() == before)

    let replaced = try add(changed, changed, options: ["--replace", "--no-backup"])
    #expect(replaced.status == 0 && replaced.stderr.contains("Replaced: 1 track."), "\(replaced)")
    #expect(try Files.text(library + ".rejects-2.ndjson").contains(#"{"line":2,"reason":"repeated_key""#))
    let line = try #require(successfully("export", library).lines.first)
    #expect(line.hasPrefix(#"{"key":1,"title":"Changed","artists":[{"key":"#))
    #expect(line.hasSuffix(#","name":"Brand new"}]}"#))
    #expect(try Database.isWhole(library))

    let count = try Rows.tracks(library).count
    try #require(add(known, changed, options: ["--new-keys", "--no-backup"]).status == 0)
    #expect(try Rows.tracks(library).count == count + 2)
  }

  @Test func `An artist of a known key must be the same`() throws {
    let line = #"{"title":"New","artists":[{"key":1,"name":"Somebody else"}]}"#
    let refused = try add(line)
    #expect(refused.stderr.contains("line 1: artist 1 exists with another name, id or image"), "\(refused)")
    try #require(add(line, options: ["--replace"]).status == 0)
    #expect(try Database.value("SELECT ZNAME FROM ZARTIST WHERE Z_PK = 1", in: library) == "Somebody else")
  }

  @Test func `A replaced artist is found by its new name, and no longer by the old one`() throws {
    let name = try #require(try Database.value("SELECT ZNAME FROM ZARTIST WHERE Z_PK = 1", in: library))
    let artists = try Database.rows("SELECT ZNAME FROM ZARTIST", in: library)
    let result = try add(
      #"{"title":"A","artists":[{"key":1,"name":"Somebody else"}]}"#,
      #"{"title":"B","artists":[{"name":"Somebody else","id":"new"}]}"#,
      #"{"title":"C","artists":[{"name":"\#(name)","id":"old"}]}"#, options: ["--replace", "--verify"])
    #expect(result.status == 0, "\(result)")
    #expect(try Database.value("SELECT ZID FROM ZARTIST WHERE Z_PK = 1", in: library) == "new")
    #expect(try Database.value("SELECT ZID FROM ZARTIST WHERE ZNAME = '\(name)'", in: library) == "old")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: library).count == artists.count + 1)
  }

  @Test func `Ids identify artists of a library only if their service is known`() throws {
    let line = #"{"title":"New","artists":[{"name":"Other name","id":"1"}]}"#
    let refused = try add(line, options: ["--identity", "id"])
    #expect(refused.status == 65 && refused.stderr.contains("which service its artists' ids are from"), "\(refused)")
    #expect(try add(line, options: ["--identity", "id", "--json", "deezer"]).status == 0)
  }

  @Test func `A library in use is not changed`() throws {
    let before = try Rows.tracks(library)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let result = try add(#"{"title":"New"}"#)
    try connection.execute("ROLLBACK")
    #expect(result.status == 75, "\(result)")
    #expect(try Rows.tracks(library) == before)
  }

  @Test(arguments: 0..<12)
  func `A killed import leaves the whole old or new library`(number: Int) throws {
    let before = (try Rows.tracks(library), try Rows.migrated(library))
    let line = #"{"title":"New","artists":["Ann","Bob"]}"#
    let feed = try folder.write(Array(repeatElement(line + "\n", count: 5000).joined().utf8), to: "feed.ndjson")
    var generator = SeededGenerator(seed: 7 &+ UInt64(number))
    let isNew = number.isMultiple(of: 2)
    let target = isNew ? folder.file("New.sqlite") : library
    let command = try CommandRunner(["import", feed, target]).start()
    usleep(UInt32.random(in: 0..<700_000, using: &generator))
    command.send(SIGKILL)
    _ = try command.finish()
    if isNew {
      let isThere = try folder.listing().contains("New.sqlite")
      if isThere { #expect(try Rows.tracks(target).count == 5000) }
      try successfully("import", isThere ? "/dev/null" : feed, target)
    } else {
      let isOld = try Rows.tracks(library).count == 599
      if isOld {
        #expect(try Rows.tracks(library) == before.0 && Rows.migrated(library) == before.1)
      }
      try successfully("import", isOld ? feed : "/dev/null", target)
    }
    #expect(try Database.isWhole(target))
    #expect(try Rows.tracks(target).count == (isNew ? 5000 : 5599))
    // Nothing hidden is left by the next run.
    #expect(try folder.listing().filter { $0.contains("tracks-migrate") } == [])
  }
}

import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Decisions about artists")
struct ArtistDecisionTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("Library.sqlite") }
  private var decisions: String { folder.file("decisions.tsv") }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: ["name", "id"])
  func `A migration carries decisions out, and is verified with them`(identity: String) throws {
    try write([
      ("Fallback", #"{"artists":[{"name":"beatles","id":9,"imageURL":"x"},{"name":"Drop","id":8}]}"#),
      ("Fallback", #"{"artists":[{"name":"The Beatles","id":1,"imageURL":"y"}]}"#),
      ("Fallback", #"{"artists":[{"name":"A & B","id":3}]}"#), ("Drop", #"{"artists":[{"name":"Drop"}]}"#),
      ("A & B", nil), ("Old", #"{"artists":[{"name":"Old","id":4,"imageURL":"z"},{"name":"Kept"}]}"#),
      ("X", #"{"artists":[{"name":"X","id":5},{"name":"X","id":6}]}"#), ("Fine", #"{"artists":[{"name":""},"Drop"]}"#),
    ])
    try decide(
      "merge\tbeatles\t\tThe Beatles\t1", "ignore\tDrop", "split\tA & B\t\tA | C", "rename\tC\t\tB",
      "rename\tOld\t\tNew",
      "keep\tKept", "rename\tX\t6\tX (6)", "?\tThe Beatles\t\tBeatles")
    try successfully(
      "migrate", path, "--decisions", decisions, "--identity", identity, "--verify", "--quiet")
    #expect(
      try artists(path) == [
        "The Beatles|1|y", "A|NULL|NULL", "B|NULL|NULL", "New|4|z", "Kept|NULL|NULL", "X|5|NULL", "X (6)|6|NULL",
        "Fine|NULL|NULL",
      ])
    let report = try report()
    #expect(
      report["decisions_applied_count_by_kind"] as? [String: Int] == [
        "merge": 1, "ignore": 4, "split": 2, "rename": 4, "keep": 1,
      ])
    #expect((report["decisions"] as? [String])?.count == 7)
    #expect(report["fallback_tracks_count_by_reason"] as? [String: Int] == ["ignored_artists": 2, "no_json": 1])
    #expect(report["tracks_without_artist_count"] as? Int == 1)
    Files.remove(decisions)
    try successfully("verify", path)
    // Without its decisions, the result is not what a migration makes.
    try decide("keep\tKept")
    #expect(try CommandRunner(["verify", path, "--decisions", decisions]).run().status == 3)
  }

  @Test func `A line about an artist that no track mentions changes nothing`() throws {
    try write([("A", nil)])
    try decide("keep\tA", "merge\tNosuch\t\tA", "rename\tA\t5\tB")
    let result = try CommandRunner(["migrate", path, "--decisions", decisions]).run()
    #expect(result.status == 65)
    #expect(result.stderr.contains("line 3 (merge 'Nosuch'), line 4 (rename 'A' with id '5')"), "\(result.stderr)")
    #expect(try folder.listing() == ["Library.sqlite", "decisions.tsv"])
  }

  @Test func `A line that keeps an artist who is not there refuses nothing`() throws {
    try write([("A", nil)])
    try decide("keep\tNosuch", "rename\tA\t\tB")
    try successfully("migrate", path, "--decisions", decisions, "-q")
    try decide("keep\tNosuch", "rename\tB\t\tC")
    try successfully("artists", "apply", path, decisions, "-q")
    #expect(try successfully("artists", path, "--format", "csv", "--fields", "name").stdout == "name\nC\n")
  }

  @Test func `A file that cannot be used is refused`() throws {
    try write([("A", nil)])
    try decide("merge\tA\t\tA")
    let result = try CommandRunner(["migrate", path, "--decisions", decisions]).run()
    #expect(result.status == 64)
    #expect(result.stderr.contains("cannot be used: line 2 (merge 'A') leads back to the same artist."))
    #expect(try CommandRunner(["migrate", path, "--decisions", "nosuch"]).run().status == 64)
    for option in ["--decisions", "--json"] {
      let folder = try CommandRunner(["migrate", path, option, "/tmp"]).run()
      #expect(folder.status == 66)
      #expect(folder.stderr.hasPrefix("tracks-migrate: error: '/tmp' "), "\(folder.stderr)")
    }
  }

  @Test func `A dry run counts names that look joined`() throws {
    try write([("A & B", nil), ("A, B", nil), ("A feat. B", nil), ("A&B", nil), ("Andy", nil)])
    let text = try successfully("migrate", path, "--dry-run").stdout
    #expect(text.contains("joined names               3  artists that may be several, such as \"A & B\""), "\(text)")
  }

  // MARK: - Review

  private static let header = "decision\tartist\tid\tinto\tinto_id\ttracks\tevidence"

  private func writeReviewed() throws {
    let names: [(String, Int?)] = [
      ("Beyoncé", 1), ("Beyoncé", 1), ("Beyoncé", 1), ("BEYONCE", 2), ("Be\u{301}yonce", nil), ("Queen B", 1), ("X", 5),
      ("X", 5), ("X", 6), ("X & queen b", nil), ("X & Y", nil),
    ]
    try write(
      names.map { name, id in
        let member = id.map { #","id":\#($0)"# } ?? ""
        return ("", #"{"artists":[{"name":"\#(name)"\#(member)}]}"#)
      })
  }

  @Test func `A review lists what to decide, and takes decisions over`() throws {
    try writeReviewed()
    let difference = "differs from 'Beyoncé' (3 tracks) in"
    let lines = [
      "?\tBEYONCE\t\tBeyoncé\t1\t1\t\(difference) case and accents only",
      "?\tBe\u{301}yonce\t\tBeyoncé\t1\t1\t\(difference) accents only",
      "?\tQueen B\t\tBeyoncé\t1\t1\tsame id '1' as 'Beyoncé' (3 tracks)",
      "?\tX\t6\tX\t5\t1\tsame name; id '5' is 'X' (2 tracks)",
      "?\tX & queen b\t\tX | Queen B\t5 | 1\t1\tartists elsewhere: 'X' (3 tracks), 'Queen B' (1 track)",
    ]
    try successfully("artists", "review", path, "--output", decisions)
    let text = try Files.text(decisions)
    #expect(Set(text.split(separator: "\n").map(String.init)) == Set([Self.header] + lines))
    #expect(text == (try successfully("artists", "review", path).stdout))
    #expect(try folder.listing() == ["Library.sqlite", "decisions.tsv"])
    // What is decided stays, and is not listed again.
    #expect(try CommandRunner(["artists", "review", path, "--output", decisions]).run().status == 64)
    let decided = text.replacing("?\tQueen", with: "merge\tQueen").replacing("?\tX\t", with: "keep\tX\t")
    try Files.write(decided, to: decisions)
    try successfully("artists", "review", path, "--output", decisions, "--decisions", decisions)
    let again = try Files.text(decisions).split(separator: "\n").map(String.init)
    #expect(again.count == 6)
    let kept = "keep\tX\t6\t\t\t1\tsame name; id '5' is 'X' (2 tracks)"
    #expect(again[1...2].sorted() == [kept, "merge" + lines[2].dropFirst()])
    // A file as the review has written it can be used.
    try Files.write(text.replacing("?\t", with: "merge\t").replacing("merge\tX &", with: "split\tX &"), to: decisions)
    try successfully("migrate", path, "--decisions", decisions, "--verify", "--quiet")
    #expect(try artists(path).map { $0.replacing("|NULL", with: "") } == ["Beyoncé|1", "X|5", "X & Y"])
    #expect(try successfully("artists", "review", path).stdout == Self.header + "\n")
  }

  @Test(arguments: ["Ann\u{200B} Lee", "Ann  Lee", " Ann Lee", "Ann\u{A0}Lee", "\u{410}nn Lee"])
  func `The target of a review is the name without a mistake`(spoiled: String) throws {
    // The spoiled name comes first, and has as many tracks or more.
    try write([
      ("", #"{"artists":[{"name":"\#(spoiled)","id":1}]}"#), ("", #"{"artists":["\#(spoiled)","B"]}"#),
      ("", #"{"artists":[{"name":"Ann Lee","id":1},"Ann Lee & B"]}"#),
    ])
    let lines = try successfully("artists", "review", path).stdout.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasPrefix("?\t\(spoiled)\t\tAnn Lee\t1\t2\t") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("?\tAnn Lee & B\t\tAnn Lee | B\t1 | \t1\t") }, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("?\tAnn Lee\t") }, "\(lines)")
  }

  // MARK: - Apply

  @Test func `Decisions are carried out in a migrated library, which stays as a backup`() throws {
    try write([
      ("", #"{"artists":[{"name":"A","id":1},{"name":"a","id":2}]}"#), ("", #"{"artists":["a","B & C","B"]}"#),
      ("", #"{"artists":["Drop"]}"#), ("", #"{"artists":["Old","Fine"]}"#), ("", #"{"artists":["Older"]}"#),
    ])
    try successfully("migrate", path, "--quiet")
    let before = try Files.bytes(path)
    try decide(
      "merge\ta\t2\tA\t1", "split\tB & C\t\tB | C", "ignore\tDrop", "rename\tOld\t\tNew", "rename\tOlder\t\tFine",
      "keep\tFine", "?\tB\t\tb")
    let dryRun = try successfully("artists", "apply", path, decisions, "--dry-run").stdout
    #expect(
      dryRun == """
        'a' (id 2) became 'A' (id 1): 2 tracks
        'B & C' became 'B', 'C': 1 track
        'Drop' removed: 1 track
        'Old' renamed 'New': 1 track
        'Older' became 'Fine': 1 track
        Artists that changed: 5
        Tracks that lost their only artist: 1
        Lines without a decision: 1
        Nothing was changed.

        """)
    #expect(try Files.bytes(path) == before)
    try successfully("artists", "apply", path, decisions, "--quiet")
    #expect(
      try Database.rows("SELECT Z_PK, Z_OPT, ZNAME, ZID FROM ZARTIST ORDER BY Z_PK", in: path) == [
        "1|1|A|1", "4|1|B|NULL", "6|2|New|NULL", "7|1|Fine|NULL", "9|1|C|NULL",
      ])
    #expect(try Database.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Artist'", in: path) == ["9"])
    #expect(
      try Database.rows("SELECT * FROM Z_1TRACKS ORDER BY Z_2TRACKS, Z_1ARTISTS", in: path) == [
        "1|1", "1|2", "4|2", "9|2", "6|4", "7|4", "7|5",
      ])
    #expect(try Files.bytes(path + ".v2-backup") == before)
    #expect(try successfully("artists", path, "--fields", "name,tracks", "--format", "csv").stdout.contains("A,2"))
    #expect(!(try folder.listing()).contains { $0.hasPrefix(".") })
    // All is done, as after a run that was killed at its very end.
    let done = try folder.snapshot()
    for more in [[], ["--dry-run"], ["--no-backup"]] {
      let again = try successfully(["artists", "apply", path, decisions] + more)
      let text = again.stdout + again.stderr
      #expect(text.hasPrefix("The decisions are carried out already; nothing to do.\n"), "\(text)")
      #expect(try folder.snapshot() == done)
    }
    // Another decision about an artist that is gone is none that was carried out.
    let copy = try Files.bytes(decisions)
    try decide("merge\ta\t2\tB\t")
    let other = try CommandRunner(["artists", "apply", path, decisions]).run()
    #expect(other.status == 65)
    #expect(other.stderr.contains("line 2 (merge 'a' with id '2')"), "\(other.stderr)")
    try Files.write(copy, to: decisions)
    try successfully("restore", path, "--quiet")
    #expect(try Files.bytes(path) == before)
  }

  @Test func `A new artist gets no key that a link to a missing artist names`() throws {
    try write([("", #"{"artists":["A & B"]}"#), ("", #"{"artists":["C"]}"#)])
    try successfully("migrate", path, "--quiet")
    try Database.run("INSERT INTO Z_1TRACKS VALUES (7, 2)", in: path)
    try decide("split\tA & B\t\tA | B")
    try successfully("artists", "apply", path, decisions, "--quiet")
    #expect(
      try Database.rows("SELECT * FROM Z_1TRACKS ORDER BY Z_2TRACKS, Z_1ARTISTS", in: path) == [
        "8|1", "9|1", "2|2", "7|2",
      ])
  }

  @Test func `A decision that leads to one of several artists is refused`() throws {
    try write([("", #"{"artists":[{"name":"A","id":1},{"name":"A","id":2},{"name":"a"}]}"#)])
    try successfully("migrate", path, "--identity", "id", "--quiet")
    try decide("merge\ta\t\tA")
    let before = try Files.bytes(path)
    let result = try CommandRunner(["artists", "apply", path, decisions]).run()
    #expect(result.status == 65)
    #expect(result.stderr.contains("'A' has the ids 1, 2"), "\(result.stderr)")
    #expect(try Files.bytes(path) == before)
    try decide("merge\ta\t\tA\t2")
    try successfully("artists", "apply", path, decisions, "--quiet")
    #expect(try artists(path) == ["A|1|NULL", "A|2|NULL"])
  }

  /// Artists with their details, which decisions give to one of several.
  private static let details = [
    #"{"title":"1","artists":[{"name":"Old","id":"o","imageURL":"io"}]}"#,
    #"{"title":"2","artists":[{"name":"New","id":"n"}]}"#, #"{"title":"3","artists":["Plain"]}"#,
    #"{"title":"4","artists":[{"name":"Late","id":"l","imageURL":"il"}]}"#, #"{"title":"5","artists":["Old","New"]}"#,
  ]

  @Test(
    arguments: [
      (["rename\tOld\t\tNew"], "'Old' (id o) became 'New' (id o): 2 tracks; dropped: n"),
      (["rename\tNew\t\tOld"], "'New' (id n) became 'Old' (id o): 2 tracks; dropped: n"),
      (["rename\tOld\t\tPlain"], "'Old' (id o) became 'Plain' (id o): 2 tracks"),
      (["rename\tLate\t\tPlain"], "'Late' (id l) became 'Plain' (id l): 1 track"),
      (["rename\tLate\t\tNew"], "'Late' (id l) became 'New' (id n): 1 track; dropped: l"),
      (["rename\tPlain\t\tNew"], "'Plain' became 'New' (id n): 1 track"),
      (["rename\tNew\t\tX", "rename\tLate\t\tX"], "'Late' (id l) became 'X' (id n): 1 track; dropped: l"),
      (["rename\tPlain\t\tX", "merge\tLate\t\tX"], "'Late' (id l) became 'X': 1 track"),
      (["rename\tLate\t\tX", "merge\tOld\t\tX"], "'Late' (id l) became 'X' (id l): 1 track"),
      (["merge\tOld\t\tPlain\tp"], "'Old' (id o) became 'Plain' (id p): 2 tracks"),
      (["merge\tOld\t\tNew\tn"], "'Old' (id o) became 'New' (id n): 2 tracks"),
    ])
  func `A library that is changed has what an import with the decisions has`(lines: [String], line: String) throws {
    let feed = folder.file("feed.ndjson")
    try Files.write(Self.details.joined(separator: "\n"), to: feed)
    try Files.write((["decision\tartist\tid\tinto\tinto_id"] + lines).joined(separator: "\n") + "\n", to: decisions)
    let imported = folder.file("Imported.sqlite")
    try successfully("import", feed, imported, "--decisions", decisions, "--quiet")
    try successfully("import", feed, path, "--quiet")
    let applied = try successfully("artists", "apply", path, decisions)
    #expect(applied.stderr.split(separator: "\n").contains { $0 == line }, "\(applied)")
    func rows(_ path: String) throws -> [String] {
      let fields = "name,id,imageURL,tracks"
      let words = ["artists", path, "--fields", fields, "--sort", fields, "--format", "csv"]
      return try successfully(words).stdout.split(whereSeparator: \.isNewline).map(String.init)
    }
    #expect(try rows(path) == rows(imported))
  }

  @Test func `An id that the artist in a decision does not have is refused`() throws {
    let feed = folder.file("feed.ndjson")
    try Files.write(Self.details.joined(separator: "\n"), to: feed)
    try successfully("import", feed, path, "--quiet")
    let before = try Files.bytes(path)
    for options in [[], ["--dry-run"]] {
      try decide("merge\tOld\t\tNew\tnope")
      let result = try CommandRunner(["artists", "apply", path, decisions] + options).run()
      #expect(result.status == 65)
      let problem = "line 2 (merge 'Old'): 'New' has the id 'n', and not 'nope'. Nothing was changed."
      #expect(result.stderr.contains(problem), "\(result)")
      #expect(try Files.bytes(path) == before)
    }
    // The nearest name is no question at the end of a sentence.
    try decide("merge\tPlian\t\tNew")
    let unknown = try CommandRunner(["artists", "apply", path, decisions]).run()
    #expect(unknown.stderr.contains("(merge 'Plian'): the nearest name is 'Plain'. Nothing was changed."), "\(unknown)")
  }

  @Test func `A library that is in use or of the old version is not changed`() throws {
    try write([("A", nil)])
    try decide("rename\tA\t\tB")
    #expect(try CommandRunner(["artists", "apply", path, decisions]).run().status == 65)
    try successfully("migrate", path, "--quiet")
    let before = try Files.bytes(path)
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    #expect(try CommandRunner(["artists", "apply", path, decisions]).run().status == 75)
    #expect(try Files.bytes(path) == before)
  }

  @Test(arguments: ["name", "id"])
  func `A joined name is split only if there is an id for each of its parts`(identity: String) throws {
    func listen(_ name: String, _ ids: String) -> (String, String?) {
      let artists = ##""artist_name":"\##(name)","additional_info":{"artist_mbids":[\##(ids)]}"##
      return ("None", ##"{"track_metadata":{"track_name":"T",\##(artists)}}"##)
    }
    try write([
      listen("A, B & C", #""1","2","3""#), listen("A & B", #""4""#), listen("Tyler, The Creator & B", #""5","2""#),
      listen("D feat. B", #""6","2""#), listen("E & F", #""7","","8""#), listen("G", #""9","10""#),
    ])
    let copy = folder.file("Copy.sqlite")
    try Files.copy(path, to: copy)
    try successfully("migrate", path, "--split-by-ids", "--identity", identity, "--verify", "--quiet")
    #expect(
      try artists(path) == [
        "A|1|NULL", "B|2|NULL", "C|3|NULL", "A & B|4|NULL", "Tyler, The Creator & B|NULL|NULL", "D|6|NULL",
        "E & F|NULL|NULL", "G|NULL|NULL",
      ])
    #expect(try report()["split_names_count"] as? Int == 2)
    try successfully("verify", path)
    try successfully("migrate", copy, "--quiet")
    #expect(try artists(copy).count == 6)
    #expect(try CommandRunner(["verify", copy, "--split-by-ids"]).run().status == 3)
  }

  @Test func `An import carries decisions out`() throws {
    let feed = folder.file("feed.ndjson")
    try Files.write(
      #"{"title":"1","artists":[{"name":"B","key":7},{"name":"Drop"}]}"# + "\n"
        + #"{"title":"2","artists":[{"name":"A","key":3,"id":"x"}]}"# + "\n"
        + #"{"title":"3","artistName":"Drop"}"# + "\n", to: feed)
    try decide("merge\tB\t\tA", "ignore\tDrop")
    try successfully("import", feed, path, "--decisions", decisions)
    #expect(try artists(path) == ["A|x|NULL"])
    #expect(try Database.rows("SELECT count(*) FROM Z_1TRACKS", in: path) == ["2"])
    try decide("ignore\tNobody")
    let result = try CommandRunner(["import", feed, folder.file("New.sqlite"), "--decisions", decisions]).run()
    #expect(result.status == 65)
    #expect(result.stderr.contains("line 2 (ignore 'Nobody')"))
    #expect(!Files.exists(folder.file("New.sqlite")))
  }

  @Test func `A library whose tables lead past rows is neither changed nor exported`() throws {
    try write((1...300).map { ("\($0)", nil) })
    try successfully("migrate", path, "--no-backup", "--quiet")
    let more = "FROM ZARTIST a, ZARTIST b"
    try LostWrite.make(
      in: path, ofRootOf: "ZTRACK", during: "INSERT INTO ZTRACK (Z_ENT, Z_OPT, ZTITLE) SELECT 2, 1, a.ZNAME \(more)")
    try decide("rename\t7\t\tSeven")
    let before = try folder.snapshot()
    for arguments in [
      ["artists", "apply", path, decisions], ["export", path, "--output", folder.file("feed.ndjson")],
      ["export", path, "--entity", "Track", "--output", folder.file("rows.ndjson")],
    ] {
      let result = try CommandRunner(arguments).run()
      #expect(result.status == 65)
      #expect(result.stderr.contains("rows may be missing"), "\(result.stderr)")
      #expect(try folder.snapshot() == before)
    }
  }

  // MARK: - Libraries

  private func write(_ tracks: [(artistName: String, json: String?)]) throws {
    let rows = zip(Int64(1)..., tracks).map { key, track in
      TestSupport.TrackRow(key, artistName: .text(track.artistName), json: track.json.map { .text($0) } ?? .null)
    }
    try TrackLibraryBuilder(rows).write(to: path)
  }

  private func decide(_ lines: String...) throws {
    try Files.write((["decision\tartist\tid\tinto\tinto_id"] + lines).joined(separator: "\n") + "\n", to: decisions)
  }

  private func artists(_ path: String) throws -> [String] {
    try Database.rows("SELECT ZNAME, ZID, ZIMAGEURL FROM ZARTIST ORDER BY Z_PK", in: path)
  }

  private func report() throws -> [String: Any] {
    let data = Data(try Files.bytes(path + ".migration.json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}

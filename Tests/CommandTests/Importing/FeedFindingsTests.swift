import Foundation
import TestSupport
import Testing

@Suite("What an import counts, as a migration does")
struct FeedFindingsTests {
  private let folder: TemporaryFolder
  private var library: String { folder.file("L.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// A document with artists, and what is counted of it.
  struct Odd: Sendable, CustomTestStringConvertible {
    let artists: String
    let counts: [String: Int]
    var options: [String] = []
    var isRefused = false

    var testDescription: String { String(artists.prefix(60)) }
  }

  private static let long = String(repeating: "x", count: 1 << 20) + "x"

  static let odd = [
    Odd(
      artists: #"["X",5,{"id":"7"},null,{"name":""}]"#, counts: ["nameless_artists_count": 4], isRefused: true),
    Odd(artists: #"[{"name":"X","id":"\#(long)"}]"#, counts: ["long_values_count": 1], isRefused: true),
    Odd(
      artists: #"[{"name":"X","id":"\#(long)","imageURL":"\#(long)"},"Y"]"#, counts: ["long_values_count": 2],
      isRefused: true),
    Odd(artists: #"[{"name":"X","name":"Y"}]"#, counts: ["duplicate_keys_count": 1]),
    Odd(artists: #"["X",{"name":"X","id":"1"}]"#, counts: ["late_details_count": 1]),
    Odd(artists: #"[{"name":"X","id":"1"},{"name":"X","id":"2"}]"#, counts: ["name_conflicts_count": 1]),
    Odd(artists: #"[{"name":"X","id":"1"},{"name":"Y","id":"1"}]"#, counts: ["id_conflicts_count": 1]),
    Odd(
      artists: #"[{"name":"X","id":"1"},{"name":"Y","id":"1"}]"#, counts: ["id_conflicts_count": 1],
      options: ["--identity", "id"]),
    Odd(
      artists: #"[{"name":"X","imageURL":"a"},{"name":"X","imageURL":"b"}]"#, counts: ["image_conflicts_count": 1]),
  ]

  private static let counters = [
    "nameless_artists_count", "long_values_count", "duplicate_keys_count", "late_details_count",
    "name_conflicts_count", "id_conflicts_count", "image_conflicts_count",
  ]

  private func counts(_ path: String) throws -> [String: Int] {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(Files.bytes(path))) as? [String: Any])
    return Dictionary(
      uniqueKeysWithValues: Self.counters.compactMap { name in (object[name] as? Int).map { (name, $0) } }
    )
    .filter { $0.value > 0 }
  }

  @Test(arguments: odd, 0..<3)
  func `The same document gives the same counts, however it is read`(odd: Odd, way: Int) throws {
    let document = #"{"artists":\#(odd.artists)}"#
    let stats = folder.file("stats.json")
    let command: [String]
    if way == 0 {
      try successfully("sample", "1", library)
      try Database.run("UPDATE ZTRACK SET ZJSON = '\(document)'", in: library)
      command = ["migrate", library]
    } else {
      let line = way == 1 ? #"{"title":"T","artists":\#(odd.artists)}"# : #"{"title":"T","json":\#(document)}"#
      command = ["import", try folder.write(Array(line.utf8), to: "feed.ndjson"), library]
    }
    let options = odd.options + ["--stats", stats]
    let refused = try CommandRunner(command + options + ["--strict", "--verify"]).run()
    #expect(refused.status == (odd.isRefused ? 65 : 0), "\(refused)")
    if odd.isRefused {
      let result = try CommandRunner(command + options + ["--verify"]).run()
      #expect(result.status == 0, "\(result)")
      // The document is kept.
      #expect(try Files.text(library + ".rejects.ndjson").contains("X"))
    }
    #expect(try counts(stats) == odd.counts)
  }

  @Test(arguments: [#"{"Title":"T","Artist":{"x":1}}"#, #"{"title":"T","artist_name":{"x":1}}"#], [false, true])
  func `An object without a name in place of an artist is counted and kept`(document: String, migrates: Bool) throws {
    let stats = folder.file("stats.json")
    if migrates {
      try successfully("sample", "1", library)
      try Database.run("UPDATE ZTRACK SET ZJSON = '\(document)'", in: library)
      try successfully("migrate", library, "--stats", stats, "--verify")
    } else {
      let feed = try folder.write(Array(document.utf8), to: "feed.ndjson")
      try successfully("import", feed, library, "--stats", stats, "--verify")
    }
    #expect(try counts(stats) == ["nameless_artists_count": 1])
    #expect(try Files.text(library + ".rejects.ndjson").contains("no_usable_artist"))
  }

  @Test func `A line that may be a track is rejected with the way to take it`() throws {
    let feed = try folder.write(Array(#"{"title":"T","artist":"A","year":1959}"#.utf8), to: "feed.ndjson")
    let result = try CommandRunner(["import", feed, library]).run()
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("nothing that only a track has; the preset 'any-title' takes it"), "\(result)")
    #expect(result.stderr.contains("If its lines are tracks, read them with --json any-title."), "\(result)")
    try successfully("import", feed, library, "--json", "any-title", "--verify")
    #expect(try Database.rows("SELECT ZTITLE FROM ZTRACK", in: library) == ["T"])
  }

  @Test func `Counts are printed with a migration's words`() throws {
    let feed = try folder.write(
      Array(#"{"title":"T","artists":["A",5,{"name":"B","id":"1"},{"name":"B","id":"2"}]}"#.utf8), to: "feed.ndjson")
    let result = try CommandRunner(["import", feed, library]).run()
    #expect(result.stderr.contains("1  artists in the JSON without a name, passed over"), "\(result)")
    #expect(result.stderr.contains("1  names with several ids"), "\(result)")
  }

  @Test(arguments: [false, true], [[], ["--jobs", "2"]])
  func `A dry run says what an import would do, and changes nothing`(exists: Bool, options: [String]) throws {
    if exists { try successfully("import", try folder.write([], to: "none.ndjson"), library) }
    let lines = #"{"title":"T","artists":["A",5]}"# + "\n" + #"{"title":"U","json":[1]}"# + "\nbroken\n"
    let feed = try folder.write(Array(lines.utf8), to: "feed.ndjson")
    let before = try folder.snapshot()
    let text = try successfully(["import", feed, library, "--dry-run", "--verify"] + options).stdout
    #expect(try folder.snapshot() == before)
    #expect(
      text.contains(exists ? "Tried out: would add 2 tracks and 1 artist to" : "Tried out: would make"), "\(text)")
    #expect(text.contains("1  artists in the JSON without a name, passed over"), "\(text)")
    #expect(text.contains("1  tracks without an artistName either"), "\(text)")
    #expect(text.contains("Rejects would be: \(library).rejects.ndjson (2 lines"), "\(text)")
    #expect(text.hasSuffix("Nothing was changed.\n"))
    #expect(try tracksMigrate("import", feed, library, "--dry-run", "--strict").status == 65)
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [false, true])
  func `Rejects name the library that the user named`(exists: Bool) throws {
    if exists { try successfully("import", try folder.write([], to: "none.ndjson"), library) }
    let feed = try folder.write(Array("{\"title\":\"T\",\"artists\":[\"A\"]}\nbroken\n".utf8), to: "feed.ndjson")
    try successfully("import", feed, library)
    let line = try Files.text(library + ".rejects.ndjson")
    #expect(line.contains(#""library":"\#(library)""#), "\(line)")
    let uuid = try #require(try Database.value("SELECT Z_UUID FROM Z_METADATA", in: library))
    // That of a new library follows from the whole feed, which is not known when a line is rejected.
    #expect(line.contains(exists ? #""libraryUUID":"\#(uuid)""# : #""libraryUUID":null"#), "\(line)")
  }
}

import Foundation
import TestSupport
import Testing

/// Libraries from which another program has deleted rows without their links.
@Suite("Links of a library that lead to missing rows")
struct DanglingLinkTests {
  let folder: TemporaryFolder
  let library: String

  /// Five tracks: 1 and 2 are of "one", 3 is of "one" and "two", 4 of "two", and 5 of "three".
  init() throws {
    folder = try TemporaryFolder()
    let artists = [["one"], ["one"], ["one", "two"], ["two"], ["three"]]
    let tracks = artists.enumerated().map { number, names in
      TrackRow(
        title: "track \(number + 1)",
        json: .text(#"{"artists":[\#(names.map { #"{"name":"\#($0)","id":"id \#($0)"}"# }.joined(separator: ","))]}"#))
    }
    library = try folder.library("Library.sqlite", tracks)
    try successfully(library, "--quiet", "--no-backup")
  }

  private static let withoutArtist = "DELETE FROM ZARTIST WHERE ZNAME = 'one'"
  private static let withoutTracks = "DELETE FROM ZTRACK WHERE Z_PK IN (4, 5)"

  private func figures() throws -> [String: Any] {
    let result = try successfully("stats", library, "--format", "json")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    return try #require(json["library"] as? [String: Any])
  }

  private func lines(_ words: String...) throws -> [String] {
    try successfully(words + [library]).stdout.split(separator: "\n").map { String($0) }
  }

  @Test func `Statistics count the links that lead somewhere, and the others apart`() throws {
    #expect(try figures()["links_to_missing_rows_count"] == nil)
    try Database.run(Self.withoutArtist, in: library)
    var found = try figures()
    for (key, value) in [
      "artists_count": 2, "links_count": 3, "links_to_missing_rows_count": 3, "tracks_without_artist_count": 2,
      "artists_without_track_count": 0, "tracks_per_artist_maximum_count": 2, "artists_per_track_maximum_count": 1,
    ] {
      #expect(found[key] as? Int == value, "\(key)")
    }
    // Now the link of track 3 with "two" is the only one that leads somewhere.
    try Database.run(Self.withoutTracks, in: library)
    found = try figures()
    for (key, value) in [
      "tracks_count": 3, "links_count": 1, "links_to_missing_rows_count": 5, "tracks_without_artist_count": 2,
      "artists_without_track_count": 1,
    ] {
      #expect(found[key] as? Int == value, "\(key)")
    }
    let metrics = try successfully(["stats", library, "--format", "prometheus"]).stdout
    #expect(metrics.contains("tracks_migrate_library_links_to_missing_rows{"))
    #expect(metrics.contains(#"tracks_migrate_library_links{library="\#(library)"} 1"#), "\(metrics)")
  }

  @Test func `An export has the links that lead somewhere, and every artist`() throws {
    try Database.run("\(Self.withoutArtist); \(Self.withoutTracks)", in: library)
    #expect(try lines("export", "--what", "links") == [#"{"track":3,"artist":2}"#])
    let lines = try lines("export")
    #expect(lines.count == 4)
    // The only track of "three" is gone.
    #expect(lines.last == #"{"artist":{"key":3,"name":"three","id":"id three"}}"#)
    // What is exported makes a library that is whole.
    let (feed, copy) = (folder.file("feed.ndjson"), folder.file("Copy.sqlite"))
    try successfully("export", library, "--output", feed)
    try successfully("import", feed, copy, "--verify")
    #expect(try !successfully(["stats", copy]).stderr.contains("missing"))
  }

  @Test func `Artists have the tracks that are there`() throws {
    try Database.run(Self.withoutTracks, in: library)
    func list(_ words: String...) throws -> [String] {
      let options = ["--fields", "name,tracks", "--sort", "key", "--format", "csv"]
      let lines = try successfully(["artists", library] + options + words).stdout.split(whereSeparator: \.isNewline)
      return lines.dropFirst().map { String($0) }
    }
    #expect(try list() == ["one,3", "two,1", "three,0"])
    #expect(try list("--min-tracks", "1") == ["one,3", "two,1"])
    #expect(try list("--where", "tracks.@count > 1") == ["one,3"])
    let review = try successfully(["artist", library, "two", "--format", "json"]).stdout
    #expect(review.contains("track 3") && !review.contains("track 4"))
  }

  private static let commands: [[String]] = [
    ["stats"], ["stats", "--format", "json"], ["info"], ["info", "--format", "json"], ["artists"], ["tracks"],
    ["artist", "two"], ["export"], ["export", "--what", "links"], ["export", "--output", "out.ndjson"],
    ["export", "--entity", "Track"], ["query", "Artist"], ["report"], ["artists review"],
    ["diff", "Other.sqlite", "--entity", "Track"],
  ]

  private func run(_ words: [String]) throws -> CommandResult {
    let command = words[0].split(separator: " ").map { String($0) }
    return try CommandRunner(command + [library] + words.dropFirst(), folder: folder.path).run()
  }

  @Test func `Every command names the links, and how to remove them`() throws {
    try Files.copy(library, to: folder.file("Other.sqlite"))
    for words in Self.commands { #expect(try !run(words).stderr.contains("missing"), "\(words)") }
    let deletions = "\(Self.withoutArtist); \(Self.withoutTracks)"
    try Database.run(deletions, in: library)
    let counts = "5 links in '\(library)' lead to missing rows (3 to missing artists, 2 to missing tracks)"
    for words in Self.commands {
      let result = try run(words)
      #expect(result.status == (words[0] == "diff" ? 3 : 0), "\(words)")
      #expect(result.stderr.contains("warning: \(counts), and are not counted or shown."), "\(words): \(result.stderr)")
      #expect(result.stderr.components(separatedBy: "lead to missing rows").count == 2, "\(words)")
    }
    #expect(try run(["info", "--format", "json"]).stdout.contains(#""links_to_missing_rows_count":5"#))
    #expect(
      try String(decoding: Files.bytes("\(library).report.html"), as: UTF8.self).contains("Links to missing rows"))
    #expect(try run(["report", "--quiet"]).stderr == "")
    // The advice is a command for a shell, which ends with a statement.
    let advice = try #require(try run(["stats"]).stderr.components(separatedBy: "app and run: ").last)
    let statement = try #require(advice.split(separator: "'").last { $0.hasPrefix("DELETE") })
    try Database.run(String(statement), in: library)
    for words in Self.commands { #expect(try !run(words).stderr.contains("missing rows"), "\(words)") }
    #expect(try figures()["links_count"] as? Int == 1)
  }

  @Test(arguments: [
    // A link without a key, gaps between keys of rows that are there, and an end of the range.
    ("INSERT INTO Z_1TRACKS VALUES (NULL, 1)", 1), ("DELETE FROM ZTRACK WHERE Z_PK = 1", 1),
    ("INSERT INTO Z_1TRACKS VALUES (9, 1), (1, 9)", 2), ("INSERT INTO Z_1TRACKS VALUES ('x', 1)", 1),
    ("DELETE FROM ZTRACK WHERE Z_PK = 2; DELETE FROM Z_1TRACKS WHERE Z_2TRACKS = 2", 0),
    ("DELETE FROM ZARTIST WHERE Z_PK = 2; DELETE FROM Z_1TRACKS WHERE Z_1ARTISTS = 2", 0),
    ("DELETE FROM ZARTIST; DELETE FROM ZTRACK", 6), ("DELETE FROM Z_1TRACKS", 0),
  ])
  func `Links that lead nowhere are found wherever they are`(change: String, count: Int) throws {
    try Database.run(change, in: library)
    let found = try figures()
    #expect(found["links_to_missing_rows_count"] as? Int == (count == 0 ? nil : count))
    let links = try #require(Int64(try Database.rows("SELECT count(*) FROM Z_1TRACKS", in: library)[0]))
    #expect(found["links_count"] as? Int64 == links - Int64(count))
    #expect(try lines("export", "--what", "links").count == Int(links) - count)
  }

  @Test func `Decisions about artists keep the links to missing tracks`() throws {
    try Database.run(Self.withoutTracks, in: library)
    let decisions = folder.file("decisions.tsv")
    let columns = try successfully(["artists", "review", library]).stdout.split(separator: "\n")[0]
    try Files.write(Array("\(columns)\nmerge\ttwo\t\tone\t\t\t\n".utf8), to: decisions)
    let result = try successfully(["artists", "apply", library, decisions])
    #expect(
      try Database.rows("SELECT Z_2TRACKS FROM Z_1TRACKS WHERE Z_1ARTISTS = 1", in: library) == ["1", "2", "3", "4"])
    #expect(!result.stderr.contains("error"))
  }
}

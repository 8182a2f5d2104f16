import Foundation
import TestSupport
import Testing

@Suite("The --where option")
struct WhereTests {
  /// Returns the names or titles that satisfy a condition, in order.
  private func found(_ command: String, _ key: String, _ condition: String, _ options: String...) throws -> [String] {
    let words = [command, try MusicLibrary.path, "--where", condition, "--format", "json"] + options
    let result = try CommandRunner(words).run()
    #expect(result.status == 0, "\(result)")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    return rows.map { $0[key] as? String ?? "-" }
  }

  @Test(arguments: [
    // Conditions that SQLite evaluates.
    ("name == 'Björk'", ["Björk"]),
    ("name ==[cd] 'bjork'", ["Björk"]),
    ("name BEGINSWITH[cd] 'b' AND tracks.@count > 3", ["Björk"]),
    ("id IN {'ac', 'so'} OR name == nil", ["AC/DC", "Sigur Rós", "-"]),
    ("NOT name LIKE '*i*' AND tracks.@count == 2", ["AC/DC"]),
    ("ANY tracks.title CONTAINS[cd] 'agætis'", ["Björk", "Sigur Rós"]),
    ("ANY tracks.lastPlayedAt == CAST(300, 'NSDate')", ["Björk"]),
    ("tracks.@count == 0", ["Nobody's Artist"]),
    ("imageURL != nil", ["Björk"]),
    ("tracks.@max.lastPlayedAt < '2001-01-01T00:03:30Z'", ["AC/DC", "Sigur Rós"]),
    ("name == \"x' OR 1=1 --\"", []),
    // Conditions that are evaluated with objects.
    ("name MATCHES '[A-Z]+'", ["ROBYN"]),
    ("length(name) == 4", ["Twin", "Twin"]),
    (
      "SUBQUERY(tracks, $t, $t.artists.@count > 1).@count > 0",
      ["AC/DC", "Björk", #"Say "Hi", they said"#, "Sigur Rós"]
    ),
    ("SUBQUERY(tracks, $t, $t.lastPlayedAt > '2001-01-01T00:03:00Z').@count > 0", ["Björk", "Sigur Rós"]),
  ])
  func `A condition selects artists`(condition: String, expected: [String]) throws {
    #expect(try found("artists", "name", condition) == expected)
  }

  @Test(arguments: [
    ("artists.@count > 1", ["Ágætis byrjun", "Quoted"]),
    ("artists.@count == 0", ["Orphan"]),
    ("ANY artists.name == 'Björk' AND lastPlayedAt > CAST(150, 'NSDate')", ["Ágætis byrjun", "Army of Me"]),
    ("title == nil", ["-"]),
    ("lastPlayedAt < now()", ["Ágætis byrjun", "Army of Me", "Hyperballad", "Thunderstruck"]),
    ("ALL artists.name MATCHES 'r.*n'", ["Orphan", "Small", "-"]),
    // Dates, which SQLite compares, and for the conditions with a function the objects.
    ("lastPlayedAt > '2001-01-01T00:03:00Z'", ["Ágætis byrjun", "Army of Me"]),
    ("lastPlayedAt > '2001-01-01T01:04:00+01:00'", ["Army of Me"]),
    ("lastPlayedAt > '2001-01-01T00:03:00Z' AND length(title) > 10", ["Ágætis byrjun"]),
    ("lastPlayedAt BETWEEN {'2001-01-01', '2001-01-01 00:02'}", ["Hyperballad", "Thunderstruck"]),
    ("lastPlayedAt IN {'2001-01-01T00:05:00Z', '2001-01-01'}", ["Army of Me", "Thunderstruck"]),
    ("lastPlayedAt == CAST('2001-01-01T00:05:00Z', 'NSDate')", ["Army of Me"]),
    ("lastPlayedAt < now() - 86400 AND length(title) > 12", ["Ágætis byrjun", "Thunderstruck"]),
    ("lastPlayedAt > now() - 86400", []),
    ("lastPlayedAt < FUNCTION(now(), 'dateByAddingTimeInterval:', -86400) AND title LIKE 'H*'", ["Hyperballad"]),
    ("lastPlayedAt + 60 >= '2001-01-01T00:05:00Z'", ["Army of Me"]),
    ("lastPlayedAt - '2001-01-01' < 60", ["Thunderstruck"]),
    ("lastPlayedAt > '2001-01-01T00:06:00Z' - 120", ["Army of Me"]),
  ])
  func `A condition selects tracks`(condition: String, expected: [String]) throws {
    #expect(try found("tracks", "title", condition) == expected)
  }

  @Test(arguments: ["name != nil", "length(name) > 0"])
  func `A condition combines with the other options`(condition: String) throws {
    #expect(
      try found("artists", "name", condition, "--min-tracks", "2", "--sort", "tracks", "--limit", "1") == ["Björk"])
    #expect(try found("artists", "name", condition, "--limit", "0") == [])
    #expect(try found("artists", "name", condition, "--name", "robyn") == ["ROBYN", "robyn"])
  }

  /// SQLite's parser has a limit of its own, which no condition may reach.
  @Test(arguments: [
    "TERNARY(title == nil, X, 0)", "TERNARY(title == nil, 0, X)", "TERNARY(X == 1, 1, 0)", "TERNARY(X > 1, 1 + X, 0)",
    "(X + 1)", "(1 + X)", "(2 * (1 + X))", "(-X)", "abs(X)", "CAST(X, 'NSNumber')",
  ])
  func `takes conditions in conditions, however deep`(format: String) throws {
    for depth in format.contains("1 + X, 0") ? [1, 3, 5] : [1, 9, 12, 18, 20, 24, 40] {
      let value = (0..<depth).reduce("artists.@count") { value, _ in format.replacing("X", with: value) }
      _ = try found("tracks", "title", "\(value) == 7")
    }
  }

  @Test func `The place of a syntax error is shown`() throws {
    let result = try CommandRunner(["artists", try MusicLibrary.path, "--where", "name = = 1"]).run()
    #expect(result.status == 64)
    #expect(result.stdout == "")
    #expect(
      result.stderr.hasPrefix(
        """
        tracks-migrate: error: the value of '--where' is not a predicate: expected an expression, but found '=' (at byte 7)
          name = = 1
                 ^
        """))
  }

  @Test(arguments: ["tracks.title == 'x'", "ANY tracks.artists.name == 'x'", "tracks == 1"])
  func `A to-many relationship is not accepted as a single value`(condition: String) throws {
    let result = try CommandRunner(["artists", try MusicLibrary.path, "--where", condition]).run()
    #expect(result.status == 64, "\(result)")
    #expect(result.stderr.contains("write ANY, ALL or @count"))
  }

  /// A condition on tracks that is refused, and the end of the message.
  private static let refusals = [
    ("titel == 'x'", "the entity 'Track' has no attribute 'titel'. Did you mean 'title'?"),
    ("length(titel) == 1", "the entity 'Track' has no attribute 'titel'. Did you mean 'title'?"),
    ("ANY artists.nam == 'x'", "the entity 'Artist' has no attribute 'nam'. Did you mean 'name'?"),
    (
      "genre == 'Jazz'",
      "the entity 'Track' has no attribute 'genre'. Its attributes and relationships are artists, imageURL, lastPlayedAt, "
        + "title."
    ),
    ("title == Hyperballad", "the entity 'Track' has no attribute 'Hyperballad'. Text needs quotes: 'Hyperballad'."),
    ("artists.count > 1", "the entity 'Artist' has no attribute 'count'. Did you mean '@count'?"),
    (
      "lastPlayedAt > 'yesterday'",
      "'yesterday' is not a date. Write a date in quotes, such as '2023-01-31' or '2023-01-31T18:30:00+01:00', or as "
        + "now() - 86400, in seconds."
    ),
  ]

  @Test(arguments: refusals, ["tracks", "query"])
  func `What a condition names wrongly is told alike of tracks and of any store`(
    refusal: (condition: String, end: String), command: String
  ) throws {
    let path = try MusicLibrary.path
    let model = ["Track", "--model", SampleStore.data("Tracks/Tracks.xcdatamodeld")]
    let words = [command, path] + (command == "query" ? model : []) + ["--where", refusal.condition]
    let result = try CommandRunner(words).run()
    #expect(result.status == 64 && result.stdout == "", "\(result)")
    #expect(
      result.stderr == "tracks-migrate: error: the condition cannot be applied to '\(path)': \(refusal.end)\n",
      "\(result)")
  }

  @Test(arguments: ["title > 3", "title MATCHES '('", "FUNCTION(title, 'foo:') == 3", "artists.name.foo == 'x'"])
  func `A condition on any store that cannot be evaluated is wrong usage`(condition: String) throws {
    let model = SampleStore.data("Tracks/Tracks.xcdatamodeld")
    let words = ["query", try MusicLibrary.path, "Track", "--model", model, "--where", condition]
    let result = try CommandRunner(words).run()
    #expect(result.status == 64, "\(result)")
    #expect(result.stderr.contains("the condition cannot be applied to '"), "\(result)")
    #expect(!result.stderr.contains("mapping model"), "\(result)")
  }

  @Test(arguments: [
    ("name == Sigur Rós", "Text needs quotes: 'Sigur Rós'"),
    ("name == Sigur Rós AND id == nil", "Text needs quotes: 'Sigur Rós'"),
    ("name == Sigur  Rós  ", "Text needs quotes: 'Sigur Rós'"),
    ("name == Sigur Rós OR(id == nil)", "Text needs quotes: 'Sigur Rós'"),
    ("name == “Björk”", "Text stands in straight quotes: 'Björk' or \"Björk\""),
    ("name == 'O'Brien'", "Text with an apostrophe stands in double quotes: \"O'Brien\""),
    ("name IS NOT NULL", "A missing value is nil: write == nil or != nil."),
    ("name IN ('a', 'b')", "IN takes a list in braces: IN {'a', 'b'}"),
    ("id BETWEEN 'a' AND 'b'", "BETWEEN takes a list: BETWEEN {'2023-01-01', '2023-12-31'}"),
    ("tracks.@max.lastPlayedAt > 2023-01-31T18:30", "A date stands in quotes: '2023-01-31' or '2023-01-31T18:30:00'"),
    ("name == %@", "Placeholders are for code: write the value itself, text in quotes."),
    ("name == 'a';", "A condition has no ';' at its end."),
    ("", "Write a condition, such as: name == 'Björk'"),
  ])
  func `A condition that cannot be read gets a hint`(condition: String, hint: String) throws {
    let result = try CommandRunner(["artists", try MusicLibrary.path, "--where", condition]).run()
    #expect(result.status == 64, "\(result)")
    #expect(result.stderr.contains("^\n\(hint)\nUsage: "), "\(result)")
  }

  @Test(arguments: [("artists", 6), ("tracks", 6), ("query", 2)])
  func `The examples of --where in the help run as they stand`(command: String, count: Int) throws {
    let folder = try TemporaryFolder()
    try successfully("sample", "300", folder.file("Library.sqlite"), "--odd")
    try successfully(folder.file("Library.sqlite"), "--quiet")
    let model = "\(SampleStore.data("Notes/Notes.xcdatamodeld")):Notes 3"
    try successfully("fixture", "new", "--model", model, "--rows", "20", folder.file("App.sqlite"))
    let help = try successfully(["help"] + (command == "artists" ? ["artists", "list"] : [command])).stdout
    let examples = help.split(separator: "\n").filter { $0.contains(" --where '") }
      .map { $0.trimmingPrefix { $0 == " " } }
    #expect(examples.count >= count)
    for example in examples {
      let words = example.replacing(/^tracks-migrate/, with: "$TOOL")
      let result = try CommandRunner.shell("\(words) --format json", in: folder.path).run()
      #expect(result.status == 0 && result.stderr == "", "\(example): \(result)")
      #expect(result.stdout.hasPrefix("["), "\(example)")
    }
  }
}

import Foundation
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
    ("name == \"x' OR 1=1 --\"", []),
    // Conditions that are evaluated with objects.
    ("name MATCHES '[A-Z]+'", ["ROBYN"]),
    ("length(name) == 4", ["Twin", "Twin"]),
    (
      "SUBQUERY(tracks, $t, $t.artists.@count > 1).@count > 0",
      ["AC/DC", "Björk", #"Say "Hi", they said"#, "Sigur Rós"]
    ),
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

  @Test(arguments: ["nam == 1", "ANY tracks.artist.name == 1", "length(nam) == 1"])
  func `An unknown key is reported with the known keys`(condition: String) throws {
    let result = try CommandRunner(["artists", try MusicLibrary.path, "--where", condition]).run()
    #expect(result.status == 64)
    #expect(result.stderr.contains("has no key '"))
    #expect(result.stderr.contains("Artists have id, imageURL, name and tracks"))
  }
}

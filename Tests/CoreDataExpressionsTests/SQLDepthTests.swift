import CoreDataExpressions
import TestSupport
import Testing

@Suite("What the compiler nests, SQLite reads")
struct SQLDepthTests {
  @Test(
    arguments: [
      ("(rating = 1 OR (", "rating = 2", "))", ""), ("(rating = 1 AND NOT (", "rating = 2", "))", ""),
      ("TERNARY(rating = 1, 2, ", "3", ")", " = 4"), ("-(", "rating", ")", " = 1"), ("1 + (", "rating", ")", " > 1"),
      ("1 - (", "length", ")", " > 1"), ("NOT (rating = 1 AND (title = 'a' OR ", "rating = 2", "))", ""),
      ("SUBQUERY(artists, $x, ", "rating = 1", ").@count > 0", ""),
      ("SUBQUERY(album.tracks, $x, ANY $x.artists.name = title AND ", "rating = 1", ").@count > 0", ""),
      ("TERNARY(ANY artists.age = ", "1", ", 2, 3)", " = 2"),
      ("TERNARY(SUBQUERY(album.label.albums, $x, $x.label.name = title).@count = ", "1", ", 2, 3)", " = 2"),
    ])
  func `SQLite reads every condition up to the depth limit, and deeper ones are refused`(
    _ open: String, _ middle: String, _ close: String, _ end: String
  ) throws {
    var random = SeededGenerator(seed: 1)
    let database = try MusicDatabase(&random, texts: ["a"])
    var (accepted, refused) = (0, 0)
    for depth in 1...36 {
      let predicate = try Predicate(
        format: String(repeating: open, count: depth) + middle + String(repeating: close, count: depth) + end)
      guard let fragment = try? predicate.sql(on: MusicNaming.track, naming: MusicNaming()) else {
        refused += 1
        continue
      }
      accepted += 1
      _ = try database.tracks(where: fragment)
    }
    #expect(accepted > 1)
    #expect(refused > 0)
  }

  @Test func `Long chains are compiled to balanced SQL`() throws {
    var random = SeededGenerator(seed: 1)
    let database = try MusicDatabase(&random, texts: ["a"])
    for word in [" AND ", " OR "] {
      let format = (0..<5000).map { "rating \(word == " AND " ? "!=" : "==") \($0 + 10)" }.joined(separator: word)
      let fragment = try Predicate(format: format).sql(on: MusicNaming.track, naming: MusicNaming())
      #expect(try database.tracks(where: fragment).count == (word == " AND " ? 24 : 0))
    }
  }

  @Test(
    arguments: [
      "ANY artists.age = 1", "NONE artists.age = 1", "ALL album.tracks.rating = 5", "artists.@count > 1",
      "artists.@sum.age > 1", "SUBQUERY(artists, $x, $x.age = 1).@count > 0", "TERNARY(rating = 1, 2, 3) = 4",
      "-(rating) = 1", "rating + 1 > 2", "album.label.name = 'x'", "rating BETWEEN {1, 2}", "rating IN {1, nil}",
      "NOT (rating = 1 OR NOT (rating = 2 AND rating = 3))",
    ])
  func `Conditions side by side are no deeper than a single one`(_ part: String) throws {
    for word in [" AND ", " OR "] {
      let format = Array(repeating: part, count: 60).joined(separator: word)
      let fragment = try Predicate(format: format).sql(on: MusicNaming.track, naming: MusicNaming())
      #expect(!fragment.sql.isEmpty)
    }
  }
}

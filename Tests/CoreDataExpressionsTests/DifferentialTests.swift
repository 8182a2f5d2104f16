import CoreDataExpressions
import SQLiteDatabase
import TestSupport
import Testing

import class Foundation.ProcessInfo

@Suite("SQL gives what evaluation on objects gives")
struct DifferentialTests {
  static let texts = [
    "", "a", "A", "ab", "Ab", "b", "aab", "é", "e\u{301}", "É", "E", "ß", "SS", "ss", "ﬁ", "fi", "Å", "å", "a*b", "a?b",
    "[a]", "a\\b", "a'b", "a\"b", "\u{FFFF}", "\u{FFFD}", "😀", "日本", "Z", "z", "5", "İ", "i",
  ]

  @Test(arguments: [0xD1FF_0001, 0xD1FF_0002, 0xD1FF_0003, 0xD1FF_0004] as [UInt64])
  func `Random conditions select the same rows in SQL as on objects`(seed: UInt64) throws {
    try compare(seed: seed, texts: Self.texts, hasPatterns: true)
  }

  @Test(arguments: [0xD1FF_0005] as [UInt64])
  func `Text that contains NUL compares the same in SQL as on objects`(seed: UInt64) throws {
    try compare(seed: seed, texts: ["", "a", "a\0", "a\0b", "\0", "a\0B", "b"], hasPatterns: false)
  }

  @Test(arguments: [
    "rating == 2", "rating != 2", "rating < 2", "rating <= 2", "rating > 2", "rating >= 2", "rating BETWEEN {0, 2}",
    "rating IN {1, 5, nil}", "NOT rating IN {1, 5}", "rating == nil", "title CONTAINS 'a'", "title CONTAINS[cd] 'E'",
    "title BEGINSWITH 'a'", "title BEGINSWITH[c] 'A'", "title ENDSWITH 'b'", "title ENDSWITH[d] 'e'",
    "title LIKE 'a*'", "title LIKE[cd] 'E*'", "title ==[l] 'a'", "title ==[cdl] 'A'", "'a' IN title",
    "title IN[cl] {'A', 'é'}", "title <[l] 'b'",
    // The empty text, as a constant and from a row.
    "title CONTAINS ''", "title CONTAINS[cd] ''", "title BEGINSWITH ''", "title ENDSWITH ''", "'' IN title",
    "NOT title CONTAINS ''", "title CONTAINS album.name", "NOT title CONTAINS[cd] album.name", "album.name IN title",
    "title BEGINSWITH album.name", "title BEGINSWITH[d] album.name", "ANY artists.name CONTAINS ''",
    "NONE artists.name BEGINSWITH ''", "ALL artists.name ENDSWITH ''", "ANY artists.name CONTAINS title",
    "SUBQUERY(artists, $a, $a.name BEGINSWITH title).@count > 0", "title LIKE ''", "title LIKE[c] ''", "title == ''",
    // Bits.
    "rating & 1 == 1", "rating | 2 == 2", "rating << 1 == 4", "rating >> 1 == 1", "plays >> 62 == -2", "~rating == -3",
    "~rating & 1 == 0", "~plays < 0", "~liked == -2", "~(rating & 4) == -5", "rating & ~1 == 2", "~rating == nil",
    "rating << 1 | 1 == 5", "1 << rating > 2", "rating & 0b101 == 0o5", "-~rating == rating + 1",
    // Sums and the rest.
    "rating + 1 == 2", "rating - 1 == 1", "rating * 2 == 4", "rating / 2 == 1", "length / 2 == 1.25", "-rating == 1",
    "TERNARY(liked == YES, 1, 2) == 1", "added > CAST(1, 'NSDate')", "artists.@count == 2", "artists.@sum.age > 50",
    "artists.@avg.age == 0", "artists.@min.age == nil", "artists.@max.age > 33", "count:(artists) == 1",
  ])
  func `Each operator that SQL has selects the same rows in SQL as on objects`(format: String) throws {
    var random = SeededGenerator(seed: 0xD1FF_0006)
    var tally = Tally()
    for _ in 0..<3 {
      try compare(format, in: MusicDatabase(&random, texts: ["", "a", "A", "ab", "é", "e", "b"]), &tally)
    }
    #expect(tally.compared == 3)
  }

  /// Random stores for each seed.
  private static let rounds = Rounds.count(4)

  private func compare(seed: UInt64, texts: [String], hasPatterns: Bool) throws {
    var random = SeededGenerator(seed: seed)
    var conditions = RandomCondition(random: SeededGenerator(seed: ~seed), texts: texts, hasPatterns: hasPatterns)
    var tally = Tally()
    for _ in 0..<Self.rounds {
      let database = try MusicDatabase(&random, texts: texts)
      for _ in 0..<200 { try compare(conditions.condition(2), in: database, &tally) }
    }
    print("differential: conditions, seed \(seed): \(tally.compared + tally.split) cases, 0 differences (\(tally))")
    #expect(tally.compared > 100 * Self.rounds)
    #expect(tally.selective > 50 * Self.rounds)
    #expect(tally.split > Self.rounds)
  }

  private func compare(_ format: String, in database: MusicDatabase, _ tally: inout Tally) throws {
    let predicate = try Predicate(format: format)
    let condition: SQLFragment
    let naming = MusicNaming(knowsLinks: tally.compared.isMultiple(of: 2))
    do {
      condition = try predicate.sql(on: MusicNaming.track, naming: naming)
    } catch {
      tally.refused += 1
      return try compareParts(of: predicate, naming, in: database, &tally)
    }
    let rows: Result<[Int64], SQLiteError>
    do { rows = .success(try database.tracks(where: condition)) } catch let error as SQLiteError {
      rows = .failure(error)
    }
    let objects = Result { try Self.keys(of: database.tracks, where: predicate) }
    switch (rows, objects) {
    case (.success(let rows), .success(let objects)):
      try #require(rows == objects, "\(predicate)\n\(condition.sql)\n\(condition.arguments)")
      tally.compared += 1
      if !rows.isEmpty, rows.count < database.tracks.count { tally.selective += 1 }
    // A sum overflows on both sides, but AND and OR may stop before it on either.
    case (.failure(let error), _) where error.message.contains("integer overflow"): tally.failed += 1
    case (_, .failure(EvaluationError.overflow("@sum"))), (_, .failure(EvaluationError.overflow("@avg"))):
      tally.failed += 1
    default: Issue.record("\(predicate)\n\(condition.sql)\n\(condition.arguments)\n\(rows)\n\(objects)")
    }
  }

  /// Selects rows by what SQL can express, and evaluates the rest on them.
  private func compareParts(
    of predicate: Predicate, _ naming: MusicNaming, in database: MusicDatabase, _ tally: inout Tally
  ) throws {
    let split = predicate.split(on: MusicNaming.track, naming: naming)
    guard let condition = split.sql, let rest = split.rest else { return }
    // Values that cannot be compared are an error, which the other terms may keep from being met.
    guard let wanted = try? Self.keys(of: database.tracks, where: predicate),
      let left = try? Self.keys(of: database.tracks, where: rest)
    else { return }
    let found: [Int64]
    do {
      found = try database.tracks(where: condition).filter(left.contains)
    } catch let error as SQLiteError where error.message.contains("integer overflow") {
      return tally.failed += 1
    }
    try #require(found == wanted, "\(predicate)\n\(condition.sql)\n\(rest)")
    tally.split += 1
  }

  private static func keys(of tracks: [TestObject], where predicate: Predicate) throws -> [Int64] {
    var context = EvaluationContext()
    return try zip(Int64(1)..., tracks).filter { _, track in
      context.object = .object(track)
      return try predicate.evaluate(in: context)
    }.map(\.0)
  }

  private struct Tally: CustomStringConvertible {
    var compared = 0
    var selective = 0
    var refused = 0
    var split = 0
    var failed = 0

    var description: String {
      "\(compared) agree (\(selective) choose some rows), \(refused) refused, \(split) of them in part, \(failed) overflow"
    }
  }
}

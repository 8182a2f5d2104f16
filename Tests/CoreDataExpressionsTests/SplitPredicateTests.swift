import CoreDataExpressions
import Testing

@Suite("A condition in SQL as far as possible")
struct SplitPredicateTests {
  @Test(
    arguments: [
      ("rating == 1 AND title MATCHES 'a.*'", #"("t0"."ZRATING" = ?)"#, #"title MATCHES "a.*""#),
      (
        "NOT (rating == 1 OR title MATCHES 'a') AND liked == YES",
        #"("t0"."ZRATING" IS NOT ?) AND ("t0"."ZLIKED" = ?)"#, #"NOT title MATCHES "a""#
      ),
      (
        "rating == 1 AND (title MATCHES 'a' AND liked == YES)", #"("t0"."ZRATING" = ?) AND ("t0"."ZLIKED" = ?)"#,
        #"title MATCHES "a""#
      ),
      ("rating == 1 OR title MATCHES 'a'", nil, #"rating == 1 OR title MATCHES "a""#),
      ("rating == 1 AND liked == YES", #"("t0"."ZRATING" = ?) AND ("t0"."ZLIKED" = ?)"#, nil),
    ] as [(String, String?, String?)])
  func `Terms that SQL cannot express are left`(format: String, sql: String?, rest: String?) throws {
    let split = try Predicate(format: format).split(on: MusicNaming.track, naming: MusicNaming())
    #expect(split.sql?.sql == sql)
    #expect(split.rest?.description == rest)
    #expect(split.obstacles.isEmpty == (rest == nil))
  }

  @Test(arguments: ["rating == 1 AND artists.age == 2", "rating == 1 AND nothing == 2", "rating == 1 AND $x == 2"])
  func `A mistake is met whatever the other terms select`(format: String) throws {
    let predicate = try Predicate(format: format)
    let split = predicate.split(on: MusicNaming.track, naming: MusicNaming())
    #expect(split.sql == nil)
    #expect(split.rest == predicate)
  }

  @Test func `Terms that have too many arguments together are left with the reason`() throws {
    let list = Array(repeating: "1", count: 16_000).joined(separator: ",")
    let predicate = try Predicate(format: "rating IN {\(list)} AND NOT (rating IN {\(list)})")
    let split = predicate.split(on: MusicNaming.track, naming: MusicNaming())
    #expect(split.sql == nil)
    #expect(split.rest == predicate)
    #expect(split.obstacles.map(\.reason) == [.tooManyArguments])
  }

  @Test func `Links that all lead to rows are counted without them`() throws {
    let condition = try Predicate(format: "artists.@count > 1")
    #expect(
      try condition.sql(on: MusicNaming.track, naming: MusicNaming(knowsLinks: true)).sql
        == #"((SELECT count(*) FROM "Z_1TRACKS" "e2" WHERE "e2"."Z_2TRACKS" = "t0"."Z_PK") > ?)"#)
    let some = try Predicate(format: "SUBQUERY(artists, $a, $a.age > 30).@count > 1")
    #expect(try some.sql(on: MusicNaming.track, naming: MusicNaming(knowsLinks: true)).sql.contains("ZARTIST"))
  }
}

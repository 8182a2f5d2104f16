import CoreDataExpressions
import Testing

@Suite("Predicates as SQL")
struct SQLTests {
  @Test(
    arguments: [
      ("rating == 5", #"("t0"."ZRATING" = ?)"#, [.integer(5)]),
      ("rating != 5", #"("t0"."ZRATING" IS NOT ?)"#, [.integer(5)]),
      ("rating == nil", #"("t0"."ZRATING" IS NULL)"#, []),
      ("NOT rating == nil", #"("t0"."ZRATING" IS NOT NULL)"#, []),
      ("rating == plays", #"("t0"."ZRATING" IS "t0"."ZPLAYS")"#, []),
      ("rating > 5", #"("t0"."ZRATING" > ?)"#, [.integer(5)]),
      ("NOT rating > 5", #"(("t0"."ZRATING" > ?) IS NOT TRUE)"#, [.integer(5)]),
      ("rating IN {1, nil}", #"("t0"."ZRATING" IN (?) OR "t0"."ZRATING" IS NULL)"#, [.integer(1)]),
      ("NOT rating IN {}", #"(("t0"."ZRATING" IN ()) IS NOT TRUE)"#, []),
      ("rating BETWEEN {1, 2}", #"("t0"."ZRATING" >= ? AND "t0"."ZRATING" <= ?)"#, [.integer(1), .integer(2)]),
      ("liked == YES AND rating < 2.5", #"(("t0"."ZLIKED" = ?) AND ("t0"."ZRATING" < ?))"#, [.integer(1), .real(2.5)]),
      (
        "NOT (rating == 1 OR rating == 2)", #"(("t0"."ZRATING" IS NOT ?) AND ("t0"."ZRATING" IS NOT ?))"#,
        [.integer(1), .integer(2)]
      ),
      ("title ==[cd] 'Été'", #"(expression_folded_cd("t0"."ZTITLE") = ?)"#, [.text("ete")]),
      ("title BEGINSWITH 'ab'", #"("t0"."ZTITLE" >= ? AND "t0"."ZTITLE" < ?)"#, [.text("ab"), .text("ac")]),
      ("title BEGINSWITH[c] 'AB'", #"(instr(expression_folded_c("t0"."ZTITLE"), ?) = 1)"#, [.text("ab")]),
      (
        "title BEGINSWITH '\\ud7ff'", #"("t0"."ZTITLE" >= ? AND "t0"."ZTITLE" < ?)"#,
        [.text("\u{D7FF}"), .text("\u{E000}")]
      ),
      ("title BEGINSWITH ''", "(0)", []), ("NOT title CONTAINS ''", "((0) IS NOT TRUE)", []),
      ("title ENDSWITH[c] ''", "(0)", []), ("'' IN title", "(0)", []),
      ("rating & 4 != 0", #"(("t0"."ZRATING" & ?) IS NOT ?)"#, [.integer(4), .integer(0)]),
      ("~rating & 1 == 0", #"(((~"t0"."ZRATING") & ?) = ?)"#, [.integer(1), .integer(0)]),
      ("~rating + 1 > 0", #"(((~"t0"."ZRATING") + ?) > ?)"#, [.integer(1), .integer(0)]),
      ("rating == ~5", #"("t0"."ZRATING" = ?)"#, [.integer(-6)]),
      ("title ==[cdl] 'É'", #"(expression_folded_cd("t0"."ZTITLE") = ?)"#, [.text("e")]),
      (
        "title CONTAINS album.name",
        #"(instr("t0"."ZTITLE", (SELECT "e1"."ZNAME" FROM "ZALBUM" "e1" WHERE "e1"."Z_PK" = "t0"."ZALBUM")) > 0 AND (SELECT "e1"."ZNAME" FROM "ZALBUM" "e1" WHERE "e1"."Z_PK" = "t0"."ZALBUM") <> '')"#,
        []
      ),
      ("title ENDSWITH 'é'", #"(substr(CAST("t0"."ZTITLE" AS BLOB), ?) = ?)"#, [.integer(-2), .blob([0xC3, 0xA9])]),
      ("title CONTAINS 'x'", #"(instr("t0"."ZTITLE", ?) > 0)"#, [.text("x")]),
      ("title LIKE '*a?[b]\\\\*'", #"("t0"."ZTITLE" GLOB ?)"#, [.text("*a?[[]b][*]")]),
      ("title CONTAINS nil", "(0)", []), ("1 + 1 == 2", "(1)", []), ("'a' MATCHES 'b'", "(0)", []),
      (
        "album.name == 'x'", #"((SELECT "e1"."ZNAME" FROM "ZALBUM" "e1" WHERE "e1"."Z_PK" = "t0"."ZALBUM") = ?)"#,
        [.text("x")]
      ),
      ("album == nil", #"("t0"."ZALBUM" IS NULL)"#, []),
      (
        "ANY artists.age > 30",
        #"("t0"."Z_PK" IN (SELECT "e2"."Z_2TRACKS" FROM "Z_1TRACKS" "e2" JOIN "ZARTIST" "e1" ON "e1"."Z_PK" = "e2"."Z_1ARTISTS" WHERE "e2"."Z_2TRACKS" IS NOT NULL AND ("e1"."ZAGE" IS NOT NULL AND ("e1"."ZAGE" > ?))))"#,
        [.integer(30)]
      ),
      (
        "NONE artists.age > rating",
        #"(NOT EXISTS (SELECT 1 FROM "Z_1TRACKS" "e2" JOIN "ZARTIST" "e1" ON "e1"."Z_PK" = "e2"."Z_1ARTISTS" WHERE "e2"."Z_2TRACKS" = "t0"."Z_PK" AND ("e1"."ZAGE" IS NOT NULL AND ("e1"."ZAGE" > "t0"."ZRATING"))))"#,
        []
      ),
      (
        "NOT artists.name CONTAINS 'x'",
        #"("t0"."Z_PK" NOT IN (SELECT "e2"."Z_2TRACKS" FROM "Z_1TRACKS" "e2" JOIN "ZARTIST" "e1" ON "e1"."Z_PK" = "e2"."Z_1ARTISTS" WHERE "e2"."Z_2TRACKS" IS NOT NULL AND ("e1"."ZNAME" IS NOT NULL AND "e1"."ZNAME" = ?)))"#,
        [.text("x")]
      ),
      (
        "ALL album.tracks.rating == 5",
        #"(NOT EXISTS (SELECT 1 FROM "ZTRACK" "e1" WHERE "e1"."ZALBUM" = "t0"."ZALBUM" AND ("e1"."ZRATING" IS NOT NULL AND ("e1"."ZRATING" IS NOT ?))))"#,
        [.integer(5)]
      ),
      (
        "artists.@count > 1",
        #"((SELECT count(*) FROM "Z_1TRACKS" "e2" JOIN "ZARTIST" "e1" ON "e1"."Z_PK" = "e2"."Z_1ARTISTS" WHERE "e2"."Z_2TRACKS" = "t0"."Z_PK") > ?)"#,
        [.integer(1)]
      ),
      (
        "SUBQUERY(album.tracks, $x, $x.rating > rating).@count == 0",
        #"(CASE WHEN "t0"."ZALBUM" IS NOT NULL THEN (SELECT count(*) FROM "ZTRACK" "e1" WHERE "e1"."ZALBUM" = "t0"."ZALBUM" AND ("e1"."ZRATING" > "t0"."ZRATING")) END = ?)"#,
        [.integer(0)]
      ),
      ("added > CAST(5, 'NSDate')", #"("t0"."ZADDED" > ? AND "t0"."ZADDED" < '')"#, [.real(5)]),
      ("rating * 2 + 1 > 3", #"((("t0"."ZRATING" * ?) + ?) > ?)"#, [.integer(2), .integer(1), .integer(3)]),
    ] as [(String, String, [SQLArgument])])
  func `A predicate compiles to the expected SQL text and arguments`(
    _ format: String, _ sql: String, _ arguments: [SQLArgument]
  ) throws {
    let fragment = try Predicate(format: format).sql(on: MusicNaming.track, naming: MusicNaming())
    #expect(fragment.sql == sql)
    #expect(fragment.arguments == arguments)
  }

  @Test(
    arguments: [
      ("title MATCHES 'a.*'", .unsupported), ("title > 5", .kinds), ("rating BEGINSWITH '5'", .kinds),
      ("artists.name == 'x'", .toMany), ("ANY artists.tracks.artists.name == 'x'", .toMany),
      ("ANY rating == 5", .unsupported), ("year == 5", .unknownKey("year", entity: "Track")),
      ("album.x == 5", .unknownKey("x", entity: "Album")), ("rating == $five", .unboundVariable("five")),
      ("$source.rating == 5", .unboundVariable("source")), ("plays + 1 > 0", .mayOverflow),
      ("rating / plays > 0", .mayDivideByZero), ("rating / 0 > 0", .mayDivideByZero),
      ("rating == 1 / 0", .evaluation(.divisionByZero)), ("rating ** 2 > 0", .unsupported),
      ("added > now()", .unsupported), ("price == 1.5", .kinds), ("title LIKE album.name", .pattern),
      ("title LIKE '*a*b*c*d*e'", .pattern), ("title ENDSWITH album.name", .pattern),
      ("uppercase(title) == 'X'", .unsupported), ("title.length > 3", .unsupported), ("code > nil", .kinds),
      ("FUNCTION(SELF, 's') == 1", .unsupported), ("album == rating", .kinds),
      ("artists.@unionOfObjects.age == 1", .unsupported),
      ("rating IN {1, 'x'}", .kinds), ("rating BETWEEN plays", .unsupported),
      ("rating BETWEEN {1, 2, 3}", .unsupported), ("rating BETWEEN {1}", .unsupported),
      ("rating BETWEEN {}", .unsupported), ("rating ^ 1 == 2", .unsupported), ("length & 1 == 1", .kinds),
      ("~length == 1", .kinds), ("~title == 1", .kinds), ("~plays + 1 > 0", .mayOverflow),
      ("random() < 2", .unsupported),
      ("rating == stddev(artists.age)", .unsupported),
      (
        "rating == ~1.5",
        .evaluation(.wrongKind(operation: "onesComplement:", expected: "whole numbers", found: "a real number"))
      ),
      ("TERNARY(liked == 1, rating, title) == 1", .kinds),
      ("price == CAST('1', 'NSDecimalNumber')", .kinds),
      ("1 == 'a' / 2", .evaluation(.wrongKind(operation: "/", expected: "numbers", found: "text"))),
    ] as [(String, SQLTranslationError.Reason)])
  func `A predicate that SQL would evaluate differently is refused`(
    _ format: String, _ reason: SQLTranslationError.Reason
  ) throws {
    let predicate = try Predicate(format: format)
    #expect {
      try predicate.sql(on: MusicNaming.track, naming: MusicNaming())
    } throws: { error in
      #expect("\(error)".hasPrefix("cannot be done in SQL: "))
      #expect((error as? SQLTranslationError)?.reason == reason)
      return true
    }
  }

  @Test func `Too many arguments are refused`() throws {
    let values = FormatArgument.list((0..<30_001).map { .integer($0) })
    #expect(throws: SQLTranslationError.self) {
      try Predicate(format: "rating IN %@", values).sql(on: MusicNaming.track, naming: MusicNaming())
    }
  }

  @Test func `An expression to sort by compiles to SQL`() throws {
    let fragment = try Expression(format: "album.year * 2").sql(
      on: MusicNaming.track, alias: "t", naming: MusicNaming())
    #expect(
      fragment.sql == #"((SELECT "e1"."ZYEAR" FROM "ZALBUM" "e1" WHERE "e1"."Z_PK" = "t"."ZALBUM") * ?)"#)
  }

  @Test func `A fragment lists the functions that it needs`() throws {
    let predicate = try Predicate(format: "title ==[c] 'a' OR title CONTAINS[d] 'b' OR album.name <[cdn] 'c'")
    let fragment = try predicate.sql(on: MusicNaming.track, naming: MusicNaming())
    #expect(fragment.functions == [.foldCase, .foldMarks])
    #expect(SQLFunction.foldCaseAndMarks.apply("ÉTÉ") == "ete")
    #expect(SQLFunction.foldCaseAndMarks.apply(nil) == nil)
  }

  @Test func `Identifiers are quoted`() {
    let fragment: SQLFragment = "SELECT \(identifier: "a\"b") = \(argument: .text("x\"y"))"
    #expect(fragment.sql == #"SELECT "a""b" = ?"#)
    #expect(fragment.arguments == [.text("x\"y")])
  }
}

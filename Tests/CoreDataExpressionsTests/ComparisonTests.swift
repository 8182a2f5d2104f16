import CoreDataExpressions
import Testing

@Suite("Comparisons on objects")
struct ComparisonTests {
  @Test(
    arguments: [
      // Numbers of all kinds.
      "rating == 5", "rating == 5.0", "5 == rating", "rating != 4", "rating > 4.9", "rating >= 5", "rating < 5.1",
      "rating <= 5", "liked == YES", "liked == 1", "liked == 1.0", "liked > NO", "length > rating - 3",
      "9007199254740993 > 9007199254740992.0", "9007199254740993 != 9007199254740992.0",
      "9223372036854775807 < 9223372036854775808.0", "-9223372036854775808 == -9223372036854775808.0",
      "price == CAST('1.1', 'NSDecimalNumber')", "price > 1", "price < 2", "price == 1.1", "price != 1.2",
      "CAST('-1.5e1', 'NSDecimalNumber') == -15", "CAST('0.10', 'NSDecimalNumber') < CAST('0.2', 'NSDecimalNumber')",
      "CAST('10', 'NSDecimalNumber') > CAST('9.99', 'NSDecimalNumber')", "CAST('-10', 'NSDecimalNumber') < -9",
      // nil equals nil and nothing else.
      "gone == nil", "nil == gone", "gone != 1", "gone == gone", "rating != nil", "NOT gone < 1", "NOT gone >= nil",
      "NOT gone > 1", "NOT gone <= 1", "NOT gone BEGINSWITH 'a'", "NOT 'a' CONTAINS gone", "NOT gone LIKE '*'",
      "NOT gone MATCHES '.*'", "NOT gone BETWEEN {0, 1}", "NOT 1 BETWEEN {gone, 2}", "noAlbum.name == nil",
      "noAlbum.tracks.@count == nil", "gone IN {nil}", "NOT gone IN {1}", "NOT 1 IN gone",
      // Text by code units, unless options say otherwise.
      "title == 'Été'", "title != 'E\\u0301t\\u00e9'", "title ==[c] 'E\\u0301t\\u00e9'", "title ==[c] 'éTÉ'",
      "title ==[d] 'Ete'", "title !=[d] 'ete'", "title ==[cd] 'ete'", "title !=[n] 'été'", "title !=[cdn] 'ete'",
      "'ß' ==[c] 'SS'", "'a' < 'b'", "'B' < 'a'", "'a' <[c] 'B'", "'é' > 'z'", "'é' <[d] 'z'", "'' < 'a'",
      "'\\uffff' < '\\ud83d\\ude00'", "'a' != 1", "'1' != 1",
      "title BEGINSWITH 'Ét'", "NOT title BEGINSWITH 'ét'", "title BEGINSWITH[c] 'ÉT'", "title BEGINSWITH[cd] 'et'",
      "NOT title BEGINSWITH ''", "title ENDSWITH 'té'", "title ENDSWITH[cd] 'TE'", "NOT title ENDSWITH 'te'",
      "title CONTAINS 't'", "NOT title CONTAINS 'T'", "title CONTAINS[c] 'T'", "NOT title CONTAINS ''",
      "NOT title ENDSWITH ''", "NOT '' CONTAINS ''", "NOT '' IN title", "'t' IN title", "NOT '' BEGINSWITH ''",
      "NOT title CONTAINS[cd] ''", "NOT '' IN[c] title", "NOT ANY artists.name CONTAINS ''",
      "NOT ALL artists.name BEGINSWITH ''", "SUBQUERY(artists, $a, $a.name ENDSWITH '').@count == 0",
      "title ==[l] 'Été'", "NOT title ==[l] 'été'", "title ==[cdl] 'ete'", "title BEGINSWITH[cl] 'é'",
      "'T' IN[c] title", "NOT 'x' IN title",
      "'e\\u0301' CONTAINS 'e'", "NOT 'e\\u0301' CONTAINS[c] 'e'", "'e\\u0301' CONTAINS[d] 'e'",
      // Patterns.
      "title LIKE '*t*'", "title LIKE '?t?'", "NOT title LIKE 't'", "title LIKE[cd] 'ET?'", "'' LIKE '*'",
      "'' LIKE ''", "NOT '' LIKE '?'", "'a*b' LIKE 'a\\\\*b'", "NOT 'axb' LIKE 'a\\\\*b'", "'a?b' LIKE 'a\\\\?b'",
      "'a\\\\b' LIKE 'a\\\\\\\\b'", "'abcbcd' LIKE '*bcd'", "'😀' LIKE '?'", "'[a]' LIKE '[a]'", "NOT 'a' LIKE '[a]'",
      "'a\\\\' LIKE 'a\\\\'", "'a\\\\' LIKE '?\\\\'", "NOT 'a' LIKE 'a\\\\'", "NOT 'ab' LIKE 'a\\\\'",
      "'a\\nb' LIKE 'a*b'", "'a\\nb' LIKE 'a?b'",
      "title MATCHES '.t.'", "NOT title MATCHES 't'", "title MATCHES[c] 'éT.'", "title MATCHES[cd] 'e.E'",
      "'ab' MATCHES 'a|ab'", "'2024-01' MATCHES '\\\\d{4}-\\\\d{2}'", "NOT 'a\\n' MATCHES 'a'", "'😀' MATCHES '.'",
      // Collections.
      "rating IN {4, 5}", "NOT rating IN {4}", "NOT rating IN {}", "'bob' IN[c] artists.name", "'Bob' IN artists.name",
      "artists.name CONTAINS 'Bob'", "artists.name CONTAINS[cd] 'zoe'", "NOT artists.name CONTAINS nil",
      "list CONTAINS nil", "3 IN list", "rating BETWEEN {5, 5}", "title BETWEEN[cd] {'eta', 'etf'}",
      "NOT rating BETWEEN {6, 9}", "{1, 2} == {1, 2.0}", "{1, 2} != {2, 1}", "album.first == SELF", "album != SELF",
      "album.first.album == album", "added == CAST(100, 'NSDate')", "added < CAST(100.5, 'NSDate')", "added < now()",
      "code == CAST('07070707-0707-0707-0707-070707070707', 'NSUUID')", "site == CAST('https://a.b', 'NSURL')",
      "site != 'https://a.b'", "raw == CAST('0102', 'NSData')", "SELF == SELF", "$five == rating",
      // Any, all, none.
      "ANY artists.name == 'Bob'", "NOT ANY artists.name == 'Eve'", "SOME artists.age > 35", "ALL artists.age > 29",
      "NOT ALL artists.age > 30", "NONE artists.age > 40", "ANY artists.name LIKE[cd] 'zo?'",
      "NOT ANY album.tracks.x == 1",
      "ALL album.tracks.x == 1", "NONE album.tracks.x == 1", "ALL noAlbum.tracks.x == 1",
      "NOT ANY noAlbum.tracks.x == 1",
      "ANY artists.age IN {40, 41}", "ANY artists.age BETWEEN {35, 45}", "ANY {1, 2} == 2", "ANY list == nil",
      "NOT ANY artists.age == nil",
      // Logic.
      "TRUEPREDICATE", "NOT FALSEPREDICATE", "rating == 5 AND liked == YES", "rating == 4 OR liked == YES",
      "NOT (rating == 4 AND liked == YES)", "rating == 5 OR unknown == 1", "NOT (rating == 4 AND unknown == 1)",
    ])
  func `A true predicate holds and its negation does not`(_ format: String) throws {
    #expect(try Library.isTrue(format))
    #expect(try !Library.isTrue("NOT (\(format))"))
  }

  @Test(
    arguments: [
      ("title > 5", .notOrdered("text", "a whole number", operation: ">")),
      ("album < SELF", .notOrdered("an object", "an object", operation: "<")),
      ("rating BEGINSWITH '5'", .wrongKind(operation: "BEGINSWITH", expected: "text", found: "a whole number")),
      ("title CONTAINS 5", .wrongKind(operation: "CONTAINS", expected: "text", found: "a whole number")),
      ("title IN 5", .wrongKind(operation: "IN", expected: "text", found: "a whole number")),
      (
        "rating BETWEEN 5",
        .wrongKind(operation: "BETWEEN", expected: "a collection of two values", found: "a whole number")
      ),
      (
        "rating BETWEEN {5}",
        .wrongKind(operation: "BETWEEN", expected: "a collection of two values", found: "a collection")
      ),
      ("ANY rating == 5", .wrongKind(operation: "ANY", expected: "a collection", found: "a whole number")),
      ("title MATCHES '('", .invalidPattern("(")), ("title MATCHES 'a)|(b'", .invalidPattern("a)|(b")),
      ("$six == 6", .unknownVariable("six")), ("rating.x == 1", .unknownKey("x", kind: "a whole number")),
    ] as [(String, EvaluationError)])
  func `Values that cannot be compared throw an error`(_ format: String, _ error: EvaluationError) {
    #expect(throws: error) { try Library.isTrue(format) }
    #expect(!error.description.isEmpty)
  }

  @Test func `An error thrown by an object is passed on unchanged`() {
    #expect(throws: TestObject.UnknownKey(key: "unknown")) { try Library.isTrue("unknown == 1") }
  }

  @Test(arguments: [("(a+)+b", "a", 40), ("(a|a)*b", "a", 60), ("(a|b)*", "ab", 200_000)])
  func `A regular expression that backtracks endlessly is stopped`(_ pattern: String, _ piece: String, _ count: Int) {
    let text = String(repeating: piece, count: count)
    #expect(throws: EvaluationError.patternTooSlow(pattern)) {
      try Library.isTrue("'\(text)' MATCHES '\(pattern)'")
    }
  }

  @Test func `A LIKE pattern with 200 stars is evaluated without exponential backtracking`() throws {
    let pattern = String(repeating: "*a", count: 200) + "*b"
    #expect(try !Library.isTrue("'\(String(repeating: "a", count: 2000))' LIKE '\(pattern)'"))
  }

  @Test func `Not-a-number neither equals nor precedes nor follows any value`() throws {
    var context = EvaluationContext(variables: ["nan": .real(.nan)])
    context.object = 1
    for format in ["$nan == $nan", "$nan < 1", "$nan > 1", "$nan == 1", "$nan <= 1"] {
      #expect(try !Predicate(format: format).evaluate(in: context))
    }
  }
}

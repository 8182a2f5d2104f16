import CoreDataExpressions
import Testing

/// The kinds of formats in Apple's guides, in the suites of other implementations and in public apps, in words of our own.
@Suite("Formats of every kind that others test")
struct FormatKindTests {
  @Test(
    arguments: [
      // Placeholders: values, keys, lists, and text that looks like one.
      ("%K == %@", ["title", "Été"]), ("%K LIKE[cd] %@", ["album.name", "bl*"]),
      ("rating > %d AND rating < %lu", [4, 6]),
      ("rating BETWEEN %@", [[4, 6]]), ("rating BETWEEN {%d, %d}", [4, 6]), ("rating IN %@", [[1, 5, nil]]),
      ("NOT (title IN %@)", [["a", "b"]]), ("%@ IN artists.name", ["Bob"]), ("artists.name CONTAINS %@", ["Bob"]),
      ("ANY %K == %@", ["artists.name", "Bob"]), ("gone == %@", [nil]), ("liked == %@", [true]),
      ("length == %f", [2.5]),
      ("title != '%@' AND title == %@", ["Été"]), ("SELF.%K == %i", ["rating", 5]),
      ("SUBQUERY(artists, $a, $a.age > %d).@count == 1", [35]), ("added <= %@", [.date(100)]),
      // Words in any case, signs and their other spellings.
      ("rating = 5 && liked = yes", []), ("rating == 5 and liked == true", []), ("NOT rating <> 5", []),
      ("!(rating == 4 || liked == NO)", []), ("rating => 5 And rating =< 5", []), ("gone = NULL or gone = Nil", []),
      ("title beginsWith[c] 'é' and title endswith 'té'", []), ("TRUEPREDICATE and not falsepredicate", []),
      ("none artists.age > 40", []), ("some artists.name = 'Bob'", []), ("all artists.age >= 30", []),
      // The empty text, and text with quotes and escapes.
      ("title != '' AND album.name != \"\"", []), ("NOT album.name CONTAINS[c] ''", []), ("'it\\'s' == \"it's\"", []),
      ("'\\101\\x42\\X43\\u0044\\U0045' == 'ABCDE'", []), ("'a\\\\b' MATCHES 'a\\\\\\\\b'", []),
      // Numbers.
      ("0x18 == 24 AND 0o30 == 24 AND 0b11000 == 24", []), ("0X1F == 31 AND -0b1 == -1", []), (".5 == 5e-1", []),
      ("4 + 5 * 2 - 2 ** 3 == 6", []), ("(4 + 5) * 2 == 18", []), ("7 / 2 == 3 AND 7 / 2.0 == 3.5", []),
      ("rating & 4 == 4 AND rating & 2 == 0", []), ("(rating | 2) == 7", []), ("rating ^ 1 == 4", []),
      ("~rating == -6", []), ("1 << 3 == 8 AND 8 >> 3 == 1", []), ("rating & (1 << 2) != 0", []),
      // Functions, by name and with colons.
      ("sum:({1, 2, 3}) == 6 AND sum(1, 2, 3) == 6", []), ("average({1, 2, 3, 4}) == 2.5", []),
      ("median({5, 1, 3}) == 3 AND mode({1, 2, 2}) == {2}", []), ("stddev({1, 3}) == 1", []),
      ("max({1, 9, 3}) - min({1, 9, 3}) == 8", []), ("modulus:by:(9, 4) == 1", []), ("abs(-3) == 3", []),
      ("onesComplement(0) == -1", []), ("ceiling(1.2) == 2 AND floor(1.8) == 1 AND trunc(-1.8) == -1", []),
      ("sqrt(16) == 4 AND raise:toPower:(2, 5) == 32", []), ("lowercase(title) == 'été'", []),
      ("FUNCTION('_NSPredicateUtilities', 'add:to:', 2, 3) == 5", []), ("added < now()", []),
      ("TERNARY(rating > 3, 'high', 'low') == 'high'", []), ("CAST(added, 'NSNumber') == 100", []),
      // Collections.
      ("artists.@count == 3 AND count(artists) == 3", []), ("artists.@sum.age == 70", []),
      ("artists.@max.age == 40", []),
      ("list[FIRST] == 3 AND list[LAST] == 2 AND list[SIZE] == 4", []), ("{1, 2, 3}[1] == 2", []),
      ("ANY {1, 5} == rating", []), ("SUBQUERY(artists, $a, $a.name BEGINSWITH 'B' AND $a.age < 35).@count == 1", []),
    ] as [(String, [FormatArgument])])
  func `A format holds for the object that it describes, and so does what it prints`(
    _ format: String, _ arguments: [FormatArgument]
  ) throws {
    let predicate = try Predicate(format: format, arguments: arguments)
    #expect(try predicate.evaluate(in: Library.context()))
    #expect(try !Predicate.not(predicate).evaluate(in: Library.context()))
    #expect(try Predicate(format: predicate.description) == predicate)
  }

  @Test(
    arguments: [
      "~", "1 ~ 2 == 3", "rating & == 1", "rating &&& 1", "rating <<< 1 == 1", "0o == 0", "0b2 == 2", "0o9 == 9",
      "0x == 0", "title == '\\8'", "title == '\\12'", "title == '\\1x1'", "title == '\\q'", "title ==[x] 'a'",
      "title ==[] 'a'", "title ==[c 'a'", "5 %% 2 == 1", "title = 'a", "rating == 1 2", "rating ==", "(rating == 1",
    ])
  func `A format of none of these kinds is an error`(_ format: String) {
    #expect(throws: FormatError.self) { try Predicate(format: format) }
  }
}

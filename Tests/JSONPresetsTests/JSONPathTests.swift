import JSONPresets
import Testing

struct JSONPathTests {
  @Test(arguments: [
    ("$.ar[*]", "ar[*]"), ("ar[*].name", "ar[*].name"), ("$['artist-credit'][*]", "['artist-credit'][*]"),
    (##"$["#text"]"##, "['#text']"), ("images[0].url", "images[0].url"), ("image[-1]['#text']", "image[-1]['#text']"),
    ("@", "@"), ("$", "@"), ("@.name", "name"), ("$.a.*", "a[*]"), ("$ ", "@"),
    ("$.included[?@.type=='artists']", "included[?@.type == 'artists']"),
    (#"$.a[ ?@.b['c d'] == "x'y" ]"#, #"a[?@.b['c d'] == 'x\'y']"#), ("$.a[?@.n == 5]", "a[?@.n == '5']"),
    (#"$['a\u00e9\n\\']"#, #"['aé\u000a\\']"#), ("é.ß_1", "é.ß_1"),
  ])
  func `A path is read, and printed as it can be read again`(text: String, printed: String) throws {
    let path = try JSONPath(text)
    #expect(path.description == printed)
    #expect(try JSONPath(path.description) == path)
    #expect(try JSONPath(path.fromRoot) == path)
  }

  @Test(arguments: [
    ("", "expected the name of a member", 0), ("$..name", "'..' would need", 2), ("$.a[0:2]", "slices", 5),
    ("$.a[0,1]", "slices", 5), ("$.a[-2]", "an element is a number", 4), ("$.a[01]", "an element is a number", 4),
    ("$.a[10000]", "an element is a number", 4), ("artist-credit", "must be quoted: ['artist-credit']", 0),
    ("$.a.#text", "must be quoted: ['#text']", 4), ("$.1000x1000", "must be quoted: ['1000x1000']", 2),
    ("$['a", "no closing quote", 2), (#"$['\x']"#, "this escape is unknown", 3), (#"$['\ud800']"#, "unknown", 3),
    ("$.a[?@.b=='c'].d", "a filter must be the last step", 14), ("$.a[?@.b>'c']", "expected '=='", 8),
    ("$.a[?@=='c']", "expected a member", 6), ("$.a[?@.b[0]=='c']", "expected members only", 5),
    ("$.a[?@.b==c]", "expected text in quotes", 10), ("$.a]", "expected '.', '['", 3), ("$a", "expected '.'", 1),
    ("$.a[", "expected a quoted member", 4), ("$.", "expected the name", 2), ("$.a b", "expected '.'", 4),
  ])
  func `A path that cannot be followed is refused with the place`(text: String, problem: String, offset: Int) {
    let error = #expect(throws: JSONPathError.self) { try JSONPath(text) }
    #expect(error?.offset == offset)
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    #expect(error?.description.hasSuffix(String(repeating: " ", count: offset + 2) + "^") == true)
  }

  @Test(arguments: [
    ("$.type == 'track'", "$.type == 'track'"), ("artist.name", "$.artist.name"), ("!$.id", "!$.id"),
    ("$.a||!b || $.c==\"x\"", "$.a || !$.b || $.c == 'x'"), ("$.a[*].b == true", "$.a[*].b == 'true'"),
  ])
  func `A condition is read, and printed as it can be read again`(text: String, printed: String) throws {
    let condition = try JSONCondition(text)
    #expect(condition.description == printed)
    #expect(try JSONCondition(printed) == condition)
  }

  @Test(arguments: [
    "", "$.a ==", "$.a = 'x'", "$.a == b", "!$.a == 'x'", "$.a[?@.b=='c']", "$.a[-1]", "$.a ||", "$.a && $.b",
  ])
  func `A condition that cannot be tested is refused`(text: String) {
    #expect(throws: JSONPathError.self) { try JSONCondition(text) }
  }

  @Test func `A path has a limit`() {
    let steps = (1...33).map { ".a\($0)" }.joined()
    #expect(throws: Never.self) { try JSONPath("$" + steps.dropLast(4)) }
    #expect(throws: JSONPathError.self) { try JSONPath("$" + steps) }
  }
}

import CoreDataExpressions
import Testing

@Suite("Errors of formats show the place")
struct FormatErrorTests {
  @Test(
    arguments: [
      ("name ==", [], "expected an expression, but found the end (at byte 7)\n  name ==\n         ^"),
      ("", [], "expected an expression, but found the end (at byte 0)\n  \n  ^"),
      ("name", [], "expected a condition such as a == b, but found an expression alone (at byte 0)\n  name\n  ^"),
      (
        "name 'x'", [],
        "expected a comparison such as == after the expression, but found ''x'' (at byte 5)\n  name 'x'\n       ^"
      ),
      ("a = 1 b", [], "expected an operator or the end, but found 'b' (at byte 6)\n  a = 1 b\n        ^"),
      ("a = 1)", [], "expected an operator or the end, but found ')' (at byte 5)\n  a = 1)\n       ^"),
      ("(a = 1", [], "expected ')', but found the end (at byte 6)\n  (a = 1\n        ^"),
      ("a = b = c", [], "expected an expression, but found a condition (at byte 0)\n  a = b = c\n  ^"),
      (
        "a AND b = 1", [],
        "expected a condition such as a == b, but found an expression alone (at byte 0)\n  a AND b = 1\n  ^"
      ),
      ("a = (b = 1)", [], "expected an expression, but found a condition (at byte 5)\n  a = (b = 1)\n       ^"),
      (
        "a NOT IN {1}", [],
        "expected a comparison such as == after the expression, but found 'NOT' (at byte 2)\n  a NOT IN {1}\n    ^"
      ),
      ("a = NOT b", [], "expected an expression, but found 'NOT' (at byte 4)\n  a = NOT b\n      ^"),
      ("ANY a", [], "expected a comparison such as == after ANY, but found the end (at byte 5)\n  ANY a\n       ^"),
      ("a = 'x", [], "this text has no closing quote (at byte 4)\n  a = 'x\n      ^"),
      (
        "a MATCHES '\\d'", [],
        "this escape is unknown; a backslash itself is written \\\\ (at byte 11)\n  a MATCHES '\\d'\n             ^"
      ),
      (
        "a = '\\u12'", [],
        "this escape is unknown; a backslash itself is written \\\\ (at byte 5)\n  a = '\\u12'\n       ^"
      ),
      (
        "a = '(x)\\1'", [],
        "this escape is unknown; a backslash itself is written \\\\ (at byte 8)\n  a = '(x)\\1'\n          ^"
      ),
      (
        "a = '\\400'", [],
        "this escape is unknown; a backslash itself is written \\\\ (at byte 5)\n  a = '\\400'\n       ^"
      ),
      (
        "a = '\\128'", [],
        "this escape is unknown; a backslash itself is written \\\\ (at byte 5)\n  a = '\\128'\n       ^"
      ),
      (
        "a = '\\U12'", [],
        "this escape is unknown; a backslash itself is written \\\\ (at byte 5)\n  a = '\\U12'\n       ^"
      ),
      ("a = 0o8", [], "this is not a number (at byte 4)\n  a = 0o8\n      ^"),
      ("a = 0b12", [], "this is not a number (at byte 4)\n  a = 0b12\n      ^"),
      ("a = b ~ c", [], "expected an operator or the end, but found '~' (at byte 6)\n  a = b ~ c\n        ^"),
      ("a = 12x", [], "this is not a number (at byte 4)\n  a = 12x\n      ^"),
      ("a = 1e", [], "this is not a number (at byte 4)\n  a = 1e\n      ^"),
      ("a = 0x", [], "this is not a number (at byte 4)\n  a = 0x\n      ^"),
      ("a = 9223372036854775808", [], "this number is too large (at byte 4)\n  a = 9223372036854775808\n      ^"),
      ("a = -9223372036854775809", [], "this number is too large (at byte 5)\n  a = -9223372036854775809\n       ^"),
      ("a = 1e999", [], "this number is too large (at byte 4)\n  a = 1e999\n      ^"),
      (
        "a == 5 %% 2", [],
        "there is no operator %%; use modulus:by:(a, b) for a remainder (at byte 7)\n  a == 5 %% 2\n         ^"
      ),
      (
        "a = %s", [], "this placeholder is unknown; there are %@ %K %d %i %u %ld %lld %f (at byte 4)\n  a = %s\n      ^"
      ),
      ("a = %@", [], "there is no argument 1 for this placeholder (at byte 4)\n  a = %@\n      ^"),
      ("a = %@", [1, 2, 3], "2 of 3 arguments have no placeholder (at byte 6)\n  a = %@\n        ^"),
      ("a = %d", ["x"], "argument 1 must be a whole number (at byte 4)\n  a = %d\n      ^"),
      (
        "a = %@ AND b = %f", [1, "x"],
        "argument 2 must be a finite number (at byte 15)\n  a = %@ AND b = %f\n                 ^"
      ),
      ("a = %@", [.real(.infinity)], "argument 1 must be a finite number (at byte 4)\n  a = %@\n      ^"),
      ("%K = 1", ["a b"], "argument 1 must be a key path: names with dots between them (at byte 0)\n  %K = 1\n  ^"),
      ("%K = 1", [1], "argument 1 must be a key path (at byte 0)\n  %K = 1\n  ^"),
      ("$ = 1", [], "a name must follow this sign (at byte 0)\n  $ = 1\n  ^"),
      ("a; b", [], "this character means nothing here (at byte 1)\n  a; b\n   ^"),
      (
        "a.@cuont = 1", [],
        "there is no collection operator @cuont; there are @count @sum @avg @min @max @unionOfObjects @distinctUnionOfObjects @unionOfArrays @distinctUnionOfArrays @unionOfSets @distinctUnionOfSets (at byte 2)\n  a.@cuont = 1\n    ^"
      ),
      ("a.@sum > 1", [], "a key path must follow @sum (at byte 7)\n  a.@sum > 1\n         ^"),
      ("a. = 1", [], "expected a key, but found '=' (at byte 3)\n  a. = 1\n     ^"),
      (
        "a ==[cx] 'b'", [],
        "'x' is not an option of this comparison; the options are [c] [d] [cd] [l] [n] (at byte 5)\n  a ==[cx] 'b'\n       ^"
      ),
      ("a IN {1, 2", [], "expected ',' or '}', but found the end (at byte 10)\n  a IN {1, 2\n            ^"),
      (
        "a = FUNCTION(b, c)", [],
        "expected a selector in quotes, but found 'c' (at byte 16)\n  a = FUNCTION(b, c)\n                  ^"
      ),
      (
        "a = FUNCTION(b, %@)", [1],
        "argument 1 must be a selector in quotes (at byte 16)\n  a = FUNCTION(b, %@)\n                  ^"
      ),
      (
        "a = SUBQUERY(b, x, c = 1)", [],
        "expected a variable such as $x, but found 'x' (at byte 16)\n  a = SUBQUERY(b, x, c = 1)\n                  ^"
      ),
      (
        "a = FETCH(b, c, 2)", [],
        "expected YES or NO, but found something else (at byte 16)\n  a = FETCH(b, c, 2)\n                  ^"
      ),
      (
        "a = CAST(b, NSDate)", [],
        "expected the name of a class in quotes, but found 'NSDate' (at byte 12)\n  a = CAST(b, NSDate)\n              ^"
      ),
      (
        "größe == 'ü' x", [],
        "expected an operator or the end, but found 'x' (at byte 16)\n  größe == 'ü' x\n               ^"
      ),
      (
        "a == 1\nOR\tb ==\u{1B}", [],
        "this character means nothing here (at byte 14)\n  a == 1 OR b == \n                ^"
      ),
    ] as [(String, [FormatArgument], String)])
  func `A predicate that cannot be parsed throws an error that shows the place`(
    _ format: String, _ arguments: [FormatArgument], _ message: String
  ) {
    #expect {
      try Predicate(format: format, arguments: arguments)
    } throws: { error in
      #expect("\(error)" == message)
      return error is FormatError
    }
  }

  @Test func `A condition is not accepted as an expression`() {
    #expect(throws: FormatError.self) { try Expression(format: "a = 1") }
    #expect(throws: FormatError.self) { try Expression(format: "TRUEPREDICATE") }
  }

  @Test func `An error in a long format shows only the surrounding text`() throws {
    let format =
      String(repeating: "a = 1 AND ", count: 100) + "b = ; AND " + String(repeating: "c = 2 AND ", count: 100)
    #expect {
      try Predicate(format: format)
    } throws: { error in
      let lines = "\(error)".split(separator: "\n")
      #expect(
        lines[1]
          == "  …1 AND a = 1 AND a = 1 AND a = 1 AND a = 1 AND b = ; AND c = 2 AND c = 2 AND c = 2 AND c = 2 AND c = …")
      #expect(lines[2].count == lines[1].prefix { $0 != ";" }.count + 1)
      return true
    }
  }
}

import CoreDataExpressions
import Testing

@Suite("Reading formats")
struct ParsingTests {
  @Test(
    arguments: [
      ("a = 1", "a == 1"), ("a<>1", "a != 1"), ("a => 1", "a >= 1"), ("a =< 1", "a <= 1"),
      ("a contains[CD] 'x'", "a CONTAINS[cd] \"x\""), ("a ==[c] 'x'", "a ==[c] \"x\""),
      ("a LIKE[n] 'x*'", "a LIKE[n] \"x*\""), ("a ==[L] 'x'", "a ==[l] \"x\""),
      ("a ENDSWITH[ldc] 'x'", "a ENDSWITH[cdl] \"x\""), ("a IN[cn] 'x'", "a IN[cn] \"x\""),
      ("a between { 1 , 2 }", "a BETWEEN {1, 2}"), ("a in {}", "a IN {}"), ("'x' IN a", "\"x\" IN a"),
      ("a MATCHES '\\\\d+'", "a MATCHES \"\\\\d+\""),
      ("any tags.name = 'x'", "ANY tags.name == \"x\""), ("SOME a > 1", "ANY a > 1"), ("NONE a > 1", "NOT ANY a > 1"),
      ("a=1 and b=2 or not c=3", "(a == 1 AND b == 2) OR NOT c == 3"),
      ("!(a=1&&b=2)||c=3", "NOT (a == 1 AND b == 2) OR c == 3"),
      ("not not a=1", "NOT (NOT a == 1)"),
      ("a=nil or a=NULL or a=Nil", "a == nil OR a == nil OR a == nil"),
      ("a = yes AND b = FALSE", "a == YES AND b == NO"), ("a = TRUE AND b = no", "a == YES AND b == NO"),
      ("a = true.b", "a == YES.b"),
      ("self.a.b = self", "a.b == SELF"),
      ("#and.#or = #size", "#and.#or == #size"), ("size > 1 AND first = last", "#size > 1 AND #first == #last"),
      ("a.count.in = 1", "a.count.#in == 1"),
      ("a[FIRST] = a[last] AND a[size] > a[0]", "a[FIRST] == a[LAST] AND a[SIZE] > a[0]"),
      ("a[#first] = 1", "a[#first] == 1"),
      ("SUBQUERY(a.b, $x, $x.c = 1 AND d = 2).@count > 0", "SUBQUERY(a.b, $x, $x.c == 1 AND d == 2).@count > 0"),
      ("TERNARY(a = 1 OR b = 2, 'x', 'y') = c", "TERNARY(a == 1 OR b == 2, \"x\", \"y\") == c"),
      ("cast(now(), 'NSNumber') > 5", "CAST(now(), \"NSNumber\") > 5"),
      ("a.@sum.b > 1 AND @count = 2", "a.@sum.b > 1 AND @count == 2"),
      ("modulus(a, 2) = 0", "modulus:by:(a, 2) == 0"), ("uppercase(a) = 'X'", "uppercase:(a) == \"X\""),
      ("cast = 1 AND function = 2 AND ternary = 3", "#cast == 1 AND function == 2 AND ternary == 3"),
      ("a == 0x1F", "a == 31"), ("a == -0x10", "a == -16"), ("a == 0o30 OR a == 0b11000", "a == 24 OR a == 24"),
      ("a = '\\101\\X42\\U0043'", "a == \"ABC\""),
      ("distanceToLocation(a, b) > 1", "distanceToLocation:fromLocation:(a, b) > 1"),
      ("objectFrom(a, 0) = mode(b)", "objectFrom:withIndex:(a, 0) == mode:(b)"),
      ("randomn(5) = random()", "randomn:(5) == random()"), ("a == -9223372036854775808", "a == -9223372036854775808"),
      ("a == 1.50", "a == 1.5"), ("a == - 5", "a == -5"),
      ("a = 'it\\'s \"q\"\\n'", "a == \"it's \\\"q\\\"\\n\""),
      ("(a + b) * c - -d > 2 ** 3 / 4", "(a + b) * c - -d > 2 ** 3 / 4"),
      ("from:subtract:(a, b) = 1", "a - b == 1"),
      ("FUNCTION(a, 'x') = FUNCTION('s', 'y:z:', 1, 2).b", "FUNCTION(a, \"x\") == FUNCTION(\"s\", \"y:z:\", 1, 2).b"),
      ("'abc'.length = 3", "\"abc\".length == 3"),
    ])
  func `Predicates are read and print in canonical form`(_ format: String, _ printed: String) throws {
    #expect(try Predicate(format: format).description == printed)
  }

  @Test(
    arguments: [
      ("%K = %@", ["a.b", "x"], "a.b == \"x\""), ("%K.%K > %d", ["a", "b.@count", 1], "a.b.@count > 1"),
      ("$source.%K = 1", ["size"], "$source.#size == 1"), ("%K = 1", ["SELF.a"], "a == 1"),
      ("%K > 1", ["a.@max.b"], "a.@max.b > 1"),
      ("a IN %@", [[1, 2, nil]], "a IN {1, 2, nil}"), ("a = %@", [nil], "a == nil"), ("a = %@", [true], "a == YES"),
      ("a > %f AND b > %lld AND c > %u", [1, 2, 3], "a > 1 AND b > 2 AND c > 3"), ("a > %f", [2.5], "a > 2.5"),
      ("a > %@", [.date(5)], "a > CAST(5.000000, \"NSDate\")"),
      ("a > %@", [.date(1e-9)], "a > CAST(1e-09, \"NSDate\")"),
      ("a = %@", [.data([1, 255])], "a == CAST(\"01ff\", \"NSData\")"),
      ("a = %@", [.url("file:///x")], "a == CAST(\"file:///x\", \"NSURL\")"),
      ("a = %@", [.decimal("1.50")], "a == CAST(\"1.50\", \"NSDecimalNumber\")"),
      ("a = '%@' AND b = %@", ["x"], "a == \"%@\" AND b == \"x\""),
      ("FUNCTION(%@, %@, %@) = 1", ["t", "s:", 2], "FUNCTION(\"t\", \"s:\", 2) == 1"),
      ("a = %@", [.expression(.key("b", of: .variable("x")))], "a == $x.b"),
    ] as [(String, [FormatArgument], String)])
  func `Arguments take the place of their placeholders`(
    _ format: String, _ arguments: [FormatArgument], _ printed: String
  ) throws {
    #expect(try Predicate(format: format, arguments: arguments).description == printed)
  }

  @Test func `A UUID prints in the usual form`() throws {
    let uuid = try #require(UUIDValue("e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
    let predicate = try Predicate(format: "id = %@", .uuid(uuid))
    #expect(predicate.description == "id == CAST(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\", \"NSUUID\")")
    #expect(UUIDValue("e621e1f8c36c495a93fc0c247a3e6e5f") == nil)
    #expect(UUIDValue(bytes: [1]) == nil)
  }

  @Test func `A predicate is parsed into the expected tree`() throws {
    let predicate = try Predicate(format: "ANY $x.a.@max.b >[c] -1 AND NOT SELF = {nil, 2.0}[FIRST]")
    let path: [KeyPathComponent] = [.key("a"), .collectionOperator(.maximum), .key("b")]
    #expect(
      predicate
        == .and([
          .compare(
            .keyPath(.variable("x"), path), .greaterThan, .constant(.integer(-1)), options: .caseInsensitive,
            modifier: .any),
          .not(
            .compare(
              .evaluatedObject, .equal,
              .element(of: .aggregate([.null, .constant(.real(2))]), at: .first))),
        ]))
  }

  @Test(
    arguments: [
      ("a = $x AND b = $y", "a == 5 AND b == $y"), ("$x IN {1, $x}", "5 IN {1, 5}"), ("-$x = a", "-(5) == a"),
      ("SUBQUERY(a, $x, $x.b = 1)[0] = $x", "SUBQUERY(a, $x, $x.b == 1)[0] == 5"),
      ("FUNCTION($x, 's', a[$x]) = CAST($x, 'NSDate')", "FUNCTION(5, \"s\", a[5]) == CAST(5, \"NSDate\")"),
      ("TERNARY($x = 1, $x + 1, 2) = FETCH($x, $x, NO)", "TERNARY(5 == 1, 5 + 1, 2) == FETCH(5, 5, NO)"),
      ("NOT ($x = 1 OR TRUEPREDICATE)", "NOT (5 == 1 OR TRUEPREDICATE)"), ("sum($x) = 1", "sum:(5) == 1"),
    ])
  func `Variables are replaced by values`(_ format: String, _ printed: String) throws {
    #expect(try Predicate(format: format).substituting(["x": 5 as FormatArgument]).description == printed)
  }

  @Test func `A key path replaces the variable at the start of another path`() throws {
    let values = ["x": Expression.key("a", "b")]
    #expect(try Expression(format: "$x.c").substituting(values) == .key("a", "b", "c"))
    #expect(try Expression(format: "($x).@count").substituting(values).description == "a.b.@count")
  }
}

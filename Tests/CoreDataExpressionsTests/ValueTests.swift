import CoreDataExpressions
import Testing

@Suite("Values of expressions on objects")
struct ValueTests {
  @Test(
    arguments: [
      ("rating", 5), ("SELF.rating", 5), ("gone", nil), ("noAlbum.name", nil), ("noAlbum.first.title", nil),
      ("album.name", "Blue"), ("album.first.title", "Été"), ("#size", 9), ("size", 9), ("map.k", 7), ("map.x", nil),
      ("title.length", 3), ("title.uppercaseString", "ÉTÉ"), ("title.lowercaseString", "été"),
      ("artists.age", .collection(.set, [30, 40])), ("artists.@count", 3), ("artists.name.@count", 2),
      ("list.@count", 4), ("list[FIRST]", 3), ("list[LAST]", 2), ("list[SIZE]", 4), ("list[1]", 1), ("list[2]", nil),
      ("list[1 + 2]", 2), ("album.tracks[FIRST]", nil), ("noAlbum[0]", nil), ("map['k']", 7), ("map[SIZE]", 1),
      ("artists.@sum.age", 70), ("artists.@avg.age", .real(70.0 / 3)), ("artists.@min.age", 30),
      ("artists.@max.age", 40), ("artists.@min.name", "Bob"), ("artists.@max.name", "Zoë"),
      ("album.tracks.@sum.x", 0), ("album.tracks.@avg.x", 0.0), ("album.tracks.@min.x", nil),
      ("artists.@unionOfObjects.age", [30, 40]), ("artists.@distinctUnionOfObjects.age", .collection(.set, [40, 30])),
      ("artists.@distinctUnionOfSets.tags", .collection(.set, ["x", "y", "z"])),
      ("(artists.@unionOfSets.tags).@count", 4), ("(artists.@distinctUnionOfSets.tags).@count", 3),
      ("{{1, 2}, {2, 3}}.@count", 2), ("{1, gone, 'x'}", [1, nil, "x"]), ("{}", []),
      ("SUBQUERY(artists, $a, $a.age > 35).name", .collection(.set, ["Zoë"])),
      ("SUBQUERY(artists, $a, $a.age > rating * 8).@count", 0), ("SUBQUERY(noAlbum.tracks, $t, $t.x == 1)", nil),
      ("SUBQUERY(artists, $a, SUBQUERY($a.tags, $t, $t == 'z').@count == 1).@count", 1),
      ("SUBQUERY(list, $five, $five == 3)[0] + $five", 8),
      ("TERNARY(rating > 3, 'high', 'low')", "high"), ("TERNARY(rating > 5, 'high', unknown.x)", nil),
      ("$five", 5), ("SELF.album.year", 1971), ("(artists).@count", 3),
    ] as [(String, ExpressionValue?)])
  func `Key paths lead through objects and collections`(_ format: String, _ expected: ExpressionValue?) throws {
    if format.contains("unknown") {
      #expect(throws: TestObject.UnknownKey.self) { try Library.value(format) }
    } else {
      #expect(try Library.value(format) == expected ?? .null)
    }
  }

  @Test(
    arguments: [
      ("12 & 10", 8), ("5 & 2", 0), ("4 | 3", 7), ("6 ^ 5", 3), ("3 << 2", 12), ("40 >> 3", 5), ("-8 >> 1", -4),
      ("1 << 70", 0), ("1 << 2 + 1", 8), ("1 | 2 ^ 3 & 1", 3), ("6 & 3 << 1", 6), ("rating & 4", 4), ("gone | 1", nil),
      ("0o30", 24), ("0b11000", 24), ("rating & 0b100 | 0o10", 12), ("4.0 & 6", 4),
    ] as [(String, ExpressionValue?)])
  func `Operators on bits bind as in C, more strongly than comparisons and less than sums`(
    _ format: String, _ expected: ExpressionValue?
  ) throws {
    #expect(try Library.value(format) == expected ?? .null)
    let condition = try Predicate(format: "\(format) == \(format)")
    #expect(try Predicate(format: condition.description) == condition)
  }

  @Test(arguments: ["1 & 1.5", "1 & 'x'", "1 <<", "& 1", "0o8", "0b2", "0o", "1 &"])
  func `A misplaced operator on bits or a digit out of range is refused`(_ format: String) {
    #expect(throws: (any Error).self) { try Library.value(format) }
  }

  @Test(
    arguments: [
      ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 / 2", 3), ("-7 / 2", -3), ("7 / 2.0", 3.5), ("2 ** 10", 1024),
      ("2 ** 3 ** 2", 64), ("2 ** -1", 0.5), ("2.0 ** 0.5", .real(2.0.squareRoot())), ("(-2) ** 63", .integer(.min)),
      ("1 ** 9223372036854775807", 1), ("-rating", -5), ("-length", -2.5), ("liked + liked", 2), ("-liked", -1),
      ("rating - length", 2.5), ("gone + 1", nil), ("1 * gone", nil), ("-gone", nil), ("gone ** 2", nil),
      ("nil / 0", nil), ("4 + 5 - 2**3", 1), ("price + 1", 2.1),
    ] as [(String, ExpressionValue)])
  func `Arithmetic gives the expected values`(_ format: String, _ expected: ExpressionValue) throws {
    #expect(try Library.value(format) == expected)
  }

  @Test(
    arguments: [
      (".5", 1, "<"), ("-.5", -1, ">"), ("5.", 5, "=="), ("05.0", 5, "=="), (".05e2", 5, "=="), ("5E+0", 5, "=="),
      ("500e-2", 5, "=="), ("-0", 0, "=="), ("0.10", 0, ">"), ("9007199254740993", 9_007_199_254_740_992, ">"),
      ("9007199254740992.5", 9_007_199_254_740_993, "<"), ("-10", -9, "<"),
    ])
  func `Decimal numbers are compared digit by digit in every notation`(_ text: String, _ whole: Int, _ sign: String)
    throws
  {
    for other in ["<", "==", ">"] {
      let predicate = try Predicate(format: "CAST('\(text)', 'NSDecimalNumber') \(other) \(whole)")
      #expect(try predicate.evaluate(in: EvaluationContext()) == (other == sign))
    }
  }

  @Test func `Arithmetic keeps integers and real numbers apart`() throws {
    guard case .integer = try Library.value("rating * 2") else { return #expect(Bool(false)) }
    guard case .real = try Library.value("rating * 2.0") else { return #expect(Bool(false)) }
  }

  @Test(
    arguments: [
      ("sum({1, 2, 3})", 6), ("sum:({1, 2.5})", 3.5), ("sum(1, 2)", 3), ("sum(artists.age)", 70), ("sum(gone)", 0),
      ("count(artists)", 3), ("count:({})", 0), ("count(gone)", 0), ("min({3, 1, 2})", 1), ("max({3, gone, 7})", 7),
      ("max({})", nil), ("average({1, 2})", 1.5), ("median({5, 1, 3})", 3), ("median({4, 1, 3, 2})", 2.5),
      ("median({})", nil), ("mode({3, 1, 3.0, 2})", [3]), ("mode({2, 1, gone, 2, 1, 3})", [1, 2]), ("mode(gone)", []),
      ("mode(5)", [5]), ("stddev({1, 2, 3, 4, 4, 5, 9, 11})", .real((82.875 / 8).squareRoot())),
      ("stddev(artists.age)", 5), ("stddev(7)", 0), ("stddev({})", nil), ("stddev(gone)", nil), ("abs(-5)", 5),
      ("abs(-2.5)", 2.5), ("floor(2.7)", 2), ("floor(-2.5)", -3),
      ("ceiling(2.1)", 3),
      ("trunc(-2.7)", -2), ("floor(5)", 5), ("sqrt(16)", 4), ("exp(0)", 1), ("ln(1)", 0), ("log(1000)", 3),
      ("abs(gone)", nil),
      ("uppercase('aß')", "ASS"), ("lowercase(title)", "été"), ("uppercase(gone)", nil), ("length('a😀')", 3),
      ("length(gone)", nil), ("modulus(7, 3)", 1), ("modulus:by:(-7, 3)", -1), ("modulus(gone, 0)", nil),
      ("modulus(-9223372036854775808, -1)", 0),
      ("bitwiseAnd:with:(12, 10)", 8), ("bitwiseOr:with:(12, 10)", 14), ("bitwiseXor:with:(12, 10)", 6),
      ("onesComplement(5)", -6), ("~5", -6), ("~-1", 0), ("~gone", nil), ("~2.0", -3), ("~liked", -2),
      ("~9223372036854775807", .integer(.min)), ("12 & 10 | 1", 9), ("gone | 1", nil), ("1 << -1", 0), ("-1 >> 70", -1),
      ("objectFrom:withIndex:(list, 1)", 1), ("objectFrom(map, 'k')", 7), ("objectFrom(gone, 0)", nil),
      ("FUNCTION('_NSPredicateUtilities', 'onesComplement:', rating)", -6),
      ("leftshift:by:(1, 70)", 0), ("rightshift:by:(256, 4)", 16), ("now()", .date(1000)), ("noindex:(rating)", 5),
      ("add:to:(1, 2)", 3), ("multiply:by:(2, 3)", 6), ("raise:toPower:(2, 3)", 8), ("divide:by:(6, 3)", 2),
      ("castObject:toType:('12', 'NSNumber')", 12),
      // As an archive of Foundation names the functions of the language.
      ("FUNCTION('_NSPredicateUtilities', 'add:to:', rating, 1)", 6),
      ("FUNCTION('_NSPredicateUtilities', 'from:subtract:', rating, 1)", 4),
      ("FUNCTION('_NSPredicateUtilities', 'uppercase:', title)", "ÉTÉ"),
      ("FUNCTION('_NSPredicateUtilities', 'now')", .date(1000)),
      ("FUNCTION('_NSPredicateUtilities', 'castObject:toType:', rating, 'NSString')", "5"),
    ] as [(String, ExpressionValue)])
  func `Functions return the expected values`(_ format: String, _ expected: ExpressionValue) throws {
    #expect(try Library.value(format) == expected)
  }

  @Test(
    arguments: [
      ("CAST(5, 'NSDate')", .date(5)), ("CAST(added, 'NSNumber')", 100.0), ("CAST('12', 'NSNumber')", 12),
      ("CAST('1.5', 'NSNumber')", 1.5), ("CAST(5.0, 'NSString')", "5"), ("CAST(2.5, 'NSString')", "2.5"),
      ("CAST(YES, 'NSString')", "1"), ("CAST(gone, 'NSDate')", nil), ("CAST('00ff', 'NSData')", .data([0, 255])),
      ("CAST('x:y', 'NSURL')", .url("x:y")), ("CAST(added, 'NSDate')", .date(100)), ("CAST(5, 'NSDecimalNumber')", 5),
      ("CAST(code, 'NSString')", "07070707-0707-0707-0707-070707070707"),
    ] as [(String, ExpressionValue)])
  func `Casts return the expected values`(_ format: String, _ expected: ExpressionValue) throws {
    #expect(try Library.value(format) == expected)
  }

  @Test(
    arguments: [
      ("9223372036854775807 + 1", .overflow(operation: "+")), ("-9223372036854775808 - 1", .overflow(operation: "-")),
      ("3037000500 * 3037000500", .overflow(operation: "*")), ("-9223372036854775808 / -1", .overflow(operation: "/")),
      ("2 ** 63", .overflow(operation: "**")), ("10 ** 9223372036854775807", .overflow(operation: "**")),
      ("-(-9223372036854775808)", .overflow(operation: "-")),
      ("abs(-9223372036854775808)", .overflow(operation: "abs:")),
      ("sum({9223372036854775807, 1})", .overflow(operation: "sum:")), ("1 / 0", .divisionByZero),
      ("1 / 0.0", .divisionByZero), ("modulus(1, 0)", .divisionByZero), ("1e308 * 10", .notFinite(operation: "*")),
      ("sqrt(-1)", .notFinite(operation: "sqrt:")), ("ln(0)", .notFinite(operation: "ln:")),
      ("0 ** -1", .notFinite(operation: "**")),
      ("title + 1", .wrongKind(operation: "+", expected: "numbers", found: "text")),
      ("added + 1", .wrongKind(operation: "+", expected: "numbers", found: "a date")),
      ("modulus(1.5, 1)", .wrongKind(operation: "modulus:by:", expected: "whole numbers", found: "a real number")),
      ("list[4]", .indexOutOfRange(4, count: 4)), ("list[-1]", .indexOutOfRange(-1, count: 4)),
      ("rating[0]", .wrongKind(operation: "[]", expected: "a collection", found: "a whole number")),
      ("rating.@count", .wrongKind(operation: "@count", expected: "a collection", found: "a whole number")),
      ("CAST('x', 'NSNumber')", .cannotCast(kind: "text", type: "NSNumber")),
      ("CAST('inf', 'NSNumber')", .cannotCast(kind: "text", type: "NSNumber")),
      ("CAST(5, 'Foo')", .cannotCast(kind: "a whole number", type: "Foo")),
      ("CAST('zz', 'NSUUID')", .cannotCast(kind: "text", type: "NSUUID")),
      ("uppercase(5)", .wrongArguments(selector: "uppercase:", expected: "text", found: "a whole number")),
      (
        "abs(1, 2)",
        .wrongArguments(selector: "abs:", expected: "one argument", found: "a whole number and a whole number")
      ),
      ("add:to:(1)", .wrongArguments(selector: "add:to:", expected: "two arguments", found: "a whole number")),
      ("random()", .unsupportedSelector("random")), ("random(1)", .unsupportedSelector("random:")),
      ("randomn:(5)", .unsupportedSelector("randomn:")), ("distinct(list)", .unsupportedSelector("distinct:")),
      ("distanceToLocation(1, 2)", .unsupportedSelector("distanceToLocation:fromLocation:")),
      ("tokenize:using:('a', 'b')", .unsupportedSelector("tokenize:using:")),
      ("FUNCTION('_NSPredicateUtilities', 'random')", .unsupportedSelector("random")),
      ("~1.5", .wrongKind(operation: "onesComplement:", expected: "whole numbers", found: "a real number")),
      ("~title", .wrongKind(operation: "onesComplement:", expected: "whole numbers", found: "text")),
      ("1.5 & 1", .wrongKind(operation: "bitwiseAnd:with:", expected: "whole numbers", found: "a real number")),
      ("mode({'a'})", .wrongKind(operation: "mode:", expected: "numbers", found: "text")),
      ("stddev({'a'})", .wrongKind(operation: "stddev:", expected: "numbers", found: "text")),
      ("stddev({1e308, -1e308})", .notFinite(operation: "stddev:")),
      ("objectFrom(list, 4)", .indexOutOfRange(4, count: 4)),
      ("objectFrom(map, 1)", .wrongKind(operation: "[]", expected: "a key of a dictionary", found: "something else")),
      (
        "castObject:toType:(1)",
        .wrongArguments(selector: "castObject:toType:", expected: "two arguments", found: "a whole number")
      ),
      ("sum()", .unknownSelector("sum")), ("now(1)", .unknownSelector("now:")),
      ("frobnicate(1)", .unknownSelector("frobnicate:")), ("FUNCTION(SELF, 'name')", .unknownSelector("name")),
      (
        "SUBQUERY(rating, $x, $x == 1)",
        .wrongKind(operation: "SUBQUERY", expected: "a collection", found: "a whole number")
      ),
    ] as [(String, EvaluationError)])
  func `Invalid operations throw errors instead of trapping`(_ format: String, _ error: EvaluationError) {
    #expect(throws: error) { try Library.value(format) }
    #expect(!error.description.isEmpty)
  }

  @Test func `The current time is unavailable without a clock`() {
    #expect(throws: EvaluationError.noClock) { try Expression(format: "now()").value(in: EvaluationContext()) }
  }

  @Test func `The error for an unknown function names it and lists the known ones`() {
    let message = EvaluationError.unknownSelector("frobnicate:").description
    #expect(
      message.hasPrefix("the function 'frobnicate:' is unknown; known without an invoker are abs: add:to: average: "))
  }

  @Test func `The invoker receives functions that are not built in`() throws {
    let context = EvaluationContext(invoker: { target, selector, arguments in
      [target ?? "none", .string(selector), .collection(.array, arguments)]
    })
    #expect(try Expression(format: "foo(1, 2)").value(in: context) == ["none", "foo:", [1, 2]])
    #expect(try Expression(format: "FUNCTION('t', 'sum:', {1})").value(in: context) == ["t", "sum:", [[1]]])
    #expect(try Expression(format: "sum({1})").value(in: context) == 1)
  }

  @Test func `Equal values have equal hashes`() {
    let groups: [[ExpressionValue]] = [
      [1, 1.0, true, .decimal("1.00")], [0, -0.0, false, .decimal("-0")], [.integer(.max)], [.real(0x1p63)],
      [.collection(.set, [1, 2]), .collection(.set, [2.0, 1])], ["\u{E9}"], ["e\u{301}"], [nil], [.date(1)],
      [.url("a")],
      ["a"], [.dictionary(["a": 1]), .dictionary(["a": 1.0])],
    ]
    for (index, group) in groups.enumerated() {
      for value in group {
        #expect(groups.firstIndex { $0.contains(value) } == index)
        #expect(group.allSatisfy { $0.hashValue == value.hashValue })
      }
    }
  }
}

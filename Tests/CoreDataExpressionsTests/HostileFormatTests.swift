import CoreDataExpressions
import TestSupport
import Testing

@Suite("Formats that mean harm")
struct HostileFormatTests {
  @Test(
    arguments: [
      ("(", "a = 1", ")"), ("NOT ", "a = 1", ""), ("!", "a = 1", ""), ("-", "a = 1", ""), ("~", "a = 1", ""),
      ("1 & ", "1 = 1", ""), ("~(", "a) = 1", ")"), ("{", "1} = 1", "}"),
      ("a[", "0] = 1", "]"), ("sum(", "1) = 1", ")"), ("FUNCTION(a, 's', ", "1) = 1", ")"),
      ("TERNARY(a = 1, 2, ", "1) = 1", ")"), ("SUBQUERY(a, $x, ", "a = 1) = 1", ")"),
      ("CAST(", "1) = 1", ", 'NSDate')"),
      ("1 + ", "1 = 1", ""), ("1 ** ", "1 = 1", ""), ("1 + (", "1) = 1", ")"), ("(a = 1 AND ", "a = 1)", ")"),
      ("a = 1", "", "[0]"), ("a = (b", "", ").c"), ("FETCH(", "1, 2, NO) = 1", ", 2, NO)"), ("- ", "5 = 5", ""),
    ])
  func `Deeply nested formats throw an error and do not overflow the stack`(
    _ open: String, _ middle: String, _ close: String
  ) {
    let isSuffix = close.hasPrefix("[") || close.hasPrefix(").")
    let deep =
      isSuffix
      ? (close.hasPrefix("[") ? open : "a = " + String(repeating: "(", count: 20_000) + "b")
        + String(repeating: close, count: 20_000)
      : String(repeating: open, count: 20_000) + middle + String(repeating: close, count: 20_000)
    #expect { try Predicate(format: deep) } throws: { error in
      if case .tooDeep(200)? = (error as? FormatError)?.problem { true } else { false }
    }
  }

  @Test func `A long chain of additions counts as deep nesting`() {
    #expect(throws: FormatError.self) { try Expression(format: "1" + String(repeating: "+1", count: 100_000)) }
    #expect(throws: FormatError.self) { try Expression(format: nestedChains()) }
  }

  /// Chains in parentheses, each at the left end of the next: the heights add up where nothing else does.
  private func nestedChains() -> String {
    (0..<100).reduce("1") { text, _ in "(\(text))" + String(repeating: "+1", count: 90) }
  }

  @Test func `The heights of nested conditions add up`() throws {
    func nested(_ count: Int) -> String {
      (0..<count).reduce("a = 1") { text, _ in "(\(text) AND a = 1 OR a = 2)" }
    }
    _ = try Predicate(format: nested(90))
    #expect {
      try Predicate(format: nested(110))
    } throws: { error in
      if case .tooDeep(200)? = (error as? FormatError)?.problem { true } else { false }
    }
  }

  @Test(
    arguments: [
      ("TERNARY(", " = 1, 2, 3)"), ("TERNARY(a = 1, ", ", 3)"), ("TERNARY(a = 1, 2, ", ")"),
      ("SUBQUERY(a, $x, ", " = 1)"), ("FETCH(", ", 2, NO)"), ("FETCH(1, ", ", NO)"), ("FUNCTION(", ", 's', 1)"),
      ("FUNCTION(a, 's', ", ")"), ("FUNCTION(a, 's', 1, ", ", 2)"), ("CAST(", ", 'NSDate')"), ("sum(", ")"),
      ("sum(1, ", ", 2)"), ("{", "}"), ("{1, ", ", 2}"), ("a[", "]"), ("(", ")[0]"), ("(", ").b"), ("-(", ")"),
      ("~(", ")"), ("1 & (", ")"),
      ("1 + (", ")"), ("1 ** (", ")"),
    ])
  func `The heights of nested expressions add up`(_ open: String, _ close: String) throws {
    // Flat enough for the parser itself, which goes down only five times.
    let deep = (0..<5).reduce("1") { text, _ in "(\(open)\(text)\(close))" + String(repeating: "+1", count: 90) }
    #expect {
      try Expression(format: deep)
    } throws: { error in
      if case .tooDeep(200)? = (error as? FormatError)?.problem { true } else { false }
    }
    _ = try Expression(format: "(\(open)1\(close))" + String(repeating: "+1", count: 90))
  }

  @Test func `Formats just within the depth limit can be printed, compared, hashed, evaluated and read`() throws {
    for (open, middle, close) in [("(1 + ", "1", ")"), ("-(", "2", ")"), ("{", "", "}"), ("abs(", "1", ")")] {
      let expression = try Expression(
        format: String(repeating: open, count: 95) + middle + String(repeating: close, count: 95))
      #expect(try Expression(format: expression.description).hashValue == expression.hashValue)
      _ = try expression.value(in: EvaluationContext())
      _ = expression.substituting([:])
    }
    let predicate = try Predicate(
      format: String(repeating: "NOT (", count: 94) + "a = 1" + String(repeating: ")", count: 94))
    let object = TestObject(["a": 1])
    #expect(try predicate.evaluate(in: EvaluationContext(object: .object(object))))
    #expect(throws: SQLTranslationError.self) { try predicate.sql(on: MusicNaming.track, naming: MusicNaming()) }
  }

  @Test func `Evaluation limits the depth of a tree built by hand`() {
    let deep = (0..<2000).reduce(Expression.null) { inner, _ in .negative(inner) }
    #expect(throws: EvaluationError.tooDeep(limit: 300)) { try deep.value(in: EvaluationContext()) }
  }

  @Test func `Long flat formats are read`() throws {
    let text = String(repeating: "x", count: 2_000_000)
    #expect(try Expression(format: "'\(text)'") == .constant(.string(text)))
    #expect(try Expression(format: "a" + String(repeating: ".b", count: 100_000)).description.utf8.count == 200_001)
    let list = Array(repeating: "1", count: 100_000).joined(separator: ",")
    #expect(try Expression(format: "count({\(list)})").value(in: EvaluationContext()) == 100_000)
    let parts = Array(repeating: "a = 1", count: 50_000).joined(separator: " AND ")
    guard case .and(let conditions) = try Predicate(format: parts) else { return #expect(Bool(false)) }
    #expect(conditions.count == 50_000)
  }

  @Test(arguments: [0xBAD_0001, 0xBAD_0002] as [UInt64])
  func `Random bytes never crash the parser`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.count(1000) {
      let count = Int.random(in: 0...40, using: &random)
      read(String(decoding: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self), seed)
    }
  }

  @Test(arguments: [0xBAD_0003, 0xBAD_0004] as [UInt64])
  func `Random sequences of words never crash the parser`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let words = [
      "a", "b.c", ".", "$x", "@count", "@sum", "1", "-1", "2.5", "0x1F", "'s'", "\"", "(", ")", "{", "}", "[", "]", ",",
      "=", "==", "!=", "<", ">=", "+", "-", "*", "**", "/", "&", "|", "^", "~", "<<", "AND", "OR", "NOT", "ANY", "NONE",
      "IN", "LIKE", "[cd]",
      "BETWEEN", "SELF", "nil", "YES", "SUBQUERY(", "CAST(", "FUNCTION(", "TERNARY(", "FETCH(", "sum:(", "now()", "%@",
      "%K", "%d", "TRUEPREDICATE", "FIRST", "#size", "MATCHES", "é", "\\",
    ]
    for _ in 0..<Rounds.count(2000) {
      let count = Int.random(in: 1...9, using: &random)
      read((0..<count).map { _ in random.pick(words) }.joined(separator: random.pick([" ", ""])), seed)
    }
  }

  /// Reads as both, and prints and shows whatever comes of it.
  private func read(_ format: String, _ seed: UInt64) {
    do {
      let predicate = try Predicate(format: format, "a.b", 1, "c")
      #expect((try? Predicate(format: predicate.description)) == predicate, "seed \(seed): \(format)")
      _ = try? predicate.evaluate(in: EvaluationContext())
    } catch {
      #expect(!error.description.isEmpty)
      #expect((0...format.utf8.count).contains(error.offset))
    }
    if let expression = try? Expression(format: format) {
      #expect((try? Expression(format: expression.description)) == expression, "seed \(seed): \(format)")
      _ = try? expression.value(in: EvaluationContext())
    }
  }
}

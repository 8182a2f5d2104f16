import CoreDataExpressions
import Testing

@Suite("How strongly operators hold their operands")
struct PrecedenceTests {
  @Test(
    arguments: [
      ("a = 1 OR b = 2 AND c = 3", "or((SELF/1 equal 1), and((SELF/1 equal 2), (SELF/1 equal 3)))"),
      ("a = 1 AND b = 2 OR c = 3", "or(and((SELF/1 equal 1), (SELF/1 equal 2)), (SELF/1 equal 3))"),
      ("(a = 1 OR b = 2) AND c = 3", "and(or((SELF/1 equal 1), (SELF/1 equal 2)), (SELF/1 equal 3))"),
      ("a = 1 AND b = 2 AND c = 3", "and((SELF/1 equal 1), (SELF/1 equal 2), (SELF/1 equal 3))"),
      ("(a = 1 AND b = 2) AND c = 3", "and(and((SELF/1 equal 1), (SELF/1 equal 2)), (SELF/1 equal 3))"),
      ("a = 1 || b = 2 || c = 3", "or((SELF/1 equal 1), (SELF/1 equal 2), (SELF/1 equal 3))"),
      ("NOT a = 1 AND b = 2", "and(not((SELF/1 equal 1)), (SELF/1 equal 2))"),
      ("! (a = 1 && b = 2)", "not(and((SELF/1 equal 1), (SELF/1 equal 2)))"),
      ("NOT NOT a = 1", "not(not((SELF/1 equal 1)))"),
      ("!a = 1", "not((SELF/1 equal 1))"),
      ("NONE a = 1 AND b = 2", "and(not((ANYSELF/1 equal 1)), (SELF/1 equal 2))"),
      ("ANY a = 1 OR ALL b = 2", "or((ANYSELF/1 equal 1), (ALLSELF/1 equal 2))"),
      ("some a = 1", "(ANYSELF/1 equal 1)"),
      ("((a = 1))", "(SELF/1 equal 1)"),
      ("((a)) = ((1))", "(SELF/1 equal 1)"),
      ("(a + 1) * 2 > 3 AND (b)", nil),
      ("(a + 1) * 2 > 3 AND (b > 1)", "and((((SELF/1 + 1) * 2) greaterThan 3), (SELF/1 greaterThan 1))"),
      ("TRUEPREDICATE OR FALSEPREDICATE", "or(true, false)"),
    ] as [(String, String?)])
  func `Logical operators have the expected precedence`(_ format: String, _ outline: String?) {
    #expect((try? Predicate(format: format)).map { Outline.of($0) } == outline)
  }

  @Test(
    arguments: [
      ("a & 4 != 0", "bitwiseAnd:with:(a, 4) != 0"),
      ("a = b | 1", "a == bitwiseOr:with:(b, 1)"),
      ("NOT a & 1 = 1 AND b | 1 = 1", "NOT bitwiseAnd:with:(a, 1) == 1 AND bitwiseOr:with:(b, 1) == 1"),
      (
        "1 | 2 ^ 3 & 4 << 5 = 0",
        "bitwiseOr:with:(1, bitwiseXor:with:(2, bitwiseAnd:with:(3, leftshift:by:(4, 5)))) == 0"
      ),
      (
        "1 >> 2 & 3 ^ 4 | 5 = 0",
        "bitwiseOr:with:(bitwiseXor:with:(bitwiseAnd:with:(rightshift:by:(1, 2), 3), 4), 5) == 0"
      ),
      ("1 << 2 << 3 = 0", "leftshift:by:(leftshift:by:(1, 2), 3) == 0"),
      ("1 << 2 + 3 = 0", "leftshift:by:(1, 2 + 3) == 0"), ("(1 << 2) + 3 = 0", "leftshift:by:(1, 2) + 3 == 0"),
      ("~a & b = 0", "bitwiseAnd:with:(onesComplement:(a), b) == 0"),
      ("~a ** 2 = 0", "onesComplement:(a) ** 2 == 0"), ("~a.b[0] = 0", "onesComplement:(a.b[0]) == 0"),
      ("~ ~a = -~-1", "onesComplement:(onesComplement:(a)) == -onesComplement:(-1)"),
      ("a & b && c | d || e = 1", nil),
      (
        "a & b = 1 && c | d = 1 || ~e = 1",
        "(bitwiseAnd:with:(a, b) == 1 AND bitwiseOr:with:(c, d) == 1) OR onesComplement:(e) == 1"
      ),
      ("ANY a & 1 = 1", "ANY bitwiseAnd:with:(a, 1) == 1"),
    ] as [(String, String?)])
  func `Operators on bits have the precedence of C, above comparisons and below sums`(
    _ format: String, _ printed: String?
  ) {
    #expect((try? Predicate(format: format))?.description == printed)
  }

  @Test(
    arguments: [
      ("1 + 2 * 3", "(1 + (2 * 3))"),
      ("(1 + 2) * 3", "((1 + 2) * 3)"),
      ("1 - 2 - 3", "((1 - 2) - 3)"),
      ("8 / 4 / 2", "((8 / 4) / 2)"),
      ("2 ** 3 ** 2", "((2 ** 3) ** 2)"),
      ("2 * 3 ** 2", "(2 * (3 ** 2))"),
      ("4 + 5 - 2**3", "((4 + 5) - (2 ** 3))"),
      ("-a * b", "(minus(SELF/1) * SELF/1)"),
      ("-a ** 2", "(minus(SELF/1) ** 2)"),
      ("-2 ** 2", "(-2 ** 2)"),
      ("a -5", "(SELF/1 - 5)"),
      ("a - -5", "(SELF/1 - -5)"),
      ("- - 5", "minus(-5)"),
      ("-(5)", "minus(5)"),
      ("-a.b", "minus(SELF/2)"),
      ("-a[0]", "minus(SELF/1[])"),
      ("a.b.c + $x.y", "(SELF/3 + $x/1)"),
      ("(a.b).c", "SELF/2/1"),
      ("a[0].b", "SELF/1[]/1"),
      ("a.b[0][1]", "SELF/2[][]"),
      ("add:to:(a, b) * 2", "((SELF/1 + SELF/1) * 2)"),
    ])
  func `Arithmetic operators have the expected precedence`(_ format: String, _ outline: String) throws {
    #expect(Outline.of(try Expression(format: format)) == outline)
  }
}

/// The operator of an archived comparison.
struct ArchivedComparison {
  /// `==`, `CONTAINS[c]` and the like.
  let text: String
  /// `ALL` or `ANY`, with a space after it, or nothing.
  let quantifier: String

  init(_ archived: ArchivedObject) throws(ModelFileProblem) {
    let type: Int = try archived.integer("NSOperatorType")
    guard let name = Self.names[type] else {
      // An operator of the app's own, type 11, has no text that could be read again.
      throw .unsupportedExpression(subject: archived.subject, className: archived.className)
    }
    // Operators on texts keep their options under one key or the other.
    let options = try archived.integer("NSOptions", as: Int64.self) | archived.integer("NSFlags", as: Int64.self)
    let letters = Self.optionLetters.filter { options & $0.bit != 0 }.map(\.letter)
    text = letters.isEmpty ? name : "\(name)[\(letters.joined())]"
    switch try archived.integer("NSModifier", as: Int.self) {
    case 0: quantifier = ""
    case 1: quantifier = "ALL "
    case 2: quantifier = "ANY "
    default: throw archived.unexpected("NSModifier", "a number from 0 to 2")
    }
  }

  /// By the numbers of `NSPredicateOperatorType`.
  private static let names = [
    0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE", 8: "BEGINSWITH", 9: "ENDSWITH",
    10: "IN", 99: "CONTAINS", 100: "BETWEEN",
  ]

  /// By the bits of `NSComparisonPredicate.Options`.
  private static let optionLetters: [(bit: Int64, letter: String)] = [(1, "c"), (2, "d"), (4, "n"), (8, "l")]
}

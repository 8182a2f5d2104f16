internal import PropertyList

/// Writes archived predicates as the format text that `NSPredicate` gives of itself.
struct PredicateFormatter {
  private static let depthLimit = 64

  private let depth: Int

  init(depth: Int = 0) { self.depth = depth }

  /// The text for people: a predicate that has no certain text is named by the class that is not understood.
  static func description(_ predicate: ArchivedObject) throws(ModelFileProblem) -> String {
    do throws(ModelFileProblem) {
      return try PredicateFormatter().text(predicate)
    } catch .unsupportedExpression(_, let className) {
      return "<\(className)>"
    }
  }

  /// The text of a predicate.
  ///
  /// - Throws: `ModelFileProblem.unsupportedExpression` where the text is not known for certain.
  func text(_ predicate: ArchivedObject) throws(ModelFileProblem) -> String {
    guard depth < Self.depthLimit else { throw .archiveTooComplex(limit: Self.depthLimit) }
    let text: String =
      switch predicate.kind(of: Self.classes) {
      case "NSTruePredicate": "TRUEPREDICATE"
      case "NSFalsePredicate": "FALSEPREDICATE"
      case "NSComparisonPredicate": try comparison(predicate)
      case "NSCompoundPredicate": try compound(predicate)
      default: throw .unsupportedExpression(subject: predicate.subject, className: predicate.className)
      }
    // Shared parts can make a text grow without end.
    try predicate.archive.spend(text.utf8.count / 16)
    return text
  }

  private static let classes: Set = [
    "NSTruePredicate", "NSFalsePredicate", "NSComparisonPredicate", "NSCompoundPredicate",
  ]

  private func comparison(_ predicate: ArchivedObject) throws(ModelFileProblem) -> String {
    guard let left = try predicate.object("NSLeftExpression"), let right = try predicate.object("NSRightExpression"),
      let archived = try predicate.object("NSPredicateOperator")
    else { throw predicate.unexpected("NSPredicateOperator", "a comparison of two expressions") }
    let formatter = ExpressionFormatter()
    let words = [try formatter.text(left), try ArchivedComparison(archived).text, try formatter.text(right)]
    let quantifier = try ArchivedComparison(archived).quantifier
    return quantifier + words.joined(separator: " ")
  }

  private func compound(_ predicate: ArchivedObject) throws(ModelFileProblem) -> String {
    let parts = try predicate.list("NSSubpredicates").map { reference throws(ModelFileProblem) in
      guard let part = try predicate.archive.object(reference, subject: predicate.subject) else {
        throw predicate.unexpected("NSSubpredicates", "a list of predicates")
      }
      return try inParentheses(part)
    }
    switch try predicate.integer("NSCompoundPredicateType", as: Int.self) {
    case 0:
      guard let part = parts.first, parts.count == 1 else {
        throw predicate.unexpected("NSSubpredicates", "one predicate")
      }
      return "NOT \(part)"
    case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
    case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
    default: throw predicate.unexpected("NSCompoundPredicateType", "a number from 0 to 2")
    }
  }

  /// What is joined of several predicates stands in parentheses inside another.
  private func inParentheses(_ part: ArchivedObject) throws(ModelFileProblem) -> String {
    let text = try PredicateFormatter(depth: depth + 1).text(part)
    guard part.kind(of: Self.classes) == "NSCompoundPredicate", try part.list("NSSubpredicates").count > 1 else {
      return text
    }
    return "(\(text))"
  }
}

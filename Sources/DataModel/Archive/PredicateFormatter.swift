internal import PropertyListFormat

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

/// Writes archived expressions as the format text that `NSExpression` gives of itself.
///
/// The version hash of a derived attribute is made of that text. So it is written as it stands in the archive, and not
/// as an `Expression` prints it, which knows nicer forms: `a + b` for `add:to:(a, b)`, and `YES` for `1`.
struct ExpressionFormatter {
  private let depth: Int

  init(depth: Int = 0) { self.depth = depth }

  /// The text for people: an expression that has no certain text is named by its class.
  static func description(_ expression: ArchivedObject) throws(ModelFileProblem) -> String {
    do throws(ModelFileProblem) {
      return try ExpressionFormatter().text(expression)
    } catch .unsupportedExpression(_, let className) {
      return "<\(className)>"
    }
  }

  /// The text of an expression.
  ///
  /// - Throws: `ModelFileProblem.unsupportedExpression` where the text is not known for certain.
  func text(_ expression: ArchivedObject) throws(ModelFileProblem) -> String {
    guard depth < ArchivedExpression.depthLimit else {
      throw .archiveTooComplex(limit: ArchivedExpression.depthLimit)
    }
    let text: String =
      switch try ArchivedExpression(expression) {
      case .evaluatedObject: "SELF"
      case .variable(let name): "$" + name
      case .constant: try constant(expression)
      case .keyPathSpecifier(let path): FormatText.keyPath(path)
      case .keyPath(let operand, let arguments): try keyPath(operand, arguments, expression)
      case .function(let selector, let operand, let arguments): try function(selector, operand, arguments)
      case .aggregate(let elements): "{" + (try list(elements)) + "}"
      case .fetch(let request, let context, let onlyCounts):
        "FETCH(\(try part(request)), \(try part(context)), \(onlyCounts ? "YES" : "NO"))"
      }
    // Shared parts can make a text grow without end.
    try expression.archive.spend(text.utf8.count / 16)
    return text
  }

  private func part(_ expression: ArchivedObject) throws(ModelFileProblem) -> String {
    try ExpressionFormatter(depth: depth + 1).text(expression)
  }

  private func parts(_ expressions: [ArchivedObject]) throws(ModelFileProblem) -> [String] {
    try expressions.map { expression throws(ModelFileProblem) in try part(expression) }
  }

  private func list(_ expressions: [ArchivedObject]) throws(ModelFileProblem) -> String {
    try parts(expressions).joined(separator: ", ")
  }

  private func constant(_ expression: ArchivedObject) throws(ModelFileProblem) -> String {
    if let text = try expression.archive.text(expression.fields["NSConstantValue"]) { return FormatText.quoted(text) }
    switch try expression.value("NSConstantValue") {
    case .integer(let number): return "\(number)"
    case .boolean(let value): return value ? "1" : "0"
    case .real(let number): return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    case nil:
      guard let className = try expression.optional("NSConstantValueClassName") else { return "nil" }
      return "CAST(\(FormatText.quoted(className)), \"Class\")"
    default: throw .unsupportedExpression(subject: expression.subject, className: expression.className)
    }
  }

  private func keyPath(
    _ operand: ArchivedObject?, _ arguments: [ArchivedObject], _ expression: ArchivedObject
  ) throws(ModelFileProblem) -> String {
    guard let path = try parts(arguments).first else { throw expression.unexpected("NSArguments", "a key path") }
    guard let operand, operand.kind(of: ["NSSelfExpression"]) == nil else { return path }
    return try part(operand) + "." + path
  }

  private func function(
    _ selector: String, _ operand: ArchivedObject?, _ arguments: [ArchivedObject]
  ) throws(ModelFileProblem) -> String {
    let arguments = try parts(arguments)
    guard let operand, try operand.optional("NSConstantValueClassName") != ArchivedExpression.functionsClass else {
      return "\(selector)(\(arguments.joined(separator: ", ")))"
    }
    return "FUNCTION(\(([try part(operand), FormatText.quoted(selector)] + arguments).joined(separator: ", ")))"
  }
}

/// The operator of an archived comparison.
private struct ArchivedComparison {
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

/// What an archived expression consists of; its parts are archived expressions themselves.
package enum ArchivedExpression {
  case evaluatedObject
  case variable(String)
  /// The value stands in the object.
  case constant
  case keyPathSpecifier(String)
  /// A key path is archived as a call of `valueForKeyPath:` on what it starts from.
  case keyPath(operand: ArchivedObject?, arguments: [ArchivedObject])
  case function(selector: String, operand: ArchivedObject?, arguments: [ArchivedObject])
  case aggregate([ArchivedObject])
  case fetch(request: ArchivedObject, context: ArchivedObject, onlyCounts: Bool)

  /// How deep expressions may be nested in each other.
  package static let depthLimit = 64
  /// The class of Foundation that the functions of the format language belong to.
  package static let functionsClass = "_NSPredicateUtilities"

  // A key path is a function too, so the order in an object's own list of classes decides.
  private static let classes: Set = [
    "NSSelfExpression", "NSVariableExpression", "NSConstantValueExpression", "NSKeyPathSpecifierExpression",
    "NSKeyPathExpression", "NSFunctionExpression", "NSAggregateExpression", "NSFetchRequestExpression",
  ]

  /// Looks at an object.
  ///
  /// - Throws: `ModelFileProblem.unsupportedExpression` where it is no expression that is known.
  package init(_ object: ArchivedObject) throws(ModelFileProblem) {
    switch object.kind(of: Self.classes) {
    case "NSSelfExpression": self = .evaluatedObject
    case "NSVariableExpression": self = .variable(try object.required("NSVariable"))
    case "NSConstantValueExpression": self = .constant
    case "NSKeyPathSpecifierExpression": self = .keyPathSpecifier(try object.required("NSKeyPath"))
    case "NSKeyPathExpression":
      self = .keyPath(operand: try object.object("NSOperand"), arguments: try object.expressions("NSArguments"))
    case "NSFunctionExpression":
      self = .function(
        selector: try object.required("NSSelectorName"), operand: try object.object("NSOperand"),
        arguments: try object.expressions("NSArguments"))
    case "NSAggregateExpression": self = .aggregate(try object.expressions("NSCollection"))
    case "NSFetchRequestExpression":
      self = .fetch(
        request: try object.expression("NSFRExpression"), context: try object.expression("NSMOCExpression"),
        onlyCounts: try object.boolean("NSCountOnlyFlag"))
    default: throw .unsupportedExpression(subject: object.subject, className: object.className)
    }
  }
}

extension ArchivedObject {
  fileprivate func required(_ key: String) throws(ModelFileProblem) -> String {
    guard let text = try optional(key) else { throw unexpected(key, "a text") }
    return text
  }

  fileprivate func expression(_ key: String) throws(ModelFileProblem) -> ArchivedObject {
    guard let part = try object(key) else { throw unexpected(key, "an expression") }
    return part
  }

  fileprivate func expressions(_ key: String) throws(ModelFileProblem) -> [ArchivedObject] {
    try list(key).map { reference throws(ModelFileProblem) in
      guard let part = try archive.object(reference, subject: subject) else {
        throw unexpected(key, "a list of expressions")
      }
      return part
    }
  }
}

/// How names and texts are written inside the formats of expressions and predicates.
private enum FormatText {
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Names that are words of the format language too are marked by `#`, as Apple's predicate guide says.
  static func keyPath(_ path: String) -> String {
    path.split(separator: ".", omittingEmptySubsequences: false)
      .map { reservedWords.contains($0.uppercased()) ? "#\($0)" : String($0) }
      .joined(separator: ".")
  }

  private static let reservedWords: Set = [
    "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI", "MATCHES", "CONTAINS",
    "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE",
    "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE", "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS",
  ]
}

internal import PropertyList

/// Writes archived expressions as the format text that `NSExpression` gives of itself.
///
/// The version hash of a derived attribute is made of that text.
struct ExpressionFormatter {
  /// How deep expressions and predicates may be nested in each other.
  private static let depthLimit = 64

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
    guard depth < Self.depthLimit else { throw .archiveTooComplex(limit: Self.depthLimit) }
    let text: String =
      switch expression.kind(of: Self.classes) {
      case "NSSelfExpression": "SELF"
      case "NSVariableExpression": "$" + (try name("NSVariable", of: expression))
      case "NSConstantValueExpression": try constant(expression)
      case "NSKeyPathSpecifierExpression": FormatText.keyPath(try name("NSKeyPath", of: expression))
      case "NSKeyPathExpression": try keyPath(expression)
      case "NSFunctionExpression": try function(expression)
      case "NSAggregateExpression": "{" + (try list("NSCollection", of: expression).joined(separator: ", ")) + "}"
      case "NSFetchRequestExpression": try fetch(expression)
      default: throw .unsupportedExpression(subject: expression.subject, className: expression.className)
      }
    // Shared parts can make a text grow without end.
    try expression.archive.spend(text.utf8.count / 16)
    return text
  }

  // A key path is a function too, so the order in an object's own list of classes decides.
  private static let classes: Set = [
    "NSSelfExpression", "NSVariableExpression", "NSConstantValueExpression", "NSKeyPathSpecifierExpression",
    "NSKeyPathExpression", "NSFunctionExpression", "NSAggregateExpression", "NSFetchRequestExpression",
  ]

  private func name(_ key: String, of expression: ArchivedObject) throws(ModelFileProblem) -> String {
    guard let name = try expression.optional(key) else { throw expression.unexpected(key, "a text") }
    return name
  }

  private func part(_ key: String, of expression: ArchivedObject) throws(ModelFileProblem) -> String {
    guard let part = try expression.object(key) else { throw expression.unexpected(key, "an expression") }
    return try ExpressionFormatter(depth: depth + 1).text(part)
  }

  private func list(_ key: String, of expression: ArchivedObject) throws(ModelFileProblem) -> [String] {
    try parts(key, of: expression).map { part throws(ModelFileProblem) in
      try ExpressionFormatter(depth: depth + 1).text(part)
    }
  }

  private func parts(_ key: String, of expression: ArchivedObject) throws(ModelFileProblem) -> [ArchivedObject] {
    try expression.list(key).map { reference throws(ModelFileProblem) in
      guard let part = try expression.archive.object(reference, subject: expression.subject) else {
        throw expression.unexpected(key, "a list of expressions")
      }
      return part
    }
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

  /// A key path is archived as a call of `valueForKeyPath:` on what it starts from.
  private func keyPath(_ expression: ArchivedObject) throws(ModelFileProblem) -> String {
    guard let path = try list("NSArguments", of: expression).first else {
      throw expression.unexpected("NSArguments", "a key path")
    }
    guard let operand = try expression.object("NSOperand"), operand.kind(of: ["NSSelfExpression"]) == nil else {
      return path
    }
    return try part("NSOperand", of: expression) + "." + path
  }

  private func function(_ expression: ArchivedObject) throws(ModelFileProblem) -> String {
    let selector = try name("NSSelectorName", of: expression)
    let arguments = try list("NSArguments", of: expression)
    // The functions of the format language belong to a class of Foundation.
    let owner = try expression.object("NSOperand")?.optional("NSConstantValueClassName")
    guard let operand = try expression.object("NSOperand"), owner != "_NSPredicateUtilities" else {
      return "\(selector)(\(arguments.joined(separator: ", ")))"
    }
    let receiver = try ExpressionFormatter(depth: depth + 1).text(operand)
    return "FUNCTION(\(([receiver, FormatText.quoted(selector)] + arguments).joined(separator: ", ")))"
  }

  private func fetch(_ expression: ArchivedObject) throws(ModelFileProblem) -> String {
    let onlyCounts = try expression.boolean("NSCountOnlyFlag") ? "YES" : "NO"
    return
      "FETCH(\(try part("NSFRExpression", of: expression)), \(try part("NSMOCExpression", of: expression)), \(onlyCounts))"
  }
}

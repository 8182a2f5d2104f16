internal import PropertyList

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

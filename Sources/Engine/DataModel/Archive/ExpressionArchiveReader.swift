package import CoreDataExpressions
internal import PropertyListFormat

/// Reads archived expressions and predicates, object by object.
package struct ExpressionArchiveReader {
  /// Which of several equivalent forms is read.
  package enum Form {
    /// The form that the parser returns: `a + b` for `add:to:(a, b)`, and constants with their types.
    case parsed
    /// The form that prints as `NSExpression` prints itself: `add:to:(a, b)`, and `1` for `YES`.
    ///
    /// The version hash of a derived attribute is computed from that text.
    case printed
  }

  package static let castSelector = "castObject:toType:"
  /// The class of Foundation that owns the functions of the format language.
  package static let functionsClass = "_NSPredicateUtilities"
  /// The greatest depth of nested expressions and predicates.
  private static let depthLimit = 64

  private let form: Form
  private var depth = 0

  package init(_ form: Form = .parsed) { self.form = form }

  private var inner: Self {
    var inner = self
    inner.depth += 1
    return inner
  }

  private func checkDepth() throws(ModelFileProblem) {
    guard depth < Self.depthLimit else { throw .archiveTooComplex(limit: Self.depthLimit) }
  }

  // A key path is also a function, so the order in an object's own list of classes decides.
  private static let expressionClasses: Set = [
    "NSSelfExpression", "NSVariableExpression", "NSConstantValueExpression", "NSKeyPathSpecifierExpression",
    "NSKeyPathExpression", "NSFunctionExpression", "NSAggregateExpression", "NSFetchRequestExpression",
    "NSTernaryExpression",
  ]

  /// Reads an expression.
  ///
  /// - Throws: `ModelFileProblem.unsupportedExpression` if a part is of an unknown class.
  package func expression(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    try checkDepth()
    switch object.kind(of: Self.expressionClasses) {
    case "NSSelfExpression": return .evaluatedObject
    case "NSVariableExpression": return .variable(try object.required("NSVariable"))
    case "NSConstantValueExpression": return try constant(object)
    case "NSKeyPathSpecifierExpression": return .keyPath(.evaluatedObject, try keyPath(object))
    case "NSKeyPathExpression": return try keyPath(of: object)
    case "NSFunctionExpression": return try function(object)
    case "NSAggregateExpression": return .aggregate(try parts("NSCollection", of: object))
    case "NSFetchRequestExpression":
      return .fetch(
        request: try part("NSFRExpression", of: object), context: try part("NSMOCExpression", of: object),
        countOnly: try object.boolean("NSCountOnlyFlag"))
    case "NSTernaryExpression":
      guard let predicate = try object.object("NSPredicate") else {
        throw object.unexpected("NSPredicate", "a predicate")
      }
      return .ternary(
        try inner.predicate(predicate), try part("NSTrueExpression", of: object),
        try part("NSFalseExpression", of: object))
    default: throw Self.unsupported(object)
    }
  }

  private func part(_ key: String, of object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard let part = try object.object(key) else { throw object.unexpected(key, "an expression") }
    return try inner.expression(part)
  }

  private func parts(_ key: String, of object: ArchivedObject) throws(ModelFileProblem) -> [Expression] {
    let parts = try object.objects(key, "a list of expressions")
    return try parts.map { part throws(ModelFileProblem) in try inner.expression(part) }
  }

  private func keyPath(_ specifier: ArchivedObject) throws(ModelFileProblem) -> [KeyPathComponent] {
    let text = try specifier.required("NSKeyPath")
    if form == .printed { return text.split(separator: ".", omittingEmptySubsequences: false).map { .key(String($0)) } }
    guard let path = [KeyPathComponent](keyPath: text) else { throw specifier.unexpected("NSKeyPath", "a key path") }
    return path
  }

  /// A key path is archived as a call of `valueForKeyPath:` on the object that it starts from.
  private func keyPath(of object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard case .keyPath(.evaluatedObject, let path)? = try parts("NSArguments", of: object).first else {
      throw object.unexpected("NSArguments", "a key path")
    }
    let operand = try object.object("NSOperand").map { part throws(ModelFileProblem) in try inner.expression(part) }
    if form == .printed, case .keyPath(let start, let first)? = operand { return .keyPath(start, first + path) }
    return .keyPath(operand ?? .evaluatedObject, path)
  }

  private func function(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    let selector = try object.required("NSSelectorName")
    let operand = try object.object("NSOperand")
    let arguments = try parts("NSArguments", of: object)
    if let operand, try operand.optional("NSConstantValueClassName") != Self.functionsClass {
      let target = try inner.expression(operand)
      return form == .parsed
        ? .call(target, selector, arguments) : .function(target: target, selector: selector, arguments: arguments)
    }
    if form == .parsed, arguments.count == 2 {
      if let symbol = ArithmeticOperator(selector: selector) { return .arithmetic(symbol, arguments[0], arguments[1]) }
      if selector == Self.castSelector, case .constant(.string(let type)) = arguments[1] {
        return .cast(arguments[0], type: type)
      }
    }
    return .function(target: nil, selector: selector, arguments: arguments)
  }

  private static func unsupported(_ object: ArchivedObject, _ className: String? = nil) -> ModelFileProblem {
    .unsupportedExpression(subject: object.subject, className: className ?? object.className)
  }

  // MARK: - Constants

  private func constant(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    if let text = try object.archive.text(object.fields["NSConstantValue"]) { return .constant(.string(text)) }
    let value = try object.value("NSConstantValue")
    switch (value, form) {
    case (.integer(let number), _): return .constant(.integer(number))
    case (.boolean(let value), .printed): return .constant(.integer(value ? 1 : 0))
    case (.boolean(let value), .parsed): return .constant(.boolean(value))
    case (.real(let number), _):
      if form == .printed, let whole = Int64(exactly: number) { return .constant(.integer(whole)) }
      return .constant(.real(number))
    case (nil, _):
      guard let name = try object.optional("NSConstantValueClassName") else { return .null }
      // A class is not a value, only the owner of functions.
      guard form == .printed else { throw Self.unsupported(object, "class \(name)") }
      return .cast(.constant(.string(name)), type: "Class")
    case (_, .printed): throw Self.unsupported(object)
    case (.date(let seconds), .parsed): return FormatArgument.date(seconds).expression
    default: return try archivedConstant(object)
    }
  }

  /// A constant of a class that is archived as an object.
  private func archivedConstant(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard let constant = try object.object("NSConstantValue") else { throw Self.unsupported(object, "a constant") }
    switch constant.kind(of: ["NSNull", "NSDate"]) {
    case "NSNull": return .null
    case "NSDate":
      guard let seconds = try constant.value("NS.time")?.real else { throw constant.unexpected("NS.time", "a number") }
      return FormatArgument.date(seconds).expression
    default: throw Self.unsupported(object, constant.className)
    }
  }

  // MARK: - Predicates

  private static let predicateClasses: Set = [
    "NSTruePredicate", "NSFalsePredicate", "NSComparisonPredicate", "NSCompoundPredicate",
  ]

  /// By the numbers of `NSComparisonPredicate.Operator`.
  private static let operators: [Int: ComparisonOperator] = [
    0: .lessThan, 1: .lessThanOrEqual, 2: .greaterThan, 3: .greaterThanOrEqual, 4: .equal, 5: .notEqual, 6: .matches,
    7: .like, 8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
  ]

  /// Reads a predicate.
  ///
  /// - Throws: `ModelFileProblem.unsupportedExpression` if a part is of an unknown class.
  func predicate(_ object: ArchivedObject) throws(ModelFileProblem) -> Predicate {
    try checkDepth()
    switch object.kind(of: Self.predicateClasses) {
    case "NSTruePredicate": return .constant(true)
    case "NSFalsePredicate": return .constant(false)
    case "NSComparisonPredicate": return try comparison(object)
    case "NSCompoundPredicate": return try compound(object)
    default: throw Self.unsupported(object)
    }
  }

  private func comparison(_ object: ArchivedObject) throws(ModelFileProblem) -> Predicate {
    guard let left = try object.object("NSLeftExpression"), let right = try object.object("NSRightExpression"),
      let archived = try object.object("NSPredicateOperator")
    else { throw object.unexpected("NSPredicateOperator", "a comparison of two expressions") }
    // An app's own operator, type 11, has no text that could be read again.
    guard let comparisonOperator = Self.operators[try archived.integer("NSOperatorType")] else {
      throw Self.unsupported(archived)
    }
    let modifiers: [ComparisonModifier] = [.direct, .all, .any]
    let modifier = try archived.integer("NSModifier", as: Int.self)
    guard modifiers.indices.contains(modifier) else { throw archived.unexpected("NSModifier", "a number from 0 to 2") }
    // Operators on text keep their options under one key or the other.
    let options = try archived.integer("NSOptions", as: Int64.self) | archived.integer("NSFlags", as: Int64.self)
    return .compare(
      try inner.expression(left), comparisonOperator, try inner.expression(right),
      options: ComparisonOptions(rawValue: UInt8(truncatingIfNeeded: options)), modifier: modifiers[modifier])
  }

  private func compound(_ object: ArchivedObject) throws(ModelFileProblem) -> Predicate {
    let parts = try object.objects("NSSubpredicates", "a list of predicates").map {
      part throws(ModelFileProblem) in try inner.predicate(part)
    }
    switch try object.integer("NSCompoundPredicateType", as: Int.self) {
    case 0:
      guard parts.count == 1 else { throw object.unexpected("NSSubpredicates", "one predicate") }
      return .not(parts[0])
    case 1: return .and(parts)
    case 2: return .or(parts)
    default: throw object.unexpected("NSCompoundPredicateType", "a number from 0 to 2")
    }
  }
}

extension ArchivedObject {
  /// The text of an expression that may be missing, for people: an expression without a known text is shown as its
  /// class.
  func expressionText(_ key: String) throws(ModelFileProblem) -> String? {
    guard let expression = try object(key) else { return nil }
    do throws(ModelFileProblem) {
      return try ExpressionArchiveReader(.printed).expression(expression).description
    } catch .unsupportedExpression(_, let className) {
      return "<\(className)>"
    }
  }

  /// The text of a predicate that may be missing, for people: a predicate without a known text is shown as its class.
  func predicateText(_ key: String) throws(ModelFileProblem) -> String? {
    guard let predicate = try object(key) else { return nil }
    do throws(ModelFileProblem) {
      return try ExpressionArchiveReader(.printed).predicate(predicate).description
    } catch .unsupportedExpression(_, let className) {
      return "<\(className)>"
    }
  }

  fileprivate func required(_ key: String) throws(ModelFileProblem) -> String {
    guard let text = try optional(key) else { throw unexpected(key, "a text") }
    return text
  }
}

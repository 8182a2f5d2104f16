package import DataModel
package import Expressions
internal import PropertyList

extension Expression {
  /// Reads an archived expression: a keyed archive of an `NSExpression`.
  package init(archive bytes: [UInt8]) throws(ModelFileProblem) {
    guard let root = try ModelArchive(bytes).root(subject: "the expression") else {
      throw .notAnArchive("It holds no object.")
    }
    self = try ExpressionArchiveReader().expression(root)
  }
}

/// Reads archived expressions object by object, without a detour by their text, which would lose types: `2.0` is `2`
/// there, and `YES` is `1`.
struct ExpressionArchiveReader {
  /// How deep expressions may be nested in each other.
  private static let depthLimit = 64
  /// The class of Foundation that the functions of the format language belong to.
  static let functionsClass = "_NSPredicateUtilities"
  static let castSelector = "castObject:toType:"

  // A key path is a function too, so the order in an object's own list of classes decides.
  private static let classes: Set = [
    "NSSelfExpression", "NSVariableExpression", "NSConstantValueExpression", "NSKeyPathSpecifierExpression",
    "NSKeyPathExpression", "NSFunctionExpression", "NSAggregateExpression", "NSFetchRequestExpression",
  ]

  private let depth: Int

  init(depth: Int = 0) { self.depth = depth }

  func expression(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard depth < Self.depthLimit else { throw .archiveTooComplex(limit: Self.depthLimit) }
    switch object.kind(of: Self.classes) {
    case "NSSelfExpression": return .evaluatedObject
    case "NSVariableExpression": return .variable(try text("NSVariable", of: object))
    case "NSConstantValueExpression": return try ArchivedConstant.expression(object)
    case "NSKeyPathSpecifierExpression": return .keyPath(.evaluatedObject, try path(object))
    case "NSKeyPathExpression": return try keyPath(object)
    case "NSFunctionExpression": return try function(object)
    case "NSAggregateExpression": return .aggregate(try parts("NSCollection", of: object))
    case "NSFetchRequestExpression":
      return .fetch(
        request: try part("NSFRExpression", of: object), context: try part("NSMOCExpression", of: object),
        countOnly: try object.boolean("NSCountOnlyFlag"))
    default: throw .unsupportedExpression(subject: object.subject, className: object.className)
    }
  }

  private func text(_ key: String, of object: ArchivedObject) throws(ModelFileProblem) -> String {
    guard let text = try object.optional(key) else { throw object.unexpected(key, "a text") }
    return text
  }

  private func part(_ key: String, of object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard let part = try object.object(key) else { throw object.unexpected(key, "an expression") }
    return try ExpressionArchiveReader(depth: depth + 1).expression(part)
  }

  private func parts(_ key: String, of object: ArchivedObject) throws(ModelFileProblem) -> [Expression] {
    try object.list(key).map { reference throws(ModelFileProblem) in
      guard let part = try object.archive.object(reference, subject: object.subject) else {
        throw object.unexpected(key, "a list of expressions")
      }
      return try ExpressionArchiveReader(depth: depth + 1).expression(part)
    }
  }

  private func path(_ object: ArchivedObject) throws(ModelFileProblem) -> [KeyPathComponent] {
    guard let path = [KeyPathComponent](keyPath: try text("NSKeyPath", of: object)) else {
      throw object.unexpected("NSKeyPath", "a key path")
    }
    return path
  }

  /// A key path is archived as a call of `valueForKeyPath:` on what it starts from.
  private func keyPath(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard case .keyPath(.evaluatedObject, let path)? = try parts("NSArguments", of: object).first else {
      throw object.unexpected("NSArguments", "a key path")
    }
    guard try object.object("NSOperand") != nil else { return .keyPath(.evaluatedObject, path) }
    return .keyPath(try part("NSOperand", of: object), path)
  }

  private func function(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    let selector = try text("NSSelectorName", of: object)
    let arguments = try parts("NSArguments", of: object)
    guard let operand = try object.object("NSOperand") else {
      return Self.builtIn(selector, arguments)
    }
    if try operand.optional("NSConstantValueClassName") == Self.functionsClass {
      return Self.builtIn(selector, arguments)
    }
    return .function(target: try part("NSOperand", of: object), selector: selector, arguments: arguments)
  }

  /// A function of the format language, in the form that the parser gives it.
  private static func builtIn(_ selector: String, _ arguments: [Expression]) -> Expression {
    if arguments.count == 2, let symbol = ArithmeticOperator(selector: selector) {
      return .arithmetic(symbol, arguments[0], arguments[1])
    }
    if arguments.count == 2, selector == castSelector, case .constant(.string(let type)) = arguments[1] {
      return .cast(arguments[0], type: type)
    }
    return .function(target: nil, selector: selector, arguments: arguments)
  }
}

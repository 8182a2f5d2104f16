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
  static let castSelector = "castObject:toType:"

  private let depth: Int

  init(depth: Int = 0) { self.depth = depth }

  func expression(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard depth < ArchivedExpression.depthLimit else {
      throw .archiveTooComplex(limit: ArchivedExpression.depthLimit)
    }
    switch try ArchivedExpression(object) {
    case .evaluatedObject: return .evaluatedObject
    case .variable(let name): return .variable(name)
    case .constant: return try ArchivedConstant.expression(object)
    case .keyPathSpecifier(let path):
      guard let path = [KeyPathComponent](keyPath: path) else { throw object.unexpected("NSKeyPath", "a key path") }
      return .keyPath(.evaluatedObject, path)
    case .keyPath(let operand, let arguments):
      guard case .keyPath(.evaluatedObject, let path)? = try parts(arguments).first else {
        throw object.unexpected("NSArguments", "a key path")
      }
      return .keyPath(try operand.map(part) ?? .evaluatedObject, path)
    case .function(let selector, let operand, let arguments): return try function(selector, operand, parts(arguments))
    case .aggregate(let elements): return .aggregate(try parts(elements))
    case .fetch(let request, let context, let onlyCounts):
      return .fetch(request: try part(request), context: try part(context), countOnly: onlyCounts)
    }
  }

  private func part(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    try ExpressionArchiveReader(depth: depth + 1).expression(object)
  }

  private func parts(_ objects: [ArchivedObject]) throws(ModelFileProblem) -> [Expression] {
    try objects.map { object throws(ModelFileProblem) in try part(object) }
  }

  private func function(
    _ selector: String, _ operand: ArchivedObject?, _ arguments: [Expression]
  ) throws(ModelFileProblem) -> Expression {
    guard let operand, try operand.optional("NSConstantValueClassName") != ArchivedExpression.functionsClass else {
      return Self.builtIn(selector, arguments)
    }
    return .function(target: try part(operand), selector: selector, arguments: arguments)
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

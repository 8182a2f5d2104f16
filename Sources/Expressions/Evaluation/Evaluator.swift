/// Walks an expression and gives its value.
///
/// It serves one evaluation.
final class Evaluator {
  private(set) var context: EvaluationContext
  private var depth = 0

  init(_ context: EvaluationContext) {
    self.context = context
  }

  /// The value of an expression.
  ///
  /// Each kind has a function of its own, which keeps the stack of deep ones small.
  func value(of expression: Expression) throws -> ExpressionValue {
    try descend()
    defer { depth -= 1 }
    switch expression {
    case .constant(let literal): return literal.value
    case .evaluatedObject: return context.object
    case .variable(let name): return try variable(name)
    case .keyPath(let operand, let path): return try value(of: operand, path)
    case .element(let collection, let index): return try element(of: collection, at: index)
    case .function(let target, let selector, let arguments): return try call(target, selector, arguments)
    case .aggregate(let elements): return .collection(.array, try values(of: elements))
    case .arithmetic(let symbol, let left, let right): return try arithmetic(symbol, left, right)
    case .negative(let operand): return try negative(operand)
    case .subquery(let collection, let variable, let condition): return try subquery(collection, variable, condition)
    case .cast(let operand, let type): return try Cast.value(value(of: operand), to: type)
    case .ternary(let condition, let yes, let no): return try value(of: isTrue(condition) ? yes : no)
    case .fetch(let request, let source, let countOnly): return try fetch(request, source, countOnly)
    }
  }

  /// Tells whether a predicate is true.
  ///
  /// AND and OR stop as soon as the result is known.
  func isTrue(_ predicate: Predicate) throws -> Bool {
    try descend()
    defer { depth -= 1 }
    switch predicate {
    case .constant(let value): return value
    case .comparison(let comparison): return try isTrue(comparison)
    case .and(let parts): return try parts.allSatisfy { try isTrue($0) }
    case .or(let parts): return try parts.contains { try isTrue($0) }
    case .not(let part): return try !isTrue(part)
    }
  }

  /// The values of several expressions.
  func values(of expressions: [Expression]) throws -> [ExpressionValue] {
    try expressions.map { try value(of: $0) }
  }

  /// Hand-made trees can be of any height, which the stack is not.
  private func descend() throws {
    guard depth < context.depthLimit else { throw EvaluationError.tooDeep(limit: context.depthLimit) }
    depth += 1
  }

  private func variable(_ name: String) throws -> ExpressionValue {
    guard let value = context.variables[name] else { throw EvaluationError.unknownVariable(name) }
    return value
  }

  private func subquery(
    _ collection: Expression, _ variable: String, _ condition: Predicate
  ) throws -> ExpressionValue {
    let source = try value(of: collection)
    guard !source.isNull else { return .null }
    guard case .collection(let kind, let elements) = source else {
      throw EvaluationError.wrongKind(operation: "SUBQUERY", expected: "a collection", found: source.kindName)
    }
    let outer = context.variables[variable]
    defer { context.variables[variable] = outer }
    let chosen = try elements.filter { element in
      context.variables[variable] = element
      return try isTrue(condition)
    }
    return .collection(kind, chosen)
  }

  private func fetch(_ request: Expression, _ source: Expression, _ countOnly: Bool) throws -> ExpressionValue {
    guard let fetcher = context.fetcher else { throw EvaluationError.noFetcher }
    return try fetcher(value(of: request), value(of: source), countOnly)
  }
}

extension Literal {
  /// The literal as a value.
  var value: ExpressionValue {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .string(let value): .string(value)
    }
  }
}

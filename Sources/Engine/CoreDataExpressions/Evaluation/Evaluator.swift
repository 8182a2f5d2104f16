/// Evaluates one expression or predicate.
final class Evaluator {
  private(set) var context: EvaluationContext
  private var depth = 0

  init(_ context: EvaluationContext) {
    self.context = context
  }

  /// The value of an expression.
  ///
  /// Each kind has its own function, which keeps stack frames small for deep expressions.
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

  /// Returns whether a predicate is true.
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

  /// Trees created in code can have any height, but the stack is limited.
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

/// The inputs of an evaluation.
///
/// One context is used for many objects: set `object`, then evaluate. Compiled regular expressions are kept.
package struct EvaluationContext {
  /// Calls a function that is not built in: the target of `FUNCTION` (`nil` for a function without one), the selector
  /// and the arguments.
  package typealias Invoker = (ExpressionValue?, String, [ExpressionValue]) throws -> ExpressionValue

  /// Executes `FETCH`: the request, the context and whether only the count is asked for.
  package typealias Fetcher = (ExpressionValue, ExpressionValue, Bool) throws -> ExpressionValue

  /// The value of SELF, to which plain keys refer.
  package var object: ExpressionValue
  /// The values of `$` variables, by their names without the sign.
  package var variables: [String: ExpressionValue]
  /// Calls functions that are not built in.
  package var invoker: Invoker?
  /// Executes `FETCH`.
  package var fetcher: Fetcher?
  /// Returns `now()`, in seconds since 2001. (default: no clock)
  package var clock: (() -> Double)?
  /// The maximum nesting depth; the parser allows 200 levels.
  package var depthLimit = Parser.depthLimit + 100

  let patterns = PatternCache()

  /// Creates a context.
  package init(
    object: ExpressionValue = .null, variables: [String: ExpressionValue] = [:], invoker: Invoker? = nil,
    clock: (() -> Double)? = nil
  ) {
    self.object = object
    self.variables = variables
    self.invoker = invoker
    self.clock = clock
  }
}

extension Expression {
  /// Evaluates the expression.
  ///
  /// - Throws: `EvaluationError`, or any error of an object or the invoker.
  package func value(in context: EvaluationContext) throws -> ExpressionValue {
    try Evaluator(context).value(of: self)
  }
}

extension Predicate {
  /// Returns whether the predicate is true.
  ///
  /// - Throws: `EvaluationError`, or any error of an object or the invoker.
  package func evaluate(in context: EvaluationContext) throws -> Bool {
    try Evaluator(context).isTrue(self)
  }
}

extension Evaluator {
  func arithmetic(_ symbol: ArithmeticOperator, _ left: Expression, _ right: Expression) throws -> ExpressionValue {
    try Arithmetic.apply(symbol, value(of: left), value(of: right))
  }

  func negative(_ operand: Expression) throws -> ExpressionValue {
    let value = try value(of: operand)
    // The negation of 0.0 is -0.0, which subtraction would not return.
    if case .real(let real) = value { return .real(-real) }
    return try Arithmetic.apply(.subtract, .integer(0), value, "-")
  }

  /// `collection[FIRST]` and similar.
  ///
  /// Only FIRST and LAST of an empty collection are nil; other places out of range are errors.
  func element(of expression: Expression, at index: CollectionIndex) throws -> ExpressionValue {
    let source = try value(of: expression)
    switch (index, source) {
    case (_, .null): return .null
    case (.position(let position), _): return try element(of: source, at: value(of: position))
    case (.first, .collection(_, let elements)): return elements.first ?? .null
    case (.last, .collection(_, let elements)): return elements.last ?? .null
    case (.size, .collection(_, let elements)): return .integer(Int64(elements.count))
    case (.size, .dictionary(let values)): return .integer(Int64(values.count))
    case (_, .dictionary): throw Self.noKey
    default: throw EvaluationError.wrongKind(operation: "[]", expected: "a collection", found: source.kindName)
    }
  }

  /// The element at a position, or the value under a key of a dictionary.
  func element(of source: ExpressionValue, at position: ExpressionValue) throws -> ExpressionValue {
    switch source {
    case .null: return .null
    case .dictionary(let values):
      guard case .string(let key) = position else { throw Self.noKey }
      return values[key] ?? .null
    case .collection(_, let elements):
      let place = try Arithmetic.integer(position, "[]")
      guard let place = Int(exactly: place), elements.indices.contains(place) else {
        throw EvaluationError.indexOutOfRange(place, count: elements.count)
      }
      return elements[place]
    default: throw EvaluationError.wrongKind(operation: "[]", expected: "a collection", found: source.kindName)
    }
  }

  private static let noKey = EvaluationError.wrongKind(
    operation: "[]", expected: "a key of a dictionary", found: "something else")

  // MARK: - Comparisons

  /// Whether a comparison holds.
  func isTrue(_ comparison: Comparison) throws -> Bool {
    let left = try value(of: comparison.left)
    let right = try value(of: comparison.right)
    guard comparison.modifier != .direct else { return try holds(comparison, left, right) }
    guard let elements = left.elements else {
      throw EvaluationError.wrongKind(
        operation: comparison.modifier.rawValue, expected: "a collection", found: left.kindName)
    }
    return comparison.modifier == .any
      ? try elements.contains { try holds(comparison, $0, right) }
      : try elements.allSatisfy { try holds(comparison, $0, right) }
  }

  private func holds(_ comparison: Comparison, _ left: ExpressionValue, _ right: ExpressionValue) throws -> Bool {
    let options = comparison.options
    switch comparison.comparisonOperator {
    case .equal: return areEqual(left, right, options)
    case .notEqual: return !areEqual(left, right, options)
    case .lessThan: return try order(left, right, comparison) == .before
    case .greaterThan: return try order(left, right, comparison) == .after
    case .lessThanOrEqual: return [.before, .same].contains(try order(left, right, comparison))
    case .greaterThanOrEqual: return [.after, .same].contains(try order(left, right, comparison))
    case .between: return try isBetween(left, right, comparison)
    case .in: return try contains(right, left, comparison)
    case .contains: return try contains(left, right, comparison)
    case .beginsWith, .endsWith, .like, .matches: return try text(left, right, comparison)
    }
  }

  private func areEqual(_ left: ExpressionValue, _ right: ExpressionValue, _ options: ComparisonOptions) -> Bool {
    guard case .string(let first) = left, case .string(let second) = right, !options.folding.isEmpty else {
      return left == right
    }
    return Order(text: TextFolding.fold(first, options), TextFolding.fold(second, options)) == .same
  }

  /// The order of two values; `nil` if one is nil, for nil is neither before nor after anything.
  private func order(_ left: ExpressionValue, _ right: ExpressionValue, _ comparison: Comparison) throws -> Order? {
    if left.isNull || right.isNull { return nil }
    let name = comparison.comparisonOperator.rawValue
    guard case .string(let first) = left, case .string(let second) = right else {
      return try ValueOrder.compare(left, right, name)
    }
    return Order(
      text: TextFolding.fold(first, comparison.options), TextFolding.fold(second, comparison.options))
  }

  private func isBetween(_ value: ExpressionValue, _ bounds: ExpressionValue, _ comparison: Comparison) throws -> Bool {
    guard case .collection(_, let elements) = bounds, elements.count == 2 else {
      throw EvaluationError.wrongKind(
        operation: "BETWEEN", expected: "a collection of two values", found: bounds.kindName)
    }
    let (lower, upper) = (try order(value, elements[0], comparison), try order(value, elements[1], comparison))
    return (lower == .after || lower == .same) && (upper == .before || upper == .same)
  }

  /// Whether a collection contains an element, or text contains a part.
  private func contains(
    _ whole: ExpressionValue, _ part: ExpressionValue, _ comparison: Comparison
  ) throws -> Bool {
    switch whole {
    case .null: return false
    case .collection(_, let elements): return elements.contains { areEqual($0, part, comparison.options) }
    default: return try text(whole, part, comparison, .contains)
    }
  }

  private func text(
    _ left: ExpressionValue, _ right: ExpressionValue, _ comparison: Comparison, _ symbol: ComparisonOperator? = nil
  ) throws -> Bool {
    if left.isNull || right.isNull { return false }
    guard case .string(let first) = left, case .string(let second) = right else {
      let wrong = if case .string = left { right } else { left }
      throw EvaluationError.wrongKind(
        operation: comparison.comparisonOperator.rawValue, expected: "text", found: wrong.kindName)
    }
    return try TextComparison.holds(
      symbol ?? comparison.comparisonOperator, first, second, comparison.options, context.patterns)
  }
}

extension ExpressionValue {
  /// The elements of a collection; nil, such as a path through a missing object, is empty.
  fileprivate var elements: [ExpressionValue]? {
    switch self {
    case .collection(_, let elements): elements
    case .null: []
    default: nil
    }
  }
}

extension Evaluator {
  /// The value of a key path.
  func value(of operand: Expression, _ path: [KeyPathComponent]) throws -> ExpressionValue {
    try Self.follow(path[...], from: value(of: operand))
  }

  /// Follows a path from a value, as `value(forKeyPath:)` does: nil stays nil, collections are followed element by
  /// element, and an operator takes the rest of the path as its argument.
  static func follow(_ path: ArraySlice<KeyPathComponent>, from start: ExpressionValue) throws -> ExpressionValue {
    var value = start
    for (index, component) in zip(path.indices, path) {
      if value.isNull { return .null }
      switch component {
      case .collectionOperator(let symbol):
        guard symbol.needsPath else {
          value = .integer(Int64(try elements(of: value, for: symbol).count))
          continue
        }
        return try CollectionReduction.reduce(
          elements(of: value, for: symbol), isSet: value.isSet, symbol, path: path[(index + 1)...])
      case .key(let key):
        if case .collection(let kind, let elements) = value {
          return try map(elements, kind, path[index...])
        }
        let found = try property(key, of: value)
        // By itself it is the number that its column has; a property is asked of the decimal number.
        if case .object(let object) = value, let next = path[(index + 1)...].first, next != .key("self"),
          object.isDecimal(forKey: key)
        {
          value = try Cast.value(found, to: ValueType.decimal.rawValue)
        } else {
          value = found
        }
      }
    }
    return value
  }

  /// Asks every element.
  ///
  /// Sets leave out nil; arrays keep it.
  private static func map(
    _ elements: [ExpressionValue], _ kind: CollectionKind, _ path: ArraySlice<KeyPathComponent>
  ) throws -> ExpressionValue {
    let tail = path.dropFirst()
    let values = try elements.map { try follow(path.prefix(1), from: $0) }
    let mapped = ExpressionValue.collection(kind, distinct: kind == .array ? values : values.filter { !$0.isNull })
    return try follow(tail, from: mapped)
  }

  private static func elements(
    of value: ExpressionValue, for symbol: CollectionOperator
  ) throws -> [ExpressionValue] {
    guard case .collection(_, let elements) = value else {
      throw EvaluationError.wrongKind(
        operation: "@" + symbol.rawValue, expected: "a collection", found: value.kindName)
    }
    return elements
  }

  private static func property(_ key: String, of value: ExpressionValue) throws -> ExpressionValue {
    switch value {
    // As every object of Foundation.
    case _ where key == "self": return value
    case .object(let object): return try object.value(forKey: key)
    case .dictionary(let values): return values[key] ?? .null
    default:
      guard let converted = try ValueConversion(rawValue: key)?.value(of: value) else {
        throw EvaluationError.unknownKey(key, kind: value.kindName)
      }
      return converted
    }
  }
}

extension ExpressionValue {
  /// Whether this is a collection without duplicates.
  var isSet: Bool {
    switch self {
    case .collection(.set, _), .collection(.orderedSet, _): true
    default: false
    }
  }
}

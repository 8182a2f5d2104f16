extension Evaluator {
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

  /// Whether a collection has an element, or text has a part.
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
  /// The elements of a collection; nil, such as a path through a missing object, has none.
  fileprivate var elements: [ExpressionValue]? {
    switch self {
    case .collection(_, let elements): elements
    case .null: []
    default: nil
    }
  }
}

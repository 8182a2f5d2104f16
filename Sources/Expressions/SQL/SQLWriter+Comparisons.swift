extension SQLWriter {
  /// Writes a comparison, or its opposite.
  mutating func comparison(
    _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    if comparison.left.isIndependent, comparison.right.isIndependent {
      return try constant(comparison) != isNegated ? "1" : "0"
    }
    let symbol = comparison.comparisonOperator
    switch comparison.modifier {
    case .direct:
      if symbol == .contains, let many = try many(comparison.left, scope) {
        return try contains(many, comparison.right, comparison, isNegated: isNegated, scope)
      }
      let left = try operand(comparison.left, scope)
      return try relation(left, comparison, isNegated: isNegated, scope)
    case .any: return try quantified(comparison, isNegated: isNegated, wantsCounterexample: false, scope)
    // All are, if there is none that is not.
    case .all: return try quantified(comparison, isNegated: !isNegated, wantsCounterexample: true, scope)
    }
  }

  /// Writes what the operator says of a left side that is one value.
  mutating func relation(
    _ left: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    switch comparison.comparisonOperator {
    case .equal, .notEqual:
      let right = try operand(comparison.right, scope)
      return try equality(left, right, comparison, isNegated: isNegated != (comparison.comparisonOperator == .notEqual))
    case .lessThan: return try order(left, "<", comparison.right, comparison, isNegated: isNegated, scope)
    case .lessThanOrEqual: return try order(left, "<=", comparison.right, comparison, isNegated: isNegated, scope)
    case .greaterThan: return try order(left, ">", comparison.right, comparison, isNegated: isNegated, scope)
    case .greaterThanOrEqual: return try order(left, ">=", comparison.right, comparison, isNegated: isNegated, scope)
    case .between: return try between(left, comparison, isNegated: isNegated, scope)
    case .in: return try membership(left, comparison, isNegated: isNegated, scope)
    case .contains, .beginsWith, .endsWith, .like, .matches:
      let right = try operand(comparison.right, scope)
      return try text(left, right, comparison.comparisonOperator, comparison, isNegated: isNegated)
    }
  }

  /// Writes `=`.
  ///
  /// Only NULL equals NULL, for which SQL has `IS`; `=` is for what an index should find.
  func equality(
    _ left: SQLOperand, _ right: SQLOperand, _ comparison: Comparison, isNegated: Bool
  ) throws(SQLRefusal) -> SQLFragment {
    guard left.kind.isComparable(with: right.kind) else { throw SQLRefusal(.kinds, comparison.format) }
    if left.kind == .null { return isNegated ? "\(right.sql) IS NOT NULL" : "\(right.sql) IS NULL" }
    if right.kind == .null { return isNegated ? "\(left.sql) IS NOT NULL" : "\(left.sql) IS NULL" }
    let (first, second) = (left.folded(comparison.options), right.folded(comparison.options))
    if isNegated { return "\(first.sql) IS NOT \(second.sql)" }
    return first.constant != nil || second.constant != nil
      ? "\(first.sql) = \(second.sql)" : "\(first.sql) IS \(second.sql)"
  }

  /// Writes `<` and its kin.
  ///
  /// NULL is neither before nor after anything.
  private mutating func order(
    _ left: SQLOperand, _ sign: SQLFragment, _ right: Expression, _ comparison: Comparison, isNegated: Bool,
    _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    let right = try operand(right, scope)
    guard left.kind.isOrdered, right.kind.isOrdered, left.kind.isComparable(with: right.kind) else {
      throw SQLRefusal(.kinds, comparison.format)
    }
    // The bytes of UTF-16 have another order.
    guard naming.keepsTextAsUTF8 || left.kind != .text && right.kind != .text else {
      throw SQLRefusal(.kinds, comparison.format)
    }
    return Self.negated(
      "\(left.folded(comparison.options).sql) \(sign) \(right.folded(comparison.options).sql)", isNegated)
  }

  private mutating func between(
    _ left: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    guard case .aggregate(let bounds) = comparison.right, bounds.count == 2 else {
      throw SQLRefusal(.unsupported, comparison.format)
    }
    let lower = try order(left, ">=", bounds[0], comparison, isNegated: false, scope)
    let upper = try order(left, "<=", bounds[1], comparison, isNegated: false, scope)
    return Self.negated("\(lower) AND \(upper)", isNegated)
  }

  /// The opposite of a condition that may be NULL, which counts as false.
  static func negated(_ condition: SQLFragment, _ isNegated: Bool) -> SQLFragment {
    isNegated ? "(\(condition)) IS NOT TRUE" : condition
  }

  private func constant(_ comparison: Comparison) throws(SQLRefusal) -> Bool {
    do {
      return try Predicate.comparison(comparison).evaluate(in: EvaluationContext())
    } catch {
      throw SQLRefusal(Self.reason(error), comparison.format)
    }
  }

  /// Evaluation of what depends on nothing fails only with errors of its own.
  static func reason(_ error: any Error) -> SQLRefusal.Reason {
    (error as? EvaluationError).map { .evaluation($0) } ?? .unsupported
  }
}

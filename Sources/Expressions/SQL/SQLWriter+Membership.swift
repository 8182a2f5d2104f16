extension SQLWriter {
  /// Writes `IN`: a list, a to-many relationship, or text that has a part.
  mutating func membership(
    _ left: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    if case .aggregate(let elements) = comparison.right {
      return try list(left, elements, comparison, isNegated: isNegated, scope)
    }
    if let many = try many(comparison.right, scope) {
      return try contains(many, left, comparison, isNegated: isNegated, scope)
    }
    let whole = try operand(comparison.right, scope)
    return try text(whole, left, .contains, comparison, isNegated: isNegated)
  }

  /// Writes that the values of a to-many path contain one.
  mutating func contains(
    _ many: SQLMany, _ part: Expression, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    try contains(many, try operand(part, scope), comparison, isNegated: isNegated, scope)
  }

  private mutating func contains(
    _ many: SQLMany, _ part: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    let element = try element(of: many)
    // A set has no nil, so nil is in none.
    let condition: SQLFragment =
      part.kind == .null ? "0" : try equality(element, part, comparison, isNegated: false)
    let prefix: SQLFragment = isNegated ? "NOT " : ""
    return "\(prefix)EXISTS (\(many.select("1", where: "\(element.sql) IS NOT NULL AND \(condition)")))"
  }

  private mutating func list(
    _ left: SQLOperand, _ elements: [Expression], _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    let folded = left.folded(comparison.options)
    var values: [SQLFragment] = []
    var hasNull = false
    for element in elements {
      let value = try operand(element, scope)
      guard value.constant != nil, left.kind.isComparable(with: value.kind) else {
        throw SQLRefusal(.kinds, comparison.format)
      }
      if value.kind == .null { hasNull = true } else { values.append(value.folded(comparison.options).sql) }
    }
    let list = values.dropFirst().reduce(into: values.first ?? "") { list, value in
      list.append(", ")
      list.append(value)
    }
    let isIn: SQLFragment = "\(folded.sql) IN (\(list))"
    return Self.negated(hasNull ? "\(isIn) OR \(left.sql) IS NULL" : isIn, isNegated)
  }
}

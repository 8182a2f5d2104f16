extension SQLWriter {
  /// Writes that there is a row of a to-many relationship for which a comparison holds, or does not.
  ///
  /// - Parameters:
  ///   - isNegated: Whether there must be no such row.
  ///   - wantsCounterexample: Whether the comparison must not hold for it.
  mutating func quantified(
    _ comparison: Comparison, isNegated: Bool, wantsCounterexample: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    guard let many = try many(comparison.left, scope), !many.asksWhole else {
      throw SQLRefusal(.unsupported, comparison.format)
    }
    try descend(comparison.format, by: 3)
    defer { ascend(by: 3) }
    let element = try element(of: many)
    let condition = try relation(element, comparison, isNegated: wantsCounterexample, scope)
    // The values are a set, which has no nil.
    let prefix: SQLFragment = isNegated ? "NOT " : ""
    return "\(prefix)EXISTS (\(many.select("1", where: "\(element.sql) IS NOT NULL AND (\(condition))")))"
  }

  /// Writes `relationship.@count` and its kin, or gives `nil` if the path asks for none of them.
  mutating func reduction(_ expression: Expression, _ scope: SQLScope) throws(SQLRefusal) -> SQLOperand? {
    guard let many = try many(expression, scope), case .collectionOperator(let symbol)? = many.rest.first else {
      return nil
    }
    try descend(expression.description, by: 3)
    defer { ascend(by: 3) }
    var argument = many
    argument.rest = Array(many.rest.dropFirst())
    let (sql, kind) = try reduction(symbol, argument)
    let query: SQLFragment = "(\(argument.select(sql)))"
    // What is asked of nil is nil, and not 0.
    guard let key = many.nullableKey else { return SQLOperand(query, kind) }
    return SQLOperand("CASE WHEN \(key) IS NOT NULL THEN \(query) END", kind)
  }

  private mutating func reduction(
    _ symbol: CollectionOperator, _ many: SQLMany
  ) throws(SQLRefusal) -> (SQLFragment, SQLOperand.Kind) {
    if symbol == .count {
      guard many.rest.isEmpty else { throw SQLRefusal(.unsupported, many.part) }
      return ("count(*)", .number(.integer(0...Int64.max)))
    }
    let element = try element(of: many)
    switch (symbol, element.kind) {
    case (.sum, .number(let kind)):
      // SQLite's sum reports an overflow, as evaluation does.
      return ("coalesce(sum(\(element.sql)), 0)", .number(kind == .real ? .real : .integer(.min ... .max)))
    case (.average, .number): return ("coalesce(sum(\(element.sql)) * 1.0 / count(*), 0.0)", .number(.real))
    case (.minimum, .number), (.minimum, .text), (.minimum, .date): return ("min(\(element.sql))", element.kind)
    case (.maximum, .number), (.maximum, .text), (.maximum, .date): return ("max(\(element.sql))", element.kind)
    default: throw SQLRefusal(.unsupported, many.part)
    }
  }
}

extension SQLMany {
  /// Whether the path has an operator, so that it does not stand for the rows themselves.
  fileprivate var asksWhole: Bool {
    rest.contains { if case .collectionOperator = $0 { true } else { false } }
  }
}

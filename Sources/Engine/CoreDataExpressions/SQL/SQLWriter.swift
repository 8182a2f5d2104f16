/// Writes predicates and expressions as SQL.
struct SQLWriter {
  let naming: any SQLSchema
  private var aliasCount = 0
  private var depth = 0

  /// SQLite's parser has a stack of a hundred entries, and a level uses up to three.
  private static let depthLimit = 24
  /// SQLITE_MAX_VARIABLE_NUMBER is 32766.
  static let argumentLimit = 30_000

  init(_ naming: some SQLSchema) {
    self.naming = naming
  }

  /// Writes a condition, with NULL as false.
  ///
  /// NULL and false are the same for `WHERE`, AND and OR, but not for NOT. So NOT is pushed inward to the comparisons,
  /// which can be negated. That also keeps comparisons in a form that indexes support.
  mutating func condition(
    _ predicate: Predicate, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    try descend(predicate.description)
    defer { depth -= 1 }
    switch predicate {
    case .constant(let value): return value != isNegated ? "1" : "0"
    case .comparison(let comparison): return try self.comparison(comparison, isNegated: isNegated, scope)
    case .and(let parts): return try join(parts, isNegated ? "OR" : "AND", isNegated: isNegated, scope)
    case .or(let parts): return try join(parts, isNegated ? "AND" : "OR", isNegated: isNegated, scope)
    case .not(let part): return try condition(part, isNegated: !isNegated, scope)
    }
  }

  /// Enters levels of nesting, which the caller leaves with `ascend(by:)`.
  mutating func descend(_ part: @autoclosure () -> String, by levels: Int = 1) throws(SQLTranslationError) {
    guard depth + levels <= Self.depthLimit else { throw SQLTranslationError(.tooDeep, part()) }
    depth += levels
  }

  /// Leaves levels of nesting.
  mutating func ascend(by levels: Int = 1) {
    depth -= levels
  }

  /// A row of another table, with a new alias.
  mutating func row(of table: SQLTable) -> SQLRow {
    aliasCount += 1
    return SQLRow(table: table, alias: "e\(aliasCount)")
  }

  func checked(_ fragment: SQLFragment) throws(SQLTranslationError) -> SQLFragment {
    guard fragment.arguments.count <= Self.argumentLimit else {
      throw SQLTranslationError(.tooManyArguments, "the whole")
    }
    return fragment
  }

  private mutating func join(
    _ parts: [Predicate], _ word: SQLFragment, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    var fragments: [SQLFragment] = []
    for part in parts { fragments.append("(\(try condition(part, isNegated: isNegated, scope)))") }
    guard !fragments.isEmpty else { return word == "AND" ? "1" : "0" }
    return SQLFragment.join(fragments[...], word)
  }
}

extension SQLWriter {
  /// Writes an operator between numbers, if its result fits in 64 bits.
  func arithmetic(
    _ symbol: ArithmeticOperator, _ left: SQLOperand, _ right: SQLOperand, _ expression: Expression
  ) throws(SQLTranslationError) -> SQLOperand {
    if left.kind == .null || right.kind == .null { return SQLOperand("NULL", .null) }
    guard case .number(let first) = left.kind, case .number(let second) = right.kind else {
      throw SQLTranslationError(.kinds, expression.description)
    }
    let sign: SQLFragment
    switch symbol {
    case .add: sign = "+"
    case .subtract: sign = "-"
    case .multiply: sign = "*"
    case .divide:
      guard let divisor = right.constant?.number, divisor.real != 0 else {
        throw SQLTranslationError(.mayDivideByZero, expression.description)
      }
      sign = "/"
    case .power: throw SQLTranslationError(.unsupported, expression.description)
    }
    guard let kind = SQLNumberKind.apply(symbol, first, second) else {
      throw SQLTranslationError(.mayOverflow, expression.description)
    }
    return SQLOperand("(\(left.sql) \(sign) \(right.sql))", .number(kind))
  }

  /// Writes an operator on the bits of whole numbers; SQLite shifts as Swift does, by any number of bits.
  private mutating func bitwise(
    _ selector: String, _ arguments: [Expression], _ expression: Expression, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLOperand {
    let (left, right) = (try operand(arguments[0], scope), try operand(arguments[1], scope))
    if left.kind == .null || right.kind == .null { return SQLOperand("NULL", .null) }
    guard case .number(.integer) = left.kind, case .number(.integer) = right.kind else {
      throw SQLTranslationError(.kinds, expression.description)
    }
    let sign: SQLFragment
    switch selector {
    case "bitwiseAnd:with:": sign = "&"
    case "bitwiseOr:with:": sign = "|"
    case "leftshift:by:": sign = "<<"
    case "rightshift:by:": sign = ">>"
    // SQLite has no operator for it; its operands would have to be written twice.
    default: throw SQLTranslationError(.unsupported, expression.description)
    }
    return SQLOperand("(\(left.sql) \(sign) \(right.sql))", .number(.integer(.min ... .max)))
  }

  /// Writes `~`, which keeps a whole number whole.
  private mutating func complement(
    _ argument: Expression, _ expression: Expression, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLOperand {
    let value = try operand(argument, scope)
    switch value.kind {
    case .null: return value
    case .number(.integer(let range)):
      return SQLOperand("(~\(value.sql))", .number(.integer(~range.upperBound ... ~range.lowerBound)))
    default: throw SQLTranslationError(.kinds, expression.description)
    }
  }

  // MARK: - Operands

  /// Writes an expression with one value.
  mutating func operand(_ expression: Expression, _ scope: SQLScope) throws(SQLTranslationError) -> SQLOperand {
    try descend(expression.description)
    defer { ascend() }
    if expression.isIndependent { return try constant(expression) }
    switch expression {
    case .evaluatedObject: return object(scope.row)
    case .variable(let name):
      guard let row = scope.variables[name] else {
        throw SQLTranslationError(.unboundVariable(name), expression.description)
      }
      return object(row)
    case .keyPath(let operand, let path): return try self.path(expression, operand, path, scope)
    case .arithmetic(let symbol, let left, let right):
      return try arithmetic(symbol, try operand(left, scope), try operand(right, scope), expression)
    case .negative(let operand):
      let zero = SQLOperand("0", .number(.integer(0...0)))
      return try arithmetic(.subtract, zero, try self.operand(operand, scope), expression)
    case .cast(let operand, let type): return try cast(try self.operand(operand, scope), type, expression)
    case .ternary(let condition, let yes, let no): return try ternary(condition, yes, no, expression, scope)
    case .function(nil, "count:", let arguments): return try count(arguments, expression, scope)
    case .function(nil, let selector, let arguments) where Selector.bitwise[selector] != nil && arguments.count == 2:
      return try bitwise(selector, arguments, expression, scope)
    case .function(nil, Selector.complement, let arguments) where arguments.count == 1:
      return try complement(arguments[0], expression, scope)
    default: throw SQLTranslationError(.unsupported, expression.description)
    }
  }

  private func object(_ row: SQLRow) -> SQLOperand {
    SQLOperand(row.key, .object(table: row.table.name))
  }

  private func constant(_ expression: Expression) throws(SQLTranslationError) -> SQLOperand {
    let value: ExpressionValue
    do {
      value = try expression.value(in: EvaluationContext())
    } catch {
      throw SQLTranslationError(Self.reason(error), expression.description)
    }
    guard let operand = SQLOperand(constant: value) else { throw SQLTranslationError(.kinds, expression.description) }
    return operand
  }

  private mutating func path(
    _ expression: Expression, _ operand: Expression, _ path: [KeyPathComponent], _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLOperand {
    if let reduced = try reduction(expression, scope) { return reduced }
    guard let row = row(operand, scope) else {
      if case .variable(let name) = operand {
        throw SQLTranslationError(.unboundVariable(name), expression.description)
      }
      throw SQLTranslationError(.unsupported, expression.description)
    }
    return try value(path[...], from: row, expression.description)
  }

  /// `count:(relationship)`.
  ///
  /// Unlike `@count`, it is 0 for nil.
  private mutating func count(
    _ arguments: [Expression], _ expression: Expression, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLOperand {
    guard arguments.count == 1, let many = try many(arguments[0], scope), many.rest.isEmpty else {
      throw SQLTranslationError(.unsupported, expression.description)
    }
    return SQLOperand(many.count, .number(.integer(0...Int64.max)))
  }

  private mutating func ternary(
    _ condition: Predicate, _ yes: Expression, _ no: Expression, _ expression: Expression, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLOperand {
    // SQLite's parser uses more stack for CASE than for an operator.
    try descend(expression.description)
    defer { ascend() }
    let condition = try self.condition(condition, isNegated: false, scope)
    let (yes, no) = (try operand(yes, scope), try operand(no, scope))
    guard let kind = yes.kind.joined(with: no.kind) else { throw SQLTranslationError(.kinds, expression.description) }
    return SQLOperand("CASE WHEN \(condition) THEN \(yes.sql) ELSE \(no.sql) END", kind)
  }

  private func cast(_ operand: SQLOperand, _ type: String, _ expression: Expression) throws(SQLTranslationError)
    -> SQLOperand
  {
    switch (ValueType(rawValue: type), operand.kind) {
    case (.date, .number), (.date, .date): return SQLOperand("CAST(\(operand.sql) AS REAL)", .date)
    // A TIMESTAMP column stores 5.0 as 5, which would be divided as a whole number.
    case (.number, .date): return SQLOperand("CAST(\(operand.sql) AS REAL)", .number(.real))
    case (.number, .number): return operand
    default: throw SQLTranslationError(.unsupported, expression.description)
    }
  }
}

extension SQLOperand.Kind {
  /// The kind of values that come from either of two expressions, if there is one.
  fileprivate func joined(with other: Self) -> Self? {
    switch (self, other) {
    case (.null, _): other
    case (_, .null): self
    case (.number(.integer(let left)), .number(.integer(let right))):
      .number(.integer(min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)))
    default: self == other ? self : nil
    }
  }
}

extension SQLWriter {
  /// Writes a comparison, or its negation.
  mutating func comparison(
    _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
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
    // ALL holds if there is no counterexample.
    case .all: return try quantified(comparison, isNegated: !isNegated, wantsCounterexample: true, scope)
    }
  }

  /// Writes a comparison whose left operand is one value.
  mutating func relation(
    _ left: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
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
  /// NULL equals NULL, which needs `IS`; `=` is used where an index should be used.
  private func equality(
    _ left: SQLOperand, _ right: SQLOperand, _ comparison: Comparison, isNegated: Bool
  ) throws(SQLTranslationError) -> SQLFragment {
    guard left.kind.isComparable(with: right.kind) else { throw SQLTranslationError(.kinds, comparison.format) }
    if left.kind == .null { return isNegated ? "\(right.sql) IS NOT NULL" : "\(right.sql) IS NULL" }
    if right.kind == .null { return isNegated ? "\(left.sql) IS NOT NULL" : "\(left.sql) IS NULL" }
    let (first, second) = (left.folded(comparison.options), right.folded(comparison.options))
    if isNegated { return "\(first.sql) IS NOT \(second.sql)" }
    return first.constant != nil || second.constant != nil
      ? "\(first.sql) = \(second.sql)" : "\(first.sql) IS \(second.sql)"
  }

  /// Writes `<` and similar; NULL has no order.
  private mutating func order(
    _ left: SQLOperand, _ sign: SQLFragment, _ right: Expression, _ comparison: Comparison, isNegated: Bool,
    _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    let right = try operand(right, scope)
    guard left.kind.isOrdered, right.kind.isOrdered, left.kind.isComparable(with: right.kind) else {
      throw SQLTranslationError(.kinds, comparison.format)
    }
    // The bytes of UTF-16 are ordered differently.
    guard naming.keepsTextAsUTF8 || left.kind != .text && right.kind != .text else {
      throw SQLTranslationError(.kinds, comparison.format)
    }
    var condition: SQLFragment =
      "\(left.folded(comparison.options).sql) \(sign) \(right.folded(comparison.options).sql)"
    // A date that another program has stored as text has no order, but SQLite puts it after all numbers.
    let greater = sign.sql.hasPrefix(">") ? left : right
    if greater.kind == .date, greater.constant == nil { condition = "\(condition) AND \(greater.sql) < ''" }
    return Self.negated(condition, isNegated)
  }

  private mutating func between(
    _ left: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    guard case .aggregate(let bounds) = comparison.right, bounds.count == 2 else {
      throw SQLTranslationError(.unsupported, comparison.format)
    }
    let lower = try order(left, ">=", bounds[0], comparison, isNegated: false, scope)
    let upper = try order(left, "<=", bounds[1], comparison, isNegated: false, scope)
    return Self.negated("\(lower) AND \(upper)", isNegated)
  }

  /// The negation of a condition that may be NULL, which counts as false.
  static func negated(_ condition: SQLFragment, _ isNegated: Bool) -> SQLFragment {
    isNegated ? "(\(condition)) IS NOT TRUE" : condition
  }

  private func constant(_ comparison: Comparison) throws(SQLTranslationError) -> Bool {
    do {
      return try Predicate.comparison(comparison).evaluate(in: EvaluationContext())
    } catch {
      throw SQLTranslationError(Self.reason(error), comparison.format)
    }
  }

  /// Evaluating an independent expression throws only `EvaluationError`.
  static func reason(_ error: any Error) -> SQLTranslationError.Reason {
    (error as? EvaluationError).map { .evaluation($0) } ?? .unsupported
  }

  // MARK: - Membership

  /// Writes `IN` for a list, a to-many relationship, or text that contains a part.
  private mutating func membership(
    _ left: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    if case .aggregate(let elements) = comparison.right {
      return try list(left, elements, comparison, isNegated: isNegated, scope)
    }
    if let many = try many(comparison.right, scope) {
      return try contains(many, left, comparison, isNegated: isNegated, scope)
    }
    let whole = try operand(comparison.right, scope)
    return try text(whole, left, .contains, comparison, isNegated: isNegated)
  }

  /// Writes a condition that the values of a to-many path contain a value.
  mutating func contains(
    _ many: SQLToManyQuery, _ part: Expression, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    try contains(many, try operand(part, scope), comparison, isNegated: isNegated, scope)
  }

  private mutating func contains(
    _ many: SQLToManyQuery, _ part: SQLOperand, _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    let element = try element(of: many)
    // A set never contains nil.
    let condition: SQLFragment =
      part.kind == .null ? "0" : try equality(element, part, comparison, isNegated: false)
    return many.contains(
      where: "\(element.sql) IS NOT NULL AND \(condition)", isOfRowAlone: part.constant != nil, isNegated: isNegated)
  }

  private mutating func list(
    _ left: SQLOperand, _ elements: [Expression], _ comparison: Comparison, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLTranslationError) -> SQLFragment {
    let folded = left.folded(comparison.options)
    var values: [SQLFragment] = []
    var hasNull = false
    for element in elements {
      let value = try operand(element, scope)
      guard value.constant != nil, left.kind.isComparable(with: value.kind) else {
        throw SQLTranslationError(.kinds, comparison.format)
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

extension SQLWriter {
  /// Writes an expression that gives one value.
  mutating func operand(_ expression: Expression, _ scope: SQLScope) throws(SQLRefusal) -> SQLOperand {
    try descend(expression.description)
    defer { ascend() }
    if expression.isIndependent { return try constant(expression) }
    switch expression {
    case .evaluatedObject: return object(scope.row)
    case .variable(let name):
      guard let row = scope.variables[name] else { throw SQLRefusal(.unboundVariable(name), expression.description) }
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
    default: throw SQLRefusal(.unsupported, expression.description)
    }
  }

  private func object(_ row: SQLRow) -> SQLOperand {
    SQLOperand(row.key, .object(table: row.table.name))
  }

  private func constant(_ expression: Expression) throws(SQLRefusal) -> SQLOperand {
    let value: ExpressionValue
    do {
      value = try expression.value(in: EvaluationContext())
    } catch {
      throw SQLRefusal(Self.reason(error), expression.description)
    }
    guard let operand = SQLOperand(constant: value) else { throw SQLRefusal(.kinds, expression.description) }
    return operand
  }

  private mutating func path(
    _ expression: Expression, _ operand: Expression, _ path: [KeyPathComponent], _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLOperand {
    if let reduced = try reduction(expression, scope) { return reduced }
    guard let row = row(operand, scope) else {
      if case .variable(let name) = operand { throw SQLRefusal(.unboundVariable(name), expression.description) }
      throw SQLRefusal(.unsupported, expression.description)
    }
    return try value(path[...], from: row, expression.description)
  }

  /// `count:(relationship)`.
  ///
  /// Unlike `@count` it is 0 for nil.
  private mutating func count(
    _ arguments: [Expression], _ expression: Expression, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLOperand {
    guard arguments.count == 1, let many = try many(arguments[0], scope), many.rest.isEmpty else {
      throw SQLRefusal(.unsupported, expression.description)
    }
    return SQLOperand("(\(many.select("count(*)")))", .number(.integer(0...Int64.max)))
  }

  private mutating func ternary(
    _ condition: Predicate, _ yes: Expression, _ no: Expression, _ expression: Expression, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLOperand {
    let condition = try self.condition(condition, isNegated: false, scope)
    let (yes, no) = (try operand(yes, scope), try operand(no, scope))
    guard let kind = yes.kind.joined(with: no.kind) else { throw SQLRefusal(.kinds, expression.description) }
    return SQLOperand("CASE WHEN \(condition) THEN \(yes.sql) ELSE \(no.sql) END", kind)
  }

  private func cast(_ operand: SQLOperand, _ type: String, _ expression: Expression) throws(SQLRefusal) -> SQLOperand {
    switch (ValueType(rawValue: type), operand.kind) {
    case (.date, .number), (.date, .date): return SQLOperand("CAST(\(operand.sql) AS REAL)", .date)
    // A column of Core Data's type TIMESTAMP keeps 5.0 as 5, which would divide as a whole number.
    case (.number, .date): return SQLOperand("CAST(\(operand.sql) AS REAL)", .number(.real))
    case (.number, .number): return operand
    default: throw SQLRefusal(.unsupported, expression.description)
    }
  }
}

extension SQLOperand.Kind {
  /// What the values are that come from either of two expressions, if that can be said.
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

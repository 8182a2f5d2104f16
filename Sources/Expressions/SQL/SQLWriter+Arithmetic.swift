extension SQLWriter {
  /// Writes an operator between numbers, if its result cannot leave 64 bits.
  func arithmetic(
    _ symbol: ArithmeticOperator, _ left: SQLOperand, _ right: SQLOperand, _ expression: Expression
  ) throws(SQLRefusal) -> SQLOperand {
    if left.kind == .null || right.kind == .null { return SQLOperand("NULL", .null) }
    guard case .number(let first) = left.kind, case .number(let second) = right.kind else {
      throw SQLRefusal(.kinds, expression.description)
    }
    let sign: SQLFragment
    switch symbol {
    case .add: sign = "+"
    case .subtract: sign = "-"
    case .multiply: sign = "*"
    case .divide:
      guard let divisor = right.constant?.number, divisor.real != 0 else {
        throw SQLRefusal(.mayDivideByZero, expression.description)
      }
      sign = "/"
    case .power: throw SQLRefusal(.unsupported, expression.description)
    }
    guard let kind = SQLNumberKind.apply(symbol, first, second) else {
      throw SQLRefusal(.mayOverflow, expression.description)
    }
    return SQLOperand("(\(left.sql) \(sign) \(right.sql))", .number(kind))
  }
}

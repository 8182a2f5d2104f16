internal import SystemC

/// Calculation with values.
///
/// Whole numbers stay whole, and nothing overflows silently.
enum Arithmetic {
  /// Applies an operator.
  ///
  /// The result is nil if an operand is nil.
  static func apply(
    _ symbol: ArithmeticOperator, _ left: ExpressionValue, _ right: ExpressionValue, _ name: String? = nil
  ) throws -> ExpressionValue {
    if left.isNull || right.isNull { return .null }
    let name = name ?? symbol.rawValue
    switch (try number(left, name), try number(right, name)) {
    case (.integer(let left), .integer(let right)): return try apply(symbol, left, right, name)
    case (let left, let right): return try real(apply(symbol, left.real, right.real), name)
    }
  }

  /// The remainder of two whole numbers, with the sign of the dividend as in C.
  static func remainder(_ left: ExpressionValue, _ right: ExpressionValue, _ name: String) throws -> ExpressionValue {
    if left.isNull || right.isNull { return .null }
    let (dividend, divisor) = (try integer(left, name), try integer(right, name))
    guard divisor != 0 else { throw EvaluationError.divisionByZero }
    return .integer(dividend.remainderReportingOverflow(dividingBy: divisor).partialValue)
  }

  /// The value as a number.
  static func number(_ value: ExpressionValue, _ name: String) throws -> Number {
    guard let number = value.number else {
      throw EvaluationError.wrongKind(operation: name, expected: "numbers", found: value.kindName)
    }
    return number
  }

  /// The value as a whole number.
  static func integer(_ value: ExpressionValue, _ name: String) throws -> Int64 {
    switch value.number {
    case .integer(let value): return value
    case .real(let real):
      if let exact = Int64(exactly: real) { return exact }
    default: break
    }
    throw EvaluationError.wrongKind(operation: name, expected: "whole numbers", found: value.kindName)
  }

  /// A real result, which must be finite: SQLite would store NULL for anything else.
  static func real(_ value: Double, _ name: String) throws -> ExpressionValue {
    guard value.isFinite else { throw EvaluationError.notFinite(operation: name) }
    return .real(value)
  }

  private static func apply(
    _ symbol: ArithmeticOperator, _ left: Int64, _ right: Int64, _ name: String
  ) throws -> ExpressionValue {
    let result: (partialValue: Int64, overflow: Bool)
    switch symbol {
    case .add: result = left.addingReportingOverflow(right)
    case .subtract: result = left.subtractingReportingOverflow(right)
    case .multiply: result = left.multipliedReportingOverflow(by: right)
    case .divide:
      guard right != 0 else { throw EvaluationError.divisionByZero }
      result = left.dividedReportingOverflow(by: right)
    case .power:
      guard right >= 0 else { return try real(pow(Double(left), Double(right)), name) }
      result = power(left, right)
    }
    guard !result.overflow else { throw EvaluationError.overflow(operation: name) }
    return .integer(result.partialValue)
  }

  private static func apply(_ symbol: ArithmeticOperator, _ left: Double, _ right: Double) throws -> Double {
    switch symbol {
    case .add: return left + right
    case .subtract: return left - right
    case .multiply: return left * right
    case .divide:
      guard right != 0 else { throw EvaluationError.divisionByZero }
      return left / right
    case .power: return pow(left, right)
    }
  }

  /// Squares and multiplies, so the time depends on the bits of the exponent and not on its value.
  private static func power(_ base: Int64, _ exponent: Int64) -> (partialValue: Int64, overflow: Bool) {
    var (result, square, rest) = (Int64(1), base, exponent)
    while rest > 0 {
      if rest & 1 == 1 {
        let product = result.multipliedReportingOverflow(by: square)
        if product.overflow { return product }
        result = product.partialValue
      }
      rest >>= 1
      if rest == 0 { break }
      let next = square.multipliedReportingOverflow(by: square)
      if next.overflow { return next }
      square = next.partialValue
    }
    return (result, false)
  }
}

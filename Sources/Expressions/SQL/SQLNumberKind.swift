/// What is known of numbers: real, or whole ones within bounds.
///
/// SQLite goes on with a real number when whole ones overflow. Bounds tell beforehand whether that can happen.
enum SQLNumberKind: Hashable {
  case integer(ClosedRange<Int64>)
  case real

  /// The bounds of a result, or `nil` if it may overflow.
  static func apply(_ symbol: ArithmeticOperator, _ left: SQLNumberKind, _ right: SQLNumberKind) -> SQLNumberKind? {
    guard case .integer(let left) = left, case .integer(let right) = right else { return .real }
    let corners = [left.lowerBound, left.upperBound].flatMap { first in
      [right.lowerBound, right.upperBound].map { second in apply(symbol, first, second) }
    }
    guard !corners.contains(where: \.overflow) else { return nil }
    let values = corners.map(\.partialValue)
    guard let lower = values.min(), let upper = values.max() else { return nil }
    return .integer(lower...upper)
  }

  /// All operators are monotone on either side, for a divisor that is one constant, so that the corners bound the rest.
  private static func apply(
    _ symbol: ArithmeticOperator, _ left: Int64, _ right: Int64
  ) -> (partialValue: Int64, overflow: Bool) {
    switch symbol {
    case .add: left.addingReportingOverflow(right)
    case .subtract: left.subtractingReportingOverflow(right)
    case .multiply: left.multipliedReportingOverflow(by: right)
    case .divide: left.dividedReportingOverflow(by: right)
    case .power: (0, true)
    }
  }
}

/// The order of values: numbers by value, text by code units, dates by time.
enum ValueOrder {
  /// Compares two values that are not nil.
  ///
  /// `nil` if one is not a number.
  static func compare(_ left: ExpressionValue, _ right: ExpressionValue, _ name: String) throws -> Order? {
    if let left = left.number, let right = right.number { return left.compare(right) }
    switch (left, right) {
    case (.string(let left), .string(let right)): return Order(text: left, right)
    case (.date(let left), .date(let right)): return Order(left, right)
    default: throw EvaluationError.notOrdered(left.kindName, right.kindName, operation: name)
    }
  }
}

extension ExpressionValue {
  /// Whether this value comes before another when objects are sorted by it: nil first, then by value.
  package func precedesInSorting(_ other: ExpressionValue) throws -> Bool {
    if isNull || other.isNull { return isNull && !other.isNull }
    return try ValueOrder.compare(self, other, "sort") == .before
  }
}

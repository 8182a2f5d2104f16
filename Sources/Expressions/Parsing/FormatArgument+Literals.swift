extension FormatArgument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates text.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Creates a whole number.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// Creates a real number.
  public init(floatLiteral value: Double) {
    self = .real(value)
  }
}

extension FormatArgument: ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral {
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) {
    self = .boolean(value)
  }

  /// Creates `nil`.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// Creates a list, such as the right side of `IN`.
  public init(arrayLiteral elements: FormatArgument...) {
    self = .list(elements)
  }
}

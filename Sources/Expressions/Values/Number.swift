/// A number of any of the kinds that compare with each other.
enum Number {
  case integer(Int64)
  case real(Double)
  case decimal(DecimalText)

  /// The nearest real number.
  var real: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .decimal(let value): value.real
    }
  }

  /// Compares by value, without rounding whole numbers.
  ///
  /// `nil` if one is not a number.
  func compare(_ other: Number) -> Order? {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): Order(left, right)
    case (.real(let left), .real(let right)): left.isNaN || right.isNaN ? nil : Order(left, right)
    case (.integer(let left), .real(let right)): Self.compare(left, right)
    case (.real(let left), .integer(let right)): Self.compare(right, left)?.reversed
    case (.decimal(let left), .decimal(let right)): left.compare(right)
    case (.decimal(let left), .integer(let right)): left.compare(DecimalText(right))
    case (.integer(let left), .decimal(let right)): DecimalText(left).compare(right)
    default: Order(real, other.real)
    }
  }

  /// A whole number and a real one: the whole part first, for 2⁵³ + 1 has no real number of its own.
  private static func compare(_ left: Int64, _ right: Double) -> Order? {
    if right.isNaN { return nil }
    if right >= 0x1p63 { return .before }
    if right < -0x1p63 { return .after }
    let whole = right.rounded(.towardZero)
    let order = Order(left, Int64(whole))
    return order == .same ? Order(whole, right) : order
  }
}

extension ExpressionValue {
  /// The value as a number; truth values count as 0 and 1.
  var number: Number? {
    switch self {
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .decimal(let text): DecimalText(text).map { .decimal($0) }
    default: nil
    }
  }
}

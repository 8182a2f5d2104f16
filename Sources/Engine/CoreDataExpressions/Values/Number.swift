/// A number of any kind; all kinds can be compared.
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

  /// Compares the whole part first, because 2⁵³ + 1 is not representable as a real number.
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

/// A decimal number as digits, which is compared without rounding.
struct DecimalText {
  private let isNegative: Bool
  /// Without zeros at either end; empty for zero.
  private let digits: [UInt8]
  /// The number is 0.digits × 10^exponent.
  private let exponent: Int
  let real: Double

  /// Parses `[-]digits[.digits][e[±]digits]`, or returns `nil`.
  init?(_ text: String) {
    guard let real = Double(text), real.isFinite, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }) else {
      return nil
    }
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    guard let power = parts.count == 1 ? 0 : Int(parts[1]), power.magnitude < 1_000_000 else { return nil }
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let whole = halves[0].utf8.filter(isDigit)
    let fraction = halves.count > 1 ? halves[1].utf8.filter(isDigit) : []
    let zeros = (whole + fraction).prefix { $0 == UInt8(ascii: "0") }.count
    var digits = Array((whole + fraction).dropFirst(zeros))
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    self.digits = digits
    exponent = digits.isEmpty ? 0 : whole.count - zeros + power
    isNegative = text.hasPrefix("-") && !digits.isEmpty
    self.real = real
  }

  /// The digits of a whole number.
  init(_ value: Int64) {
    var digits = Array(String(value.magnitude).utf8)
    exponent = value == 0 ? 0 : digits.count
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    self.digits = digits
    isNegative = value < 0
    real = Double(value)
  }

  func compare(_ other: DecimalText) -> Order {
    guard sign == other.sign else { return Order(sign, other.sign) }
    let order = exponent == other.exponent ? compareDigits(other) : Order(exponent, other.exponent)
    return isNegative ? order.reversed : order
  }

  /// The digits without an exponent, as NSDecimalNumber writes them; `nil` for numbers that it does not hold.
  var plainText: String? {
    guard (-128...166).contains(exponent) else { return nil }
    let whole = exponent > 0 ? digits.prefix(exponent) : []
    let fraction = digits.dropFirst(whole.count)
    let zeros = { (count: Int) in String(repeating: "0", count: max(0, count)) }
    let start = whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self) + zeros(exponent - whole.count)
    let end = fraction.isEmpty ? "" : "." + zeros(-exponent) + String(decoding: fraction, as: UTF8.self)
    return (isNegative ? "-" : "") + start + end
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  private func compareDigits(_ other: DecimalText) -> Order {
    digits == other.digits ? .same : digits.lexicographicallyPrecedes(other.digits) ? .before : .after
  }
}

/// Bytes as pairs of hexadecimal digits.
package enum HexadecimalText {
  /// Two lowercase digits for each byte.
  package static func encode(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Parses pairs of digits, or returns `nil`.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { value(of: $0) }
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
  }

  /// The value of a digit, or `nil` for any other byte.
  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// The order of two values.
enum Order {
  case before
  case same
  case after

  init<Value: Comparable>(_ left: Value, _ right: Value) {
    self = left < right ? .before : left == right ? .same : .after
  }

  /// Compares text by its UTF-8 bytes, which is the order of its Unicode scalars and of SQLite's BINARY collation.
  init(text left: String, _ right: String) {
    if left.utf8.elementsEqual(right.utf8) {
      self = .same
    } else {
      self = left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
    }
  }

  var reversed: Order {
    switch self {
    case .before: .after
    case .same: .same
    case .after: .before
    }
  }
}

/// The order of values: numbers by value, text by code units, dates by time.
enum ValueOrder {
  /// Compares two values that are not nil; `nil` if one is not-a-number.
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
  /// Returns whether this value precedes another in sorting: nil first, then by value.
  package func precedesInSorting(_ other: ExpressionValue) throws -> Bool {
    if isNull || other.isNull { return isNull && !other.isNull }
    return try ValueOrder.compare(self, other, "sort") == .before
  }
}

/// Real numbers with six decimals, as `%f` of C prints them.
enum FixedPointText {
  /// The text, or `nil` if it would not parse to the same number.
  static func format(_ value: Double) -> String? {
    let millionths = (value.magnitude * 1_000_000).rounded()
    guard millionths < 0x1p63 else { return nil }
    let (whole, rest) = UInt64(millionths).quotientAndRemainder(dividingBy: 1_000_000)
    let digits = String(rest)
    let text =
      "\(value.sign == .minus ? "-" : "")\(whole)." + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    return Double(text) == value ? text : nil
  }
}

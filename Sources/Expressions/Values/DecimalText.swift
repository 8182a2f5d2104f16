/// A decimal number as its digits, which compares without rounding.
struct DecimalText {
  private let isNegative: Bool
  /// Without zeros at either end; empty for zero.
  private let digits: [UInt8]
  /// The number is 0.digits × 10^exponent.
  private let exponent: Int
  let real: Double

  /// Reads `[-]digits[.digits][e[±]digits]`, or gives `nil` if the text is something else.
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

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  private func compareDigits(_ other: DecimalText) -> Order {
    digits == other.digits ? .same : digits.lexicographicallyPrecedes(other.digits) ? .before : .after
  }
}

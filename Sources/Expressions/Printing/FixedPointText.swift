/// Real numbers with six decimals, as `%f` of C prints them.
enum FixedPointText {
  /// The text, or `nil` if it would not read back as the same number.
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

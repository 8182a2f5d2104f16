internal import PropertyList

/// A decimal number as `NSDecimalNumber` keeps it: a whole number and a power of ten.
struct DecimalParts {
  private let isNegative: Bool
  private let digits: UInt64
  private let exponent: Int

  /// Splits a number; nothing where it is none that a decimal can hold.
  init?(_ number: Double) {
    guard number.isFinite else { return nil }
    isNegative = number < 0
    // The shortest text that stands for the number, such as 0.1 or 1.5e-07.
    let text = "\(number.magnitude)"
    let halves = text.split(separator: "e", maxSplits: 1)
    let places = halves[0].split(separator: ".", maxSplits: 1)
    let fraction = places.count == 2 ? places[1] : ""
    guard var digits = UInt64(places[0] + fraction), var exponent = halves.count == 2 ? Int(halves[1]) : 0 else {
      return nil
    }
    exponent -= fraction.count
    while digits > 0, digits % 10 == 0 { (digits, exponent) = (digits / 10, exponent + 1) }
    if digits == 0 { exponent = 0 }
    guard (-128...127).contains(exponent) else { return nil }
    (self.digits, self.exponent) = (digits, exponent)
  }

  /// The fields of the archived number, whose digits are little-endian words of 16 bits.
  var fields: PropertyListDictionary {
    let words = (0..<4).map { UInt16(truncatingIfNeeded: digits >> ($0 * 16)) }
    let length = (words.lastIndex { $0 != 0 } ?? -1) + 1
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    return [
      "NS.exponent": .integer(Int64(exponent)), "NS.length": .integer(Int64(length)),
      "NS.negative": .boolean(isNegative), "NS.compact": .boolean(true), "NS.mantissa.bo": .integer(1),
      "NS.mantissa": .data(bytes + Array(repeating: 0, count: 8)),
    ]
  }
}

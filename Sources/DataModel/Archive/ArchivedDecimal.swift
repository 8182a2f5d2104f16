internal import PropertyList

/// An archived `NSDecimalNumber`: a whole number of at most 128 bits and a power of ten.
struct ArchivedDecimal {
  /// The nearest floating-point number.
  let value: Double

  /// Reads the number; nothing where the object is none.
  init?(_ object: ArchivedObject) throws(ModelFileProblem) {
    guard let mantissa = try object.value("NS.mantissa")?.data, mantissa.count == 16 else { return nil }
    let length: Int = try object.integer("NS.length")
    let exponent: Int = try object.integer("NS.exponent")
    // An order of 2 is big-endian; it holds within each pair of bytes, and the least significant pair comes first.
    let isBigEndian = try object.integer("NS.mantissa.bo", as: Int.self) == 2
    let isNegative = try object.boolean("NS.negative")
    guard (0...8).contains(length), (-256...256).contains(exponent) else { return nil }
    // Without digits, the sign stands for what is not a number.
    guard length > 0 || !isNegative else { return nil }
    var digits: UInt128 = 0
    for index in (0..<length).reversed() {
      let (first, second) = (UInt128(mantissa[2 * index]), UInt128(mantissa[2 * index + 1]))
      digits = digits << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
    }
    // By way of text, because a product with a power of ten would be rounded twice.
    guard let value = Double("\(isNegative ? "-" : "")\(digits)e\(exponent)") else { return nil }
    self.value = value
  }
}

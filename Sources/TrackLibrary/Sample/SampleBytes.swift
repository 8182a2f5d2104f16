/// Composing text in a buffer that is used again and again.
extension [UInt8] {
  mutating func append(text: String) {
    append(contentsOf: text.utf8)
  }

  /// Appends a number in decimal digits, with leading zeros up to a width.
  mutating func append(decimal number: Int, width: Int = 1) {
    var divisor = 1
    for _ in 1..<Swift.max(width, 1) { divisor *= 10 }
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Appends the lowest digits of a number in hexadecimal.
  mutating func append(hexadecimal number: UInt64, digits: Int) {
    for digit in (0..<digits).reversed() {
      let value = UInt8(truncatingIfNeeded: number >> (4 * UInt64(digit))) & 15
      append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value)
    }
  }

  /// Appends an identifier such as servers give: 22 hexadecimal digits.
  mutating func appendIdentifier(_ random: inout SplitMix64) {
    append(hexadecimal: random.next(), digits: 16)
    append(hexadecimal: random.next(), digits: 6)
  }

  /// Appends a range of the buffer's own bytes once more.
  mutating func append(copyOf range: Range<Int>) {
    for index in range { append(self[index]) }
  }
}

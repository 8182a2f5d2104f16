/// Bytes as pairs of hexadecimal digits.
enum HexadecimalText {
  static func encode(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Reads pairs of digits, or `nil` if anything else is there.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { value(of: $0) }
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
  }

  /// The value of a digit, or `nil` if it is none.
  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

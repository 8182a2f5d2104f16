/// The bytes that JSON's grammar names.
enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let u = UInt8(ascii: "u")

  /// Whether JSON allows the byte between tokens.
  @inline(__always)
  static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == space || byte == newline || byte == carriageReturn || byte == tab
  }

  /// Whether the byte is a token by itself.
  @inline(__always)
  static func isPunctuation(_ byte: UInt8) -> Bool {
    // "[" and "{", "]" and "}" differ in one bit.
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || byte | 0x20 == UInt8(ascii: "{")
      || byte | 0x20 == UInt8(ascii: "}")
  }

  /// The value of a hexadecimal digit.
  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte | 0x20) - 0x57
    default: nil
    }
  }

  /// Whether the byte may follow a backslash, other than `u`.
  static func isSimpleEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case quote, backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      true
    default: false
    }
  }
}

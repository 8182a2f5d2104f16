extension Lexer {
  /// A number without a sign.
  mutating func number() throws(FormatError) -> Token.Kind {
    let start = position
    let kind =
      byte(0) == UInt8(ascii: "0") && (byte(1) ?? 0) | 0x20 == UInt8(ascii: "x")
      ? try hexadecimal() : try decimal()
    guard name() == nil else { throw error(.invalidNumber, at: start) }
    return kind
  }

  private mutating func hexadecimal() throws(FormatError) -> Token.Kind {
    let start = position
    position += 2
    let digits = take { HexadecimalText.value(of: $0) != nil }
    guard !digits.isEmpty else { throw error(.invalidNumber, at: start) }
    guard let value = UInt64(digits, radix: 16) else { throw error(.numberOutOfRange, at: start) }
    return .integer(value)
  }

  private mutating func decimal() throws(FormatError) -> Token.Kind {
    let start = position
    var text = take(Self.isDigit)
    var isReal = false
    if byte(0) == UInt8(ascii: "."), let next = byte(1), Self.isDigit(next) {
      isReal = true
      position += 1
      text = (text.isEmpty ? "0" : text) + "." + take(Self.isDigit)
    }
    if (byte(0) ?? 0) | 0x20 == UInt8(ascii: "e") {
      isReal = true
      text += try exponent(of: start)
    }
    guard isReal else {
      guard let value = UInt64(text) else { throw error(.numberOutOfRange, at: start) }
      return .integer(value)
    }
    guard let value = Double(text), value.isFinite else { throw error(.numberOutOfRange, at: start) }
    return .real(value)
  }

  private mutating func exponent(of start: Int) throws(FormatError) -> String {
    position += 1
    var sign = ""
    if let byte = byte(0), byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
      sign = String(decoding: [byte], as: UTF8.self)
      position += 1
    }
    let digits = take(Self.isDigit)
    guard !digits.isEmpty else { throw error(.invalidNumber, at: start) }
    return "e" + sign + digits
  }

  private mutating func take(_ isTaken: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = byte(0), isTaken(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

/// Appends values to UTF-8 text as JSON.
enum JSONText {
  static func append(_ value: FieldValue, to text: inout [UInt8]) {
    switch value {
    case .null: text.append(contentsOf: "null".utf8)
    case .string(let string): append(string, to: &text)
    case .integer(let integer): text.append(contentsOf: String(integer).utf8)
    // JSON has no spelling for infinity and for what is not a number.
    case .real(let real): text.append(contentsOf: (real.isFinite ? real.description : "null").utf8)
    case .boolean(let boolean): text.append(contentsOf: (boolean ? "true" : "false").utf8)
    case .strings(let strings): append(strings, to: &text)
    }
  }

  static func append(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    if string.utf8.allSatisfy(isPlain) {
      text.append(contentsOf: string.utf8)
    } else {
      for scalar in string.unicodeScalars { append(scalar, to: &text) }
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func append(_ strings: [String], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "["))
    for (index, string) in strings.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      append(string, to: &text)
    }
    text.append(UInt8(ascii: "]"))
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    switch scalar {
    case "\"": text.append(contentsOf: #"\""#.utf8)
    case "\\": text.append(contentsOf: #"\\"#.utf8)
    case "\u{8}": text.append(contentsOf: #"\b"#.utf8)
    case "\u{C}": text.append(contentsOf: #"\f"#.utf8)
    case "\n": text.append(contentsOf: #"\n"#.utf8)
    case "\r": text.append(contentsOf: #"\r"#.utf8)
    case "\t": text.append(contentsOf: #"\t"#.utf8)
    // Foundation's reader drops this one where it begins a string, taking it for a byte-order mark.
    case "\u{FEFF}": appendEscape(scalar, to: &text)
    // More than JSON asks for, and the same to every reader of JSON: the text may end up on a screen.
    case _ where VisibleText.steersTerminals(scalar): appendEscape(scalar, to: &text)
    default: text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  /// Appends four hexadecimal digits, which suffice: no scalar that needs them is above U+FFFF.
  private static func appendEscape(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    text.append(contentsOf: #"\u"#.utf8)
    text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
    text.append(contentsOf: digits.utf8)
  }

  /// Whether the byte can be copied without a look at its neighbours.
  ///
  /// C2 begins the C1 controls, E2 the line separators and the controls of text direction, and EF the byte-order mark.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F && byte != 0xC2
      && byte != 0xE2 && byte != 0xEF
  }
}

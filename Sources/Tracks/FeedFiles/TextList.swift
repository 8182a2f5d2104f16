/// A list of texts in one value of a table, as JSON and Python write it: `["Ann","Bob"]`, `['Ann', "Bob's"]`.
enum TextList {
  /// The texts; `nil` for a value that is anything else.
  static func texts(_ value: ArraySlice<UInt8>) -> [String]? {
    guard value.first == UInt8(ascii: "["), value.last == UInt8(ascii: "]"),
      var rest = String(validating: value, as: UTF8.self)?.unicodeScalars.dropFirst().dropLast()
    else { return nil }
    var texts: [String] = []
    skipBlanks(&rest)
    while let quote = rest.popFirst() {
      guard quote == "\"" || quote == "'", let text = text(&rest, until: quote) else { return nil }
      texts.append(text)
      skipBlanks(&rest)
      guard !rest.isEmpty else { break }
      guard rest.popFirst() == "," else { return nil }
      skipBlanks(&rest)
      // A comma at the end is Python's alone, which does not write it in lists.
      guard !rest.isEmpty else { return nil }
    }
    return texts
  }

  private static func skipBlanks(_ rest: inout Substring.UnicodeScalarView) { rest = rest.drop { $0 == " " } }

  private static func text(_ rest: inout Substring.UnicodeScalarView, until quote: Unicode.Scalar) -> String? {
    var units: [UInt16] = []
    while let scalar = rest.popFirst() {
      if scalar == quote { return String(validating: units, as: UTF16.self) }
      guard scalar == "\\" else {
        units += String(scalar).utf16
        continue
      }
      guard let escape = rest.popFirst() else { return nil }
      switch escape {
      case "\\", "/", "\"", "'": units += String(escape).utf16
      case "n": units.append(0x0A)
      case "r": units.append(0x0D)
      case "t": units.append(0x09)
      case "x", "u", "U":
        let count = escape == "x" ? 2 : escape == "u" ? 4 : 8
        guard rest.prefix(count).allSatisfy(\.properties.isASCIIHexDigit),
          let number = UInt32(String(rest.prefix(count)), radix: 16)
        else { return nil }
        // JSON writes two of them for a character beyond the first 65,536.
        if let unit = UInt16(exactly: number) {
          units.append(unit)
        } else if let scalar = Unicode.Scalar(number) {
          units += String(scalar).utf16
        } else {
          return nil
        }
        rest = rest.dropFirst(count)
      default: return nil
      }
    }
    return nil
  }
}

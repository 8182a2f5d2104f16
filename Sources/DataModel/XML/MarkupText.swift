/// Where a text stands in XML.
package enum MarkupText {
  /// Between the tags of an element.
  case content
  /// In the quotes of an attribute.
  case attribute

  /// The text with everything escaped that readers would take for something else there.
  package func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"" where self == .attribute: result += "&quot;"
      // Readers turn plain line ends and tabs in attributes into spaces, and other line ends everywhere into plain ones.
      case "\n" where self == .attribute, "\t" where self == .attribute, "\r": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The first character that XML cannot hold in any form, as people write it: `U+1`.
  package static func forbiddenCharacter(in text: String) -> String? {
    text.unicodeScalars.first { !isAllowed($0) }.map { "U+" + String($0.value, radix: 16, uppercase: true) }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: true
    default: false
    }
  }
}

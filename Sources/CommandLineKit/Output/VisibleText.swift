/// Makes characters visible that a terminal would obey instead of showing.
///
/// Titles come from strangers' files: one with an escape sequence could clear the screen or pretend to be a message of
/// the tool, and one with a line feed could forge a row.
enum VisibleText {
  /// The text with such characters replaced by escapes as Swift spells them: `\n`, `\t`, `\r` or `\u{1B}`.
  ///
  /// Backslashes stay single: the text is for reading, and "AC\DC" shall look as it does in the library.
  static func of(_ text: String) -> String {
    if text.utf8.allSatisfy(isPlain) || !text.unicodeScalars.contains(where: steersTerminals) { return text }
    var visible = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if steersTerminals(scalar) {
        visible.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        visible.append(scalar)
      }
    }
    return String(visible)
  }

  /// Whether the scalar can move the cursor, start a command to the terminal, break the line or reorder what surrounds it.
  static func steersTerminals(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F: true
    // Line and paragraph separator; embeddings, overrides and isolates of text direction.
    case 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": #"\n"#
    case "\r": #"\r"#
    case "\t": #"\t"#
    default: #"\u{\#(String(scalar.value, radix: 16, uppercase: true))}"#
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }
}

internal import SystemC

/// Makes characters visible that a terminal would interpret instead of showing.
///
/// Titles come from untrusted files: an escape sequence could clear the screen or imitate a message of the tool, and a
/// line feed could forge a row.
package enum VisibleText {
  /// The text with such characters replaced by Swift escapes: `\n`, `\t`, `\r` or `\u{1B}`.
  ///
  /// Backslashes stay single: the text is for reading, and "AC\DC" should look as it does in the library. So is a command
  /// for a service that runs jobs and reads their logs, such as `::error::` at the beginning and `##[error]` anywhere.
  package static func of(_ text: String) -> String {
    var text = text
    if text.withUTF8(needsNothing) { return text }
    let isPlain = text.utf8.allSatisfy(isPlain)
    let commands = mayBeCommand(text) ? starts(ofCommandsIn: text) : []
    if commands.isEmpty, isPlain || !text.unicodeScalars.contains(where: \.steersTerminals) { return text }
    var visible = String.UnicodeScalarView()
    for (index, scalar) in zip(text.unicodeScalars.indices, text.unicodeScalars) {
      if scalar.steersTerminals || commands.contains(index) {
        visible.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        visible.append(scalar)
      }
    }
    return String(visible)
  }

  /// Whether a text is plain and no command, as nearly all are.
  private static func needsNothing(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var last: UInt8 = 0
    for byte in text {
      if !isPlain(byte) || byte == last && (byte == UInt8(ascii: ":") || byte == UInt8(ascii: "#")) { return false }
      last = byte
    }
    return true
  }

  /// A quick look at a text, of which nearly none is a command.
  private static func mayBeCommand(_ text: String) -> Bool {
    var last: UInt8 = 0
    for byte in text.utf8 {
      if byte == last, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "#") { return true }
      last = byte
    }
    return false
  }

  /// The first characters of commands: of GitHub's `::name` at the beginning, and of `##[name]` (GitHub, Azure),
  /// `##vso[` and `##teamcity[` anywhere.
  private static func starts(ofCommandsIn text: String) -> Set<String.Index> {
    let scalars = text.unicodeScalars
    var starts: Set<String.Index> = []
    if let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      scalars[first...].starts(with: "::".unicodeScalars)
    {
      starts.insert(first)
    }
    for index in scalars.indices where scalars[index] == "#" {
      let rest = scalars[index...]
      guard rest.starts(with: "##".unicodeScalars) else { continue }
      let word = rest.dropFirst(2).drop { $0.isASCII && $0.properties.isAlphabetic }
      if word.first == "[" { starts.insert(index) }
    }
    return starts
  }

  /// A document of several lines, whose line feeds and tabs stay as they are.
  package static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { of(String($0)) }.joined(separator: "\t")
    }.joined(separator: "\n")
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

extension String {
  /// This text with escapes for characters that a terminal would interpret, such as `\n` or `\u{1B}`, and for bytes of paths
  /// that are not UTF-8, such as `\xE9`.
  package var visible: String { VisibleText.of(spellingPathBytes) }
}

/// Measures text in terminal columns.
package enum DisplayWidth {
  /// The number of columns that the text takes up.
  package static func of(_ text: String) -> Int {
    // Most titles are ASCII, where every byte takes one column.
    var text = text
    if text.withUTF8({ $0.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// The number of columns that one character takes up, including everything that combines with it.
  static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard scalars.count > 1 else { return scalars.first.map(of) ?? 0 }
    // Several scalars that terminals draw as one picture: flags, families, skin tones, keycaps.
    if scalars.contains(where: makesEmoji) { return 2 }
    return scalars.reduce(0) { $0 + of($1) }
  }

  /// The beginning of the text that fits, ending in "…" if it was cut.
  static func cut(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    guard width > 0 else { return "" }
    var kept = ""
    var rest = width - 1
    for character in text {
      rest -= of(character)
      if rest < 0 { break }
      kept.append(character)
    }
    return kept + "…"
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return isControl(scalar.value) ? 0 : 1 }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch scalar.value {
    // The vowels and final consonants of Hangul, which combine with the wide consonant before them.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default: return isWide(scalar) || properties.isEmojiPresentation ? 2 : 1
    }
  }

  private static func isControl(_ value: UInt32) -> Bool {
    value < 0x20 || (value >= 0x7F && value < 0xA0)
  }

  /// Whether the scalar turns its character into an emoji: an emoji itself, or an emoji selector.
  private static func makesEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0xFE0F || scalar.properties.isEmojiPresentation
  }

  /// Whether the scalar is wide or full-width according to Unicode's annex 11, excluding emoji.
  ///
  /// These are whole blocks rather than the annex's 120 ranges: the additional scalars are unassigned.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF: true
    case 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F: true
    case 0xFF01...0xFF60, 0xFFE0...0xFFE6: true
    case 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD: true
    default: false
    }
  }
}

/// The part of a format around an offset, fit for one line of a terminal.
struct FormatExcerpt {
  let line: String
  let caretLine: String

  /// How much is shown on either side of the offset.
  private static let reach = 50

  init(_ format: String, offset: Int) {
    let bytes = format.utf8
    let place = bytes.index(bytes.startIndex, offsetBy: min(max(offset, 0), bytes.count))
    let before = format[..<place].unicodeScalars.suffix(Self.reach + 1)
    let after = format[place...].unicodeScalars.prefix(Self.reach + 1)
    let start = (before.count > Self.reach ? "…" : "") + Self.visible(before.suffix(Self.reach))
    line = start + Self.visible(after.prefix(Self.reach)) + (after.count > Self.reach ? "…" : "")
    caretLine = String(repeating: " ", count: start.count) + "^"
  }

  /// Line breaks and other controls would tear the line from its caret, or do worse to a terminal.
  static func visible(_ scalars: Substring.UnicodeScalarView) -> String {
    var text = String.UnicodeScalarView()
    for scalar in scalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        text.append(" ")
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}

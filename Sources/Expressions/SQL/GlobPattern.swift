/// A pattern of `LIKE` as one of SQLite's `GLOB`, which is the operator that knows case.
struct GlobPattern {
  let text: String

  /// GLOB tries all places of all stars, so that each of them multiplies its time by the length of the text.
  private static let starLimit = 4
  /// SQLITE_MAX_LIKE_PATTERN_LENGTH is 50,000.
  private static let lengthLimit = 10_000

  /// Translates a pattern, or gives `nil` for one that GLOB cannot match, or not in reasonable time.
  init?(_ pattern: WildcardPattern) {
    var text = ""
    for piece in pattern.pieces {
      switch piece {
      case .many: text += "*"
      case .one: text += "?"
      // GLOB knows no escapes, but a set of one character.
      case .literal("*"): text += "[*]"
      case .literal("?"): text += "[?]"
      case .literal("["): text += "[[]"
      // To GLOB the text ends at a NUL, and these three are one character.
      case .literal("\0"), .literal("\u{FFFD}"), .literal("\u{FFFE}"), .literal("\u{FFFF}"): return nil
      case .literal(let scalar): text.unicodeScalars.append(scalar)
      }
    }
    guard pattern.pieces.count(where: { $0 == .many }) <= Self.starLimit, text.utf8.count <= Self.lengthLimit else {
      return nil
    }
    self.text = text
  }
}

extension SQLWriter {
  /// Writes an operator that searches text.
  func text(
    _ left: SQLOperand, _ right: SQLOperand, _ symbol: ComparisonOperator, _ comparison: Comparison, isNegated: Bool
  ) throws(SQLTranslationError) -> SQLFragment {
    if left.kind == .null || right.kind == .null { return isNegated ? "1" : "0" }
    guard left.kind == .text, right.kind == .text else { throw SQLTranslationError(.kinds, comparison.format) }
    let (whole, part) = (left.folded(comparison.options), right.folded(comparison.options))
    var condition: SQLFragment
    switch symbol {
    case .contains: condition = "instr(\(whole.sql), \(part.sql)) > 0"
    case .beginsWith: condition = beginning(whole, part)
    case .endsWith: condition = try ending(whole, part, comparison)
    case .like: condition = try like(whole, part, comparison)
    default: throw SQLTranslationError(.unsupported, comparison.format)
    }
    // No text begins with, ends with or contains the empty one; for SQLite, every text does.
    if symbol != .like {
      switch part.constant {
      case .string("")?: condition = "0"
      case nil: condition = "\(condition) AND \(part.sql) <> ''"
      default: break
      }
    }
    return Self.negated(condition, isNegated)
  }

  /// Texts with the same beginning are neighbours in the order of UTF-8, so an index finds them.
  private func beginning(_ whole: SQLOperand, _ part: SQLOperand) -> SQLFragment {
    guard case .string(let start)? = part.constant, let end = TextRange.end(ofTextBeginningWith: start),
      whole.sql.functions.isEmpty, naming.keepsTextAsUTF8
    else { return "instr(\(whole.sql), \(part.sql)) = 1" }
    return "\(whole.sql) >= \(part.sql) AND \(whole.sql) < \(argument: .text(end))"
  }

  /// Compares blobs, because SQLite counts the characters of text only up to a NUL; in UTF-16, the bytes differ.
  private func ending(
    _ whole: SQLOperand, _ part: SQLOperand, _ comparison: Comparison
  ) throws(SQLTranslationError) -> SQLFragment {
    guard case .string(let end)? = part.constant, naming.keepsTextAsUTF8 else {
      throw SQLTranslationError(.pattern, comparison.format)
    }
    let bytes = Array(end.utf8)
    return
      "substr(CAST(\(whole.sql) AS BLOB), \(argument: .integer(Int64(-bytes.count)))) = \(argument: .blob(bytes))"
  }

  private func like(
    _ whole: SQLOperand, _ part: SQLOperand, _ comparison: Comparison
  ) throws(SQLTranslationError) -> SQLFragment {
    guard case .string(let pattern)? = part.constant, let glob = GlobPattern(WildcardPattern(pattern)) else {
      throw SQLTranslationError(.pattern, comparison.format)
    }
    return "\(whole.sql) GLOB \(argument: .text(glob.text))"
  }
}

/// Ranges of text in the order of Unicode scalars, as in SQLite's BINARY collation.
private enum TextRange {
  /// The first text after all texts with a given beginning, or `nil` if there is none.
  static func end(ofTextBeginningWith start: String) -> String? {
    var scalars = Array(start.unicodeScalars)
    while let last = scalars.popLast() {
      // U+D800 to U+DFFF are not scalars.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var end = String.UnicodeScalarView(scalars)
      end.append(scalar)
      return String(end)
    }
    return nil
  }
}

/// A pattern of `LIKE` as a pattern of SQLite's `GLOB`, which is case-sensitive.
private struct GlobPattern {
  let text: String

  /// GLOB tries all places of all stars, so each star multiplies the time by the length of the text.
  private static let starLimit = 4
  /// SQLITE_MAX_LIKE_PATTERN_LENGTH is 50,000.
  private static let lengthLimit = 10_000

  /// Translates a pattern, or returns `nil` for one that GLOB cannot match in reasonable time.
  init?(_ pattern: WildcardPattern) {
    var text = ""
    for piece in pattern.pieces {
      switch piece {
      case .many: text += "*"
      case .one: text += "?"
      // GLOB has no escapes, but sets of one character.
      case .literal("*"): text += "[*]"
      case .literal("?"): text += "[?]"
      case .literal("["): text += "[[]"
      // For GLOB, text ends at a NUL, and these three are the same character.
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

/// The operators that look into text.
enum TextComparison {
  /// Whether two texts are in the relation, with case and marks folded as the options say.
  static func holds(
    _ symbol: ComparisonOperator, _ left: String, _ right: String, _ options: ComparisonOptions,
    _ patterns: PatternCache
  ) throws -> Bool {
    if symbol == .matches { return try matches(left, right, options, patterns) }
    let text = TextFolding.fold(left, options)
    let part = TextFolding.fold(right, options)
    switch symbol {
    case .beginsWith: return text.utf8.starts(with: part.utf8)
    case .endsWith: return text.utf8.reversed().starts(with: part.utf8.reversed())
    case .like: return patterns.wildcard(part).matches(text)
    default: return contains(text, part)
    }
  }

  /// Whether text has a part, byte by byte.
  ///
  /// Every text has the empty one.
  private static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard let first = part.first else { return true }
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { start in
      text[start] == first && text[start..<start + part.count].elementsEqual(part)
    }
  }

  /// Case is ICU's own business.
  ///
  /// Marks are taken out of both sides; that leaves a pattern's own signs alone.
  private static func matches(
    _ text: String, _ pattern: String, _ options: ComparisonOptions, _ patterns: PatternCache
  ) throws -> Bool {
    let marks = options.folding.intersection(.diacriticInsensitive)
    let expression = try patterns.regularExpression(
      TextFolding.fold(pattern, marks), ignoresCase: options.folding.contains(.caseInsensitive))
    return try expression.matches(TextFolding.fold(text, marks))
  }
}

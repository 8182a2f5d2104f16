internal import Foundation

/// The operators that search text.
enum TextComparison {
  /// Returns whether the operator holds for two texts, with case and marks folded according to the options.
  static func holds(
    _ symbol: ComparisonOperator, _ left: String, _ right: String, _ options: ComparisonOptions,
    _ patterns: PatternCache
  ) throws -> Bool {
    if symbol == .matches { return try matches(left, right, options, patterns) }
    let text = TextFolding.fold(left, options)
    let part = TextFolding.fold(right, options)
    // As in Foundation, no text begins with, ends with or contains the empty one.
    if part.isEmpty, symbol != .like { return false }
    switch symbol {
    case .beginsWith: return text.utf8.starts(with: part.utf8)
    case .endsWith: return text.utf8.reversed().starts(with: part.utf8.reversed())
    case .like: return patterns.wildcard(part).matches(text)
    default: return contains(text, part)
    }
  }

  /// Whether text has a part, byte by byte.
  private static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard let first = part.first, text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { start in
      text[start] == first && text[start..<start + part.count].elementsEqual(part)
    }
  }

  /// Matches with ICU, which handles case.
  ///
  /// Marks are removed from both sides, which does not affect a pattern's syntax.
  private static func matches(
    _ text: String, _ pattern: String, _ options: ComparisonOptions, _ patterns: PatternCache
  ) throws -> Bool {
    let marks = options.folding.intersection(.diacriticInsensitive)
    let expression = try patterns.regularExpression(
      TextFolding.fold(pattern, marks), ignoresCase: options.folding.contains(.caseInsensitive))
    return try expression.matches(TextFolding.fold(text, marks))
  }
}

/// Removes case and marks from text, so that its code units can be compared.
enum TextFolding {
  /// The folded text; without options, the text itself.
  static func fold(_ text: String, _ options: ComparisonOptions) -> String {
    let options = options.folding
    if options.isEmpty { return text }
    // Nearly all compared text is ASCII; Foundation's folding takes a hundred times longer.
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return options.contains(.caseInsensitive) ? text.lowercased() : text
    }
    var folding: String.CompareOptions = []
    if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    // As in NSString, comparison with options treats composed and decomposed letters as equal.
    return text.folding(options: folding, locale: nil).precomposedStringWithCanonicalMapping
  }
}

/// A pattern of `LIKE`: `*` for any text, `?` for one character, a backslash before either for itself.
struct WildcardPattern {
  /// A part of a pattern.
  enum Piece: Equatable {
    case literal(Unicode.Scalar)
    case one
    case many
  }

  let pieces: [Piece]

  init(_ pattern: String) {
    var pieces: [Piece] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        pieces.append(.literal(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "*":
        if pieces.last != .many { pieces.append(.many) }
      case "?": pieces.append(.one)
      default: pieces.append(.literal(scalar))
      }
    }
    // A backslash at the end has nothing to escape.
    if isEscaped { pieces.append(.literal("\\")) }
    self.pieces = pieces
  }

  /// Returns whether the pattern matches the whole text.
  ///
  /// The time is at worst proportional to the length of the pattern times that of the text.
  func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var (place, piece) = (0, 0)
    // The place of the last `*`, and the end of the text that it matches.
    var star: (piece: Int, end: Int)?
    while place < scalars.count {
      if piece < pieces.count, pieces[piece] == .many {
        star = (piece, place)
        piece += 1
      } else if piece < pieces.count, pieces[piece] == .one || pieces[piece] == .literal(scalars[place]) {
        place += 1
        piece += 1
      } else if let last = star {
        // Only the last star needs to backtrack: earlier ones have found the first match for the text after them.
        star = (last.piece, last.end + 1)
        (place, piece) = (last.end + 1, last.piece + 1)
      } else {
        return false
      }
    }
    return pieces[piece...].allSatisfy { $0 == .many }
  }
}

/// A pattern of `MATCHES`: an ICU regular expression through `NSRegularExpression`, as in Apple's MATCHES.
package struct RegularExpression {
  private let expression: NSRegularExpression
  private let pattern: String

  /// The maximum number of progress reports by ICU: one for each ten thousand steps, so about a tenth of a second.
  ///
  /// The count does not depend on the clock, so a text always either matches in time or never does.
  private static let reportLimit = 1000

  /// Compiles a pattern.
  ///
  /// - Throws: `EvaluationError.invalidPattern`.
  package init(_ pattern: String, ignoresCase: Bool) throws(EvaluationError) {
    self.pattern = pattern
    let options: NSRegularExpression.Options = ignoresCase ? [.caseInsensitive] : []
    // The pattern must be valid by itself: `a)|(b` is valid only inside the parentheses around it.
    guard (try? NSRegularExpression(pattern: pattern, options: options)) != nil,
      let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options)
    else { throw .invalidPattern(pattern) }
    self.expression = expression
  }

  /// Returns whether the pattern matches the whole text.
  ///
  /// - Throws: `EvaluationError.patternTooSlow` if ICU backtracks too much.
  package func matches(_ text: String) throws(EvaluationError) -> Bool {
    var reports = Self.reportLimit
    return try matches(text, within: &reports)
  }

  /// Returns whether the pattern matches the whole text.
  ///
  /// - Parameter remaining: The number of reports that ICU may still make for several texts; those that it makes are
  ///   subtracted.
  /// - Throws: `EvaluationError.patternTooSlow` if ICU backtracks too much.
  package func matches(_ text: String, within remaining: inout Int) throws(EvaluationError) -> Bool {
    var isFound = false
    var reports = 0
    let limit = min(remaining, Self.reportLimit)
    defer { remaining -= reports }
    let range = NSRange(location: 0, length: text.utf16.count)
    var hasFailed = false
    expression.enumerateMatches(in: text, options: [.reportProgress, .reportCompletion], range: range) {
      match, flags, stop in
      if flags.contains(.internalError) { hasFailed = true }
      if match != nil { isFound = true }
      if flags.contains(.progress) { reports += 1 }
      if isFound || reports > limit { stop.pointee = true }
    }
    // ICU's stack may also overflow on long text.
    guard !hasFailed, reports <= limit else { throw .patternTooSlow(pattern) }
    return isFound
  }
}

/// Keeps compiled patterns for the next object.
final class PatternCache {
  private var wildcards: [String: WildcardPattern] = [:]
  private var expressions: [Key: RegularExpression] = [:]
  /// Patterns may come from the data, one for every row.
  private static let limit = 100

  private struct Key: Hashable {
    let pattern: [UInt8]
    let ignoresCase: Bool
  }

  func wildcard(_ pattern: String) -> WildcardPattern {
    // Equal strings with different code units are different patterns, so only ASCII is cached.
    guard pattern.utf8.allSatisfy({ $0 < 0x80 }) else { return WildcardPattern(pattern) }
    if let known = wildcards[pattern] { return known }
    if wildcards.count >= Self.limit { wildcards = [:] }
    let made = WildcardPattern(pattern)
    wildcards[pattern] = made
    return made
  }

  func regularExpression(_ pattern: String, ignoresCase: Bool) throws -> RegularExpression {
    let key = Key(pattern: Array(pattern.utf8), ignoresCase: ignoresCase)
    if let known = expressions[key] { return known }
    if expressions.count >= Self.limit { expressions = [:] }
    let made = try RegularExpression(pattern, ignoresCase: ignoresCase)
    expressions[key] = made
    return made
  }
}

internal import Foundation

/// A pattern of `MATCHES`: ICU's language, through `NSRegularExpression`, which is also what Apple's MATCHES speaks.
struct RegularExpression {
  private let expression: NSRegularExpression
  private let pattern: String

  /// How often ICU may report that it is still at work: once for ten thousand steps, so that this is some tenth of a
  /// second.
  ///
  /// The count does not depend on the clock, so a text either matches in time or never does.
  private static let reportLimit = 1000

  /// Compiles a pattern.
  ///
  /// - Throws: `EvaluationError.invalidPattern`.
  init(_ pattern: String, ignoresCase: Bool) throws(EvaluationError) {
    self.pattern = pattern
    let options: NSRegularExpression.Options = ignoresCase ? [.caseInsensitive] : []
    // The pattern must be one by itself: `a)|(b` would become one only in the parentheses around it.
    guard (try? NSRegularExpression(pattern: pattern, options: options)) != nil,
      let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options)
    else { throw .invalidPattern(pattern) }
    self.expression = expression
  }

  /// Whether the whole text matches.
  ///
  /// - Throws: `EvaluationError.patternTooSlow` when ICU backtracks beyond measure.
  func matches(_ text: String) throws(EvaluationError) -> Bool {
    var isFound = false
    var reports = 0
    let range = NSRange(location: 0, length: text.utf16.count)
    var hasFailed = false
    expression.enumerateMatches(in: text, options: [.reportProgress, .reportCompletion], range: range) {
      match, flags, stop in
      if flags.contains(.internalError) { hasFailed = true }
      if match != nil { isFound = true }
      if flags.contains(.progress) { reports += 1 }
      if isFound || reports > Self.reportLimit { stop.pointee = true }
    }
    // ICU's own stack may also run out, on long text.
    guard !hasFailed, reports <= Self.reportLimit else { throw .patternTooSlow(pattern) }
    return isFound
  }
}

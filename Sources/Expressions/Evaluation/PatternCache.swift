/// Keeps what is compiled of patterns, for the next object.
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
    // Equal strings that differ in their code units are different patterns, so only ASCII is looked up.
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

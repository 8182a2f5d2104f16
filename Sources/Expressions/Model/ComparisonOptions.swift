/// How text is compared: `[c]`, `[d]`, `[cd]` or `[n]`.
public struct ComparisonOptions: OptionSet, Sendable, Hashable {
  /// One bit for each option.
  public let rawValue: UInt8

  /// Creates options from bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `c`: upper and lower case are the same.
  public static let caseInsensitive = ComparisonOptions(rawValue: 1)
  /// `d`: letters with and without marks are the same.
  public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
  /// `n`: the text was normalised before, so that it is compared as it is.
  ///
  /// It wins over the other two.
  public static let normalized = ComparisonOptions(rawValue: 4)

  /// What to do to text before it is compared code unit by code unit.
  var folding: ComparisonOptions {
    contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
  }
}

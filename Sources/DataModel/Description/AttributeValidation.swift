/// The limits that an app checks when it saves an attribute's value.
///
/// They do not enter the version hash.
public struct AttributeValidation: Sendable, Hashable {
  /// The smallest number or date, or for strings the smallest length.
  public var minimum: AttributeValue?
  /// The greatest number or date, or for strings the greatest length.
  public var maximum: AttributeValue?
  /// The pattern that a string must match.
  public var regularExpression: String?

  /// Creates limits; without arguments there are none.
  public init(minimum: AttributeValue? = nil, maximum: AttributeValue? = nil, regularExpression: String? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.regularExpression = regularExpression
  }

  /// Whether there are no limits.
  public var isEmpty: Bool { self == AttributeValidation() }
}

/// Two expressions and how they are compared.
public struct Comparison: Sendable, Hashable {
  /// What is compared.
  public let left: Expression
  /// How.
  public let comparisonOperator: ComparisonOperator
  /// What it is compared with.
  public let right: Expression
  /// How text is compared.
  public let options: ComparisonOptions
  /// Whether the left side is one value, or a collection of which any or all values are meant.
  public let modifier: ComparisonModifier

  /// Creates a comparison.
  public init(
    _ left: Expression, _ comparisonOperator: ComparisonOperator, _ right: Expression,
    options: ComparisonOptions = [], modifier: ComparisonModifier = .direct
  ) {
    self.left = left
    self.comparisonOperator = comparisonOperator
    self.right = right
    self.options = options
    self.modifier = modifier
  }
}

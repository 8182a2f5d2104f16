public import Expressions

/// Where the value of one destination property comes from.
public struct PropertyMapping: Sendable, Hashable {
  /// The name of the destination property.
  public var name: String
  /// The expression that gives the value; without one an attribute has its default and a relationship is empty.
  public var valueExpression: Expression?

  /// Creates a property mapping.
  public init(name: String, valueExpression: Expression?) {
    self.name = name
    self.valueExpression = valueExpression
  }
}

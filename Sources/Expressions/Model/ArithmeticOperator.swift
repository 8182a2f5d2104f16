/// An operator between two numbers.
public enum ArithmeticOperator: String, Sendable, Hashable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case power = "**"

  /// The selector of the function that Apple's parser makes of the operator.
  public var selector: String {
    switch self {
    case .add: "add:to:"
    case .subtract: "from:subtract:"
    case .multiply: "multiply:by:"
    case .divide: "divide:by:"
    case .power: "raise:toPower:"
    }
  }

  /// Finds the operator that a function is another spelling of.
  public init?(selector: String) {
    guard let found = Self.allCases.first(where: { $0.selector == selector }) else { return nil }
    self = found
  }
}

/// How two values are compared.
public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case lessThan = "<"
  case lessThanOrEqual = "<="
  case greaterThan = ">"
  case greaterThanOrEqual = ">="
  case between = "BETWEEN"
  case `in` = "IN"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"

  /// Whether the operator looks into text, so that it has no meaning for numbers and dates.
  public var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .like, .matches: true
    default: false
    }
  }
}

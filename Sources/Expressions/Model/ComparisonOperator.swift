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
}

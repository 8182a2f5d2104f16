import CoreDataExpressions

/// Shows how a tree hangs together: every operator in parentheses.
enum Outline {
  static func of(_ predicate: Predicate) -> String {
    switch predicate {
    case .constant(let value): value ? "true" : "false"
    case .comparison(let comparison):
      "(\(comparison.modifier.rawValue)\(of(comparison.left)) \(comparison.comparisonOperator) \(of(comparison.right)))"
    case .and(let parts): "and(\(parts.map { of($0) }.joined(separator: ", ")))"
    case .or(let parts): "or(\(parts.map { of($0) }.joined(separator: ", ")))"
    case .not(let part): "not(\(of(part)))"
    }
  }

  static func of(_ expression: Expression) -> String {
    switch expression {
    case .arithmetic(let symbol, let left, let right): "(\(of(left)) \(symbol.rawValue) \(of(right)))"
    case .negative(let operand): "minus(\(of(operand)))"
    case .keyPath(let operand, let path): "\(of(operand))/\(path.count)"
    case .element(let collection, _): "\(of(collection))[]"
    default: "\(expression)"
    }
  }
}

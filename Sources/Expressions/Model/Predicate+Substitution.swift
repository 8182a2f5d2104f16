extension Predicate {
  /// Replaces variables by expressions.
  ///
  /// Variables that are not named stay.
  public func substituting(_ values: [String: Expression]) -> Predicate {
    switch self {
    case .constant: self
    case .comparison(let comparison): .comparison(comparison.substituting(values))
    case .and(let parts): .and(parts.map { $0.substituting(values) })
    case .or(let parts): .or(parts.map { $0.substituting(values) })
    case .not(let part): .not(part.substituting(values))
    }
  }

  /// Replaces variables by values.
  public func substituting(_ values: [String: FormatArgument]) -> Predicate {
    substituting(values.mapValues(\.expression))
  }
}

extension Comparison {
  fileprivate func substituting(_ values: [String: Expression]) -> Comparison {
    Comparison(
      left.substituting(values), comparisonOperator, right.substituting(values), options: options, modifier: modifier)
  }
}

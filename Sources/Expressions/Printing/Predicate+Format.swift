extension Predicate: CustomStringConvertible {
  /// The predicate as text, as `NSPredicate.predicateFormat` is.
  ///
  /// It parses back to an equal predicate.
  public var description: String {
    switch self {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): comparison.format
    case .and(let parts): parts.isEmpty ? "TRUEPREDICATE" : Self.join(parts, " AND ")
    case .or(let parts): parts.isEmpty ? "FALSEPREDICATE" : Self.join(parts, " OR ")
    case .not(let part): "NOT " + (part.isSimple ? part.description : "(\(part))")
    }
  }

  /// Foundation puts every AND and OR inside another in parentheses, needed or not.
  private static func join(_ parts: [Predicate], _ word: String) -> String {
    parts.map { part in
      switch part {
      case .and, .or: "(\(part))"
      default: part.description
      }
    }.joined(separator: word)
  }

  private var isSimple: Bool {
    switch self {
    case .constant, .comparison: true
    default: false
    }
  }
}

extension Comparison {
  /// The comparison as text.
  var format: String {
    let modifier = modifier == .direct ? "" : modifier.rawValue + " "
    return "\(modifier)\(left) \(comparisonOperator.rawValue)\(options.format) \(right)"
  }
}

extension ComparisonOptions {
  /// The letters in their brackets, or nothing.
  var format: String {
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
      + (contains(.normalized) ? "n" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

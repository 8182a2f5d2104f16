extension Expression {
  /// Whether the value is the same for every object, every variable and every moment.
  package var isIndependent: Bool {
    switch self {
    case .constant: true
    case .evaluatedObject, .variable, .subquery, .fetch: false
    case .keyPath(let operand, _), .negative(let operand), .cast(let operand, _): operand.isIndependent
    case .element(let collection, let index): collection.isIndependent && index.isIndependent
    case .function(let target, let selector, let arguments):
      target == nil && selector != "now" && Selector.all.contains(selector) && arguments.allSatisfy(\.isIndependent)
    case .aggregate(let elements): elements.allSatisfy(\.isIndependent)
    case .arithmetic(_, let left, let right): left.isIndependent && right.isIndependent
    case .ternary(let condition, let yes, let no):
      condition.isIndependent && yes.isIndependent && no.isIndependent
    }
  }
}

extension Predicate {
  /// Whether the predicate is true of every object or of none.
  var isIndependent: Bool {
    switch self {
    case .constant: true
    case .comparison(let comparison): comparison.left.isIndependent && comparison.right.isIndependent
    case .and(let parts), .or(let parts): parts.allSatisfy(\.isIndependent)
    case .not(let part): part.isIndependent
    }
  }
}

extension CollectionIndex {
  fileprivate var isIndependent: Bool {
    if case .position(let position) = self { position.isIndependent } else { true }
  }
}

extension Expression {
  /// Replaces variables by expressions.
  ///
  /// Variables that are not named stay, and so does the variable of a SUBQUERY.
  public func substituting(_ values: [String: Expression]) -> Expression {
    func replaced(_ expression: Expression) -> Expression { expression.substituting(values) }
    switch self {
    case .constant, .evaluatedObject: return self
    case .variable(let name): return values[name] ?? self
    case .keyPath(let operand, let path): return replaced(operand).appending(path, to: operand)
    case .element(let collection, let index): return .element(of: replaced(collection), at: index.substituting(values))
    case .function(let target, let selector, let arguments):
      return .function(target: target.map(replaced), selector: selector, arguments: arguments.map(replaced))
    case .aggregate(let elements): return .aggregate(elements.map(replaced))
    case .arithmetic(let symbol, let left, let right): return .arithmetic(symbol, replaced(left), replaced(right))
    case .negative(let operand): return .negative(replaced(operand))
    case .subquery(let collection, let variable, let predicate):
      var inner = values
      inner[variable] = nil
      return .subquery(replaced(collection), variable: variable, predicate.substituting(inner))
    case .cast(let operand, let type): return .cast(replaced(operand), type: type)
    case .ternary(let condition, let yes, let no):
      return .ternary(condition.substituting(values), replaced(yes), replaced(no))
    case .fetch(let request, let context, let countOnly):
      return .fetch(request: replaced(request), context: replaced(context), countOnly: countOnly)
    }
  }

  /// Joins a path to what took its operand's place: `$x.b` with `$x` = `SELF.a` is `a.b`, as if it had been written so.
  private func appending(_ path: [KeyPathComponent], to operand: Expression) -> Expression {
    guard case .variable = operand, case .keyPath(let root, let start) = self,
      !start.contains(where: { if case .collectionOperator = $0 { true } else { false } })
    else { return .keyPath(self, path) }
    return .keyPath(root, start + path)
  }
}

extension CollectionIndex {
  fileprivate func substituting(_ values: [String: Expression]) -> CollectionIndex {
    guard case .position(let position) = self else { return self }
    return .position(position.substituting(values))
  }
}

extension Evaluator {
  func arithmetic(_ symbol: ArithmeticOperator, _ left: Expression, _ right: Expression) throws -> ExpressionValue {
    try Arithmetic.apply(symbol, value(of: left), value(of: right))
  }

  func negative(_ operand: Expression) throws -> ExpressionValue {
    let value = try value(of: operand)
    // The opposite of 0.0 is -0.0, which subtraction would not give.
    if case .real(let real) = value { return .real(-real) }
    return try Arithmetic.apply(.subtract, .integer(0), value, "-")
  }

  /// `collection[FIRST]` and the like.
  ///
  /// What is out of the collection is nil only for FIRST and LAST.
  func element(of expression: Expression, at index: CollectionIndex) throws -> ExpressionValue {
    let source = try value(of: expression)
    if source.isNull { return .null }
    if case .dictionary(let values) = source { return try entry(of: values, at: index) }
    guard case .collection(_, let elements) = source else {
      throw EvaluationError.wrongKind(operation: "[]", expected: "a collection", found: source.kindName)
    }
    switch index {
    case .first: return elements.first ?? .null
    case .last: return elements.last ?? .null
    case .size: return .integer(Int64(elements.count))
    case .position(let position):
      let place = try Arithmetic.integer(value(of: position), "[]")
      guard let place = Int(exactly: place), elements.indices.contains(place) else {
        throw EvaluationError.indexOutOfRange(place, count: elements.count)
      }
      return elements[place]
    }
  }

  private func entry(of values: [String: ExpressionValue], at index: CollectionIndex) throws -> ExpressionValue {
    switch index {
    case .size: return .integer(Int64(values.count))
    case .position(let position):
      if case .string(let key) = try value(of: position) { return values[key] ?? .null }
    default: break
    }
    throw EvaluationError.wrongKind(operation: "[]", expected: "a key of a dictionary", found: "something else")
  }
}

extension Expression {
  /// Evaluates the expression.
  ///
  /// - Throws: `EvaluationError`, or what an object or the invoker throws.
  public func value(in context: EvaluationContext) throws -> ExpressionValue {
    try Evaluator(context).value(of: self)
  }
}

extension Predicate {
  /// Tells whether the predicate is true.
  ///
  /// - Throws: `EvaluationError`, or what an object or the invoker throws.
  public func evaluate(in context: EvaluationContext) throws -> Bool {
    try Evaluator(context).isTrue(self)
  }
}

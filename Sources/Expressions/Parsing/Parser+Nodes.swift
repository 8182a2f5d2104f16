extension Parser {
  /// A node of an expression, one level above others.
  func node(_ expression: Expression, above height: Int = 0, at offset: Int) throws(FormatError) -> Node {
    try checkHeight(height + 1, at: offset)
    return Node(content: .expression(expression), height: height + 1, offset: offset)
  }

  /// A node of a condition, one level above others.
  func node(_ predicate: Predicate, above height: Int = 0, at offset: Int) throws(FormatError) -> Node {
    try checkHeight(height + 1, at: offset)
    return Node(content: .predicate(predicate), height: height + 1, offset: offset)
  }

  /// Insists that a node is an expression.
  func expression(_ node: Node) throws(FormatError) -> Sized<Expression> {
    guard case .expression(let expression) = node.content else {
      throw error(.unexpected(found: "a condition", expected: "an expression"), at: node.offset)
    }
    return Sized(value: expression, height: node.height)
  }

  /// Insists that a node is a condition.
  func predicate(_ node: Node) throws(FormatError) -> Sized<Predicate> {
    guard case .predicate(let predicate) = node.content else {
      // The token after the expression is where a comparison is missing.
      guard token.kind == .end || Infix(token.kind) != nil || token.kind == .symbol(.closeParenthesis) else {
        throw unexpected("a comparison such as == after the expression")
      }
      throw error(.unexpected(found: "an expression alone", expected: "a condition such as a == b"), at: node.offset)
    }
    return Sized(value: predicate, height: node.height)
  }

  private func checkHeight(_ height: Int, at offset: Int) throws(FormatError) {
    guard height <= Self.depthLimit else { throw error(.tooDeep(limit: Self.depthLimit), at: offset) }
  }
}

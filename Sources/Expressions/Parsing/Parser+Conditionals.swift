extension Parser {
  /// `SUBQUERY(collection, $variable, predicate)`.
  mutating func subquery(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let collection = try expression(try node(.additive))
    try expect(.comma)
    guard case .variable(let variable) = token.kind else { throw unexpected("a variable such as $x") }
    try advance()
    try expect(.comma)
    let condition = try predicate(try node())
    try expect(.closeParenthesis)
    return try node(
      .subquery(collection.value, variable: variable, condition.value),
      above: max(collection.height, condition.height), at: offset)
  }

  /// `TERNARY(predicate, ifTrue, ifFalse)`.
  mutating func ternary(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let condition = try predicate(try node())
    try expect(.comma)
    let yes = try expression(try node(.additive))
    try expect(.comma)
    let no = try expression(try node(.additive))
    try expect(.closeParenthesis)
    return try node(
      .ternary(condition.value, yes.value, no.value), above: max(condition.height, yes.height, no.height), at: offset)
  }

  /// `FETCH(request, context, countOnly)`.
  mutating func fetch(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let request = try expression(try node(.additive))
    try expect(.comma)
    let context = try expression(try node(.additive))
    try expect(.comma)
    let countOnly = try truth()
    try expect(.closeParenthesis)
    return try node(
      .fetch(request: request.value, context: context.value, countOnly: countOnly),
      above: max(request.height, context.height), at: offset)
  }

  private mutating func truth() throws(FormatError) -> Bool {
    let offset = token.range.lowerBound
    switch try expression(try node(.additive)).value {
    case .constant(.boolean(let value)): return value
    case .constant(.integer(let value)) where value == 0 || value == 1: return value == 1
    default: throw error(.unexpected(found: "something else", expected: "YES or NO"), at: offset)
    }
  }
}

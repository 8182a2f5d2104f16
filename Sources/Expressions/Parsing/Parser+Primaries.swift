extension Parser {
  /// A value by itself, and whether it is a key path that more keys may join.
  mutating func primary() throws(FormatError) -> (node: Node, isPath: Bool) {
    let offset = token.range.lowerBound
    switch token.kind {
    case .symbol(.openParenthesis): return (try parenthesised(), false)
    case .symbol(.openBrace): return (try aggregate(), false)
    case .key(let name): return try named(name, at: offset)
    case .keyword(let keyword, let name): return try word(keyword, name, at: offset)
    case .selector(let selector):
      try advance()
      return (try call(selector, isWritten: true, at: offset), false)
    case .collectionOperator, .placeholder(.keyPath):
      let path = try path()
      return (try node(.keyPath(.evaluatedObject, path), at: offset), true)
    case .placeholder(let placeholder): return (try node(try argument(of: placeholder), at: offset), false)
    default: return (try node(try simple(), at: offset), false)
    }
  }

  /// Literals and variables.
  private mutating func simple() throws(FormatError) -> Expression {
    let result: Expression
    switch token.kind {
    case .variable(let name): result = .variable(name)
    case .string(let text): result = .constant(.string(text))
    case .real(let value): result = .constant(.real(value))
    case .integer(let magnitude):
      guard let value = Int64(exactly: magnitude) else { throw error(.numberOutOfRange) }
      result = .constant(.integer(value))
    default: throw unexpected("an expression")
    }
    try advance()
    return result
  }

  private mutating func word(
    _ keyword: Keyword, _ name: String, at offset: Int
  ) throws(FormatError) -> (node: Node, isPath: Bool) {
    switch keyword {
    case .null, .nil: return (try literal(.null), false)
    case .yes, .true: return (try literal(.boolean(true)), false)
    case .no, .false: return (try literal(.boolean(false)), false)
    case .truePredicate, .falsePredicate:
      try advance()
      return (try node(Predicate.constant(keyword == .truePredicate), at: offset), false)
    case .evaluatedObject:
      try advance()
      return (try node(.evaluatedObject, at: offset), false)
    default:
      guard keyword.isContextual else { throw unexpected("an expression") }
      return try named(name, keyword, at: offset)
    }
  }

  private mutating func literal(_ literal: Literal) throws(FormatError) -> Node {
    let offset = token.range.lowerBound
    try advance()
    return try node(.constant(literal), at: offset)
  }

  /// A key, or a function when a parenthesis follows.
  private mutating func named(
    _ name: String, _ keyword: Keyword? = nil, at offset: Int
  ) throws(FormatError) -> (node: Node, isPath: Bool) {
    try advance()
    guard token.kind == .symbol(.openParenthesis) else {
      let path = try path(after: [.key(name)])
      return (try node(.keyPath(.evaluatedObject, path), at: offset), true)
    }
    switch keyword {
    case .subquery: return (try subquery(at: offset), false)
    case .cast: return (try cast(at: offset), false)
    case .fetch: return (try fetch(at: offset), false)
    case .ternary: return (try ternary(at: offset), false)
    case .function: return (try targetedCall(at: offset), false)
    default: return (try call(name, isWritten: false, at: offset), false)
    }
  }

  private mutating func parenthesised() throws(FormatError) -> Node {
    try advance()
    let node = try node()
    try expect(.closeParenthesis)
    return node
  }

  private mutating func aggregate() throws(FormatError) -> Node {
    let offset = token.range.lowerBound
    try advance()
    let elements = try list(until: .closeBrace)
    return try node(.aggregate(elements.value), above: elements.height, at: offset)
  }
}

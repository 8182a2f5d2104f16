extension Parser {
  /// A value, and what is asked of it: keys after dots, places in brackets.
  mutating func term() throws(FormatError) -> Node {
    let offset = token.range.lowerBound
    let (start, isPath) = try primary()
    return try postfix(start, isPath: isPath, at: offset)
  }

  /// What follows a minus sign.
  ///
  /// A number takes the sign with it.
  mutating func negated(at offset: Int) throws(FormatError) -> Node {
    let literal: Literal
    switch token.kind {
    case .integer(let magnitude):
      guard magnitude <= UInt64(Int64.max) + 1 else { throw error(.numberOutOfRange) }
      literal = .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    case .real(let magnitude): literal = .real(-magnitude)
    default:
      let part = try expression(try node(.unary))
      return try node(.negative(part.value), above: part.height, at: offset)
    }
    try advance()
    return try postfix(try node(.constant(literal), at: offset), isPath: false, at: offset)
  }

  private mutating func postfix(_ start: Node, isPath: Bool, at offset: Int) throws(FormatError) -> Node {
    var (left, isPath) = (start, isPath)
    while true {
      if try take(.dot) {
        left = try step(left, joins: isPath, at: offset)
        isPath = true
      } else if token.kind == .symbol(.openBracket) {
        left = try element(left, at: offset)
        isPath = false
      } else {
        return left
      }
    }
  }

  private mutating func step(_ left: Node, joins: Bool, at offset: Int) throws(FormatError) -> Node {
    let operand = try expression(left)
    let path = try path()
    if joins, case .keyPath(let root, let start) = operand.value {
      return try node(.keyPath(root, start + path), above: operand.height - 1, at: offset)
    }
    return try node(.keyPath(operand.value, path), above: operand.height, at: offset)
  }

  private mutating func element(_ left: Node, at offset: Int) throws(FormatError) -> Node {
    let collection = try expression(left)
    try advance()
    var (index, height) = (CollectionIndex.first, 0)
    switch token.kind {
    case .keyword(.first, _): try advance()
    case .keyword(.last, _):
      index = .last
      try advance()
    case .keyword(.size, _):
      index = .size
      try advance()
    default:
      let position = try expression(try node(.additive))
      (index, height) = (.position(position.value), position.height)
    }
    try expect(.closeBracket)
    return try node(.element(of: collection.value, at: index), above: max(collection.height, height), at: offset)
  }
}

extension Parser {
  /// What stands before the first operator: a term, maybe with a prefix.
  mutating func operand(_ minimum: Infix.Precedence) throws(FormatError) -> Node {
    let offset = token.range.lowerBound
    switch token.kind {
    case .symbol(.not) where minimum <= .not, .keyword(.not, _) where minimum <= .not:
      try advance()
      let part = try predicate(try node(.not))
      return try node(.not(part.value), above: part.height, at: offset)
    case .symbol(.minus):
      try advance()
      return try negated(at: offset)
    case .keyword(let keyword, _) where minimum <= .comparison:
      switch keyword {
      case .any, .some: return try modified(.any, isNegated: false)
      case .all: return try modified(.all, isNegated: false)
      case .none: return try modified(.any, isNegated: true)
      default: return try term()
      }
    default: return try term()
    }
  }

  /// Joins what stands left of an operator with what follows it.
  mutating func combine(_ left: Node, _ infix: Infix) throws(FormatError) -> Node {
    switch infix {
    case .or:
      let (parts, height) = try chain(left, .or)
      return try node(.or(parts), above: height, at: left.offset)
    case .and:
      let (parts, height) = try chain(left, .and)
      return try node(.and(parts), above: height, at: left.offset)
    case .comparison(let comparison): return try compare(left, comparison, .direct)
    case .arithmetic(let symbol):
      let first = try expression(left)
      try advance()
      // Apple's ** is left-associative, too: 2 ** 3 ** 2 is 64.
      let second = try expression(try node(symbol.precedence.next))
      return try node(
        .arithmetic(symbol, first.value, second.value), above: max(first.height, second.height), at: left.offset)
    }
  }

  /// `a AND b AND c` is one list of three, as Apple's parser makes it; what is in parentheses stays apart.
  private mutating func chain(
    _ left: Node, _ precedence: Infix.Precedence
  ) throws(FormatError) -> (parts: [Predicate], height: Int) {
    let first = try predicate(left)
    var (parts, height) = ([first.value], first.height)
    while Infix(token.kind)?.precedence == precedence {
      try advance()
      let part = try predicate(try node(precedence.next))
      parts.append(part.value)
      height = max(height, part.height)
    }
    return (parts, height)
  }

  private mutating func modified(_ modifier: ComparisonModifier, isNegated: Bool) throws(FormatError) -> Node {
    let offset = token.range.lowerBound
    try advance()
    let left = try node(.additive)
    guard case .comparison(let comparison) = Infix(token.kind) else {
      throw unexpected("a comparison such as == after \(isNegated ? "NONE" : modifier.rawValue)")
    }
    let result = try compare(left, comparison, modifier)
    guard isNegated else { return result }
    let part = try predicate(result)
    return try node(.not(part.value), above: part.height, at: offset)
  }

  private mutating func compare(
    _ left: Node, _ comparison: ComparisonOperator, _ modifier: ComparisonModifier
  ) throws(FormatError) -> Node {
    let first = try expression(left)
    try advance()
    let options = try options()
    let second = try expression(try node(.additive))
    return try node(
      .compare(first.value, comparison, second.value, options: options, modifier: modifier),
      above: max(first.height, second.height), at: left.offset)
  }

  private mutating func options() throws(FormatError) -> ComparisonOptions {
    guard try take(.openBracket) else { return [] }
    let word: String
    switch token.kind {
    case .key(let name), .keyword(_, let name): word = name
    default: throw unexpected("options such as [cd]")
    }
    var options: ComparisonOptions = []
    for letter in word.unicodeScalars {
      switch letter {
      case "c", "C": options.insert(.caseInsensitive)
      case "d", "D": options.insert(.diacriticInsensitive)
      case "n", "N": options.insert(.normalized)
      default: throw error(.unknownOption(String(letter)))
      }
    }
    try advance()
    try expect(.closeBracket)
    return options
  }
}

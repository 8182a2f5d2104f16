/// Parses a format by precedence climbing.
///
/// There is no backtracking, so the time is proportional to the length of the text. Both the parser's recursion and the
/// height of the resulting tree are limited.
struct Parser {
  /// The maximum nesting depth of a format.
  ///
  /// Core Data's own formats need a handful of levels. This many, with all later processing of the tree, fit into a
  /// stack of 512 KB (4 MB without optimisation), the minimum for a thread.
  static let depthLimit = 200

  private var lexer: Lexer
  private(set) var token: Token
  private var depth = 0
  let arguments: [FormatArgument]
  var usedArguments = 0

  init(_ format: String, arguments: [FormatArgument]) throws(FormatError) {
    lexer = Lexer(format)
    token = try lexer.next()
    self.arguments = arguments
  }

  /// Parses operands and operators with at least a given precedence.
  mutating func node(_ minimum: Infix.Precedence = .or) throws(FormatError) -> Node {
    guard depth < Self.depthLimit else { throw error(.tooDeep(limit: Self.depthLimit)) }
    depth += 1
    defer { depth -= 1 }
    var left = try operand(minimum)
    while let infix = Infix(token.kind), infix.precedence >= minimum {
      left = try combine(left, infix)
    }
    return left
  }

  /// Takes the next token.
  mutating func advance() throws(FormatError) {
    token = try lexer.next()
  }

  /// Checks that the whole format and all arguments were used.
  func finish() throws(FormatError) {
    guard token.kind == .end else { throw unexpected("an operator or the end") }
    guard usedArguments == arguments.count else {
      throw error(.unusedArguments(count: arguments.count - usedArguments, given: arguments.count))
    }
  }

  /// Takes an optional sign.
  mutating func take(_ symbol: Symbol) throws(FormatError) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  /// Takes a required sign.
  mutating func expect(_ symbol: Symbol) throws(FormatError) {
    guard try take(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
  }

  func error(_ problem: FormatError.Problem, at offset: Int? = nil) -> FormatError {
    lexer.error(problem, at: offset ?? token.range.lowerBound)
  }

  /// The error for an unexpected token.
  func unexpected(_ expected: String) -> FormatError {
    let text = Substring(decoding: lexer.bytes[token.range].prefix(200), as: UTF8.self).unicodeScalars
    let found = "'\(FormatExcerpt.visible(text.prefix(40)))\(text.count > 40 ? "…" : "")'"
    return error(.unexpected(found: token.kind == .end ? "the end" : found, expected: expected))
  }
}

/// A parsed expression or condition.
///
/// The grammar uses the same parentheses for both, so only their content decides.
struct Node {
  let content: Content
  /// The number of levels, which is limited because the tree is later processed by recursion.
  let height: Int
  /// The offset of its first byte.
  let offset: Int

  enum Content {
    case expression(Expression)
    case predicate(Predicate)
  }
}

/// A part of a tree, with its height.
struct Sized<Value> {
  let value: Value
  let height: Int
}

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

  /// Requires that a node is an expression.
  func expression(_ node: Node) throws(FormatError) -> Sized<Expression> {
    guard case .expression(let expression) = node.content else {
      throw error(.unexpected(found: "a condition", expected: "an expression"), at: node.offset)
    }
    return Sized(value: expression, height: node.height)
  }

  /// Requires that a node is a condition.
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

  // MARK: - Operators

  /// The first operand: a term, possibly with a prefix.
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
    case .symbol(.complement):
      try advance()
      let part = try expression(try node(.unary))
      return try node(
        .function(target: nil, selector: Selector.complement, arguments: [part.value]), above: part.height, at: offset)
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

  /// Parses the right operand of an operator, and combines both.
  mutating func combine(_ left: Node, _ infix: Infix) throws(FormatError) -> Node {
    switch infix {
    case .or:
      let (parts, height) = try chain(left, .or)
      return try node(.or(parts), above: height, at: left.offset)
    case .and:
      let (parts, height) = try chain(left, .and)
      return try node(.and(parts), above: height, at: left.offset)
    case .comparison(let comparison): return try compare(left, comparison, .direct)
    case .bitwise(let symbol):
      let first = try expression(left)
      try advance()
      let second = try expression(try node(symbol.precedence.next))
      return try node(
        .function(target: nil, selector: symbol.selector, arguments: [first.value, second.value]),
        above: max(first.height, second.height), at: left.offset)
    case .arithmetic(let symbol):
      let first = try expression(left)
      try advance()
      // Apple's ** is left-associative, too: 2 ** 3 ** 2 is 64.
      let second = try expression(try node(symbol.precedence.next))
      return try node(
        .arithmetic(symbol, first.value, second.value), above: max(first.height, second.height), at: left.offset)
    }
  }

  /// `a AND b AND c` is one list of three, as in Apple's parser; parentheses keep their content separate.
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
    let left = try node(.operand)
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
    let second = try expression(try node(.operand))
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
      case "l", "L": options.insert(.localeSensitive)
      case "n", "N": options.insert(.normalized)
      default: throw error(.unknownOption(String(letter)))
      }
    }
    try advance()
    try expect(.closeBracket)
    return options
  }

  // MARK: - Conditionals

  /// `SUBQUERY(collection, $variable, predicate)`.
  mutating func subquery(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let collection = try expression(try node(.operand))
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
    let yes = try expression(try node(.operand))
    try expect(.comma)
    let no = try expression(try node(.operand))
    try expect(.closeParenthesis)
    return try node(
      .ternary(condition.value, yes.value, no.value), above: max(condition.height, yes.height, no.height), at: offset)
  }

  /// `FETCH(request, context, countOnly)`.
  mutating func fetch(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let request = try expression(try node(.operand))
    try expect(.comma)
    let context = try expression(try node(.operand))
    try expect(.comma)
    let countOnly = try truth()
    try expect(.closeParenthesis)
    return try node(
      .fetch(request: request.value, context: context.value, countOnly: countOnly),
      above: max(request.height, context.height), at: offset)
  }

  private mutating func truth() throws(FormatError) -> Bool {
    let offset = token.range.lowerBound
    switch try expression(try node(.operand)).value {
    case .constant(.boolean(let value)): return value
    case .constant(.integer(let value)) where value == 0 || value == 1: return value == 1
    default: throw error(.unexpected(found: "something else", expected: "YES or NO"), at: offset)
    }
  }
}

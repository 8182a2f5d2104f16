/// Reads a format by precedence climbing.
///
/// Nothing is tried twice, so that reading takes time in proportion to the text, and both the parser's own recursion
/// and the height of the tree that it makes are bounded.
struct Parser {
  /// How deep a format may nest.
  ///
  /// Core Data's own formats need a handful of levels. This many fit, with all that is done to the tree later, into a
  /// stack of 512 KB (of 4 MB without optimisation), which a thread has at the least.
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

  /// Reads operands and operators that hold at least as strongly as the given one.
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

  /// Insists that nothing is left, neither of the format nor of the arguments.
  func finish() throws(FormatError) {
    guard token.kind == .end else { throw unexpected("an operator or the end") }
    guard usedArguments == arguments.count else {
      throw error(.unusedArguments(count: arguments.count - usedArguments, given: arguments.count))
    }
  }

  /// Takes a sign if it is there.
  mutating func take(_ symbol: Symbol) throws(FormatError) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  /// Takes a sign that must be there.
  mutating func expect(_ symbol: Symbol) throws(FormatError) {
    guard try take(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
  }

  func error(_ problem: FormatError.Problem, at offset: Int? = nil) -> FormatError {
    lexer.error(problem, at: offset ?? token.range.lowerBound)
  }

  /// The error that the current token should be something else.
  func unexpected(_ expected: String) -> FormatError {
    let text = Substring(decoding: lexer.bytes[token.range].prefix(200), as: UTF8.self).unicodeScalars
    let found = "'\(FormatExcerpt.visible(text.prefix(40)))\(text.count > 40 ? "…" : "")'"
    return error(.unexpected(found: token.kind == .end ? "the end" : found, expected: expected))
  }
}

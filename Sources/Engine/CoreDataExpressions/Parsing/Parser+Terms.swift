extension Parser {
  /// A value, with keys after dots and indexes in brackets.
  mutating func term() throws(FormatError) -> Node {
    let offset = token.range.lowerBound
    return try postfix(try primary(), at: offset)
  }

  /// The operand of a minus sign; a number literal includes the sign.
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
    return try postfix(try node(.constant(literal), at: offset), at: offset)
  }

  private mutating func postfix(_ start: Node, at offset: Int) throws(FormatError) -> Node {
    var left = start
    while true {
      if try take(.dot) {
        left = try step(left, at: offset)
      } else if token.kind == .symbol(.openBracket) {
        left = try element(left, at: offset)
      } else {
        return left
      }
    }
  }

  private mutating func step(_ left: Node, at offset: Int) throws(FormatError) -> Node {
    let operand = try expression(left)
    let path = try path()
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
      let position = try expression(try node(.operand))
      (index, height) = (.position(position.value), position.height)
    }
    try expect(.closeBracket)
    return try node(.element(of: collection.value, at: index), above: max(collection.height, height), at: offset)
  }

  // MARK: - Primaries

  /// A single value, or a whole key path.
  private mutating func primary() throws(FormatError) -> Node {
    let offset = token.range.lowerBound
    switch token.kind {
    case .symbol(.openParenthesis): return try parenthesised()
    case .symbol(.openBrace): return try aggregate()
    case .key(let name): return try named(name, at: offset)
    case .keyword(let keyword, let name): return try word(keyword, name, at: offset)
    case .selector(let selector):
      try advance()
      return try call(selector, isWritten: true, at: offset)
    case .collectionOperator, .placeholder(.keyPath):
      let path = try path()
      return try node(.keyPath(.evaluatedObject, path), at: offset)
    case .placeholder(let placeholder): return try node(try argument(of: placeholder), at: offset)
    default: return try node(try simple(), at: offset)
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

  private mutating func word(_ keyword: Keyword, _ name: String, at offset: Int) throws(FormatError) -> Node {
    switch keyword {
    case .null, .nil: return try literal(.null)
    case .yes, .true: return try literal(.boolean(true))
    case .no, .false: return try literal(.boolean(false))
    case .truePredicate, .falsePredicate:
      try advance()
      return try node(Predicate.constant(keyword == .truePredicate), at: offset)
    case .evaluatedObject:
      try advance()
      return try node(.evaluatedObject, at: offset)
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
  ) throws(FormatError) -> Node {
    try advance()
    guard token.kind == .symbol(.openParenthesis) else {
      let path = try path(after: [.key(name)])
      return try node(.keyPath(.evaluatedObject, path), at: offset)
    }
    switch keyword {
    case .subquery: return try subquery(at: offset)
    case .cast: return try cast(at: offset)
    case .fetch: return try fetch(at: offset)
    case .ternary: return try ternary(at: offset)
    case .function: return try targetedCall(at: offset)
    default: return try call(name, isWritten: false, at: offset)
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

  // MARK: - Paths

  /// Keys and operators, separated by dots.
  mutating func path(after start: [KeyPathComponent] = []) throws(FormatError) -> [KeyPathComponent] {
    var path = start
    if start.isEmpty { path += try components() }
    while try take(.dot) { path += try components() }
    if case .collectionOperator(let last)? = path.last, last.needsPath {
      throw error(.missingOperatorPath(last.rawValue))
    }
    return path
  }

  private mutating func components() throws(FormatError) -> [KeyPathComponent] {
    let result: [KeyPathComponent]
    switch token.kind {
    // Only a key can follow a dot, so keywords need no mark there.
    case .key(let name), .keyword(_, let name): result = [.key(name)]
    case .collectionOperator(let name): result = [.collectionOperator(try collectionOperator(name))]
    case .placeholder(.keyPath): return try keyPathArgument()
    default: throw unexpected("a key")
    }
    try advance()
    return result
  }

  /// Finds an operator by its name.
  func collectionOperator(_ name: String) throws(FormatError) -> CollectionOperator {
    guard let found = CollectionOperator(rawValue: name) else { throw error(.unknownCollectionOperator(name)) }
    return found
  }

  // MARK: - Calls

  /// Expressions separated by commas, up to a closing sign.
  mutating func list(until end: Symbol) throws(FormatError) -> Sized<[Expression]> {
    var (elements, height) = ([Expression](), 0)
    if try take(end) { return Sized(value: [], height: 0) }
    repeat {
      let element = try expression(try node(.operand))
      elements.append(element.value)
      height = max(height, element.height)
    } while try take(.comma)
    guard try take(end) else { throw unexpected("',' or '\(end.rawValue)'") }
    return Sized(value: elements, height: height)
  }

  /// `sum(x)` or `sum:(x)`: a function without a target.
  mutating func call(_ name: String, isWritten: Bool, at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let arguments = try list(until: .closeParenthesis)
    let selector = isWritten ? name : Selector.full(name, argumentCount: arguments.value.count)
    if let symbol = ArithmeticOperator(selector: selector), arguments.value.count == 2 {
      return try node(
        .arithmetic(symbol, arguments.value[0], arguments.value[1]), above: arguments.height, at: offset)
    }
    return try node(
      .function(target: nil, selector: selector, arguments: arguments.value), above: arguments.height, at: offset)
  }

  /// `FUNCTION(target, "selector:", arguments…)`.
  private mutating func targetedCall(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let target = try expression(try node(.operand))
    try expect(.comma)
    let selector = try text("a selector in quotes")
    var arguments = Sized<[Expression]>(value: [], height: 0)
    if try take(.comma) {
      arguments = try list(until: .closeParenthesis)
    } else {
      try expect(.closeParenthesis)
    }
    return try node(
      .call(target.value, selector, arguments.value), above: max(target.height, arguments.height), at: offset)
  }

  /// `CAST(expression, "class")`.
  mutating func cast(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let operand = try expression(try node(.operand))
    try expect(.comma)
    let type = try text("the name of a class in quotes")
    try expect(.closeParenthesis)
    return try node(.cast(operand.value, type: type), above: operand.height, at: offset)
  }

  private mutating func text(_ expected: String) throws(FormatError) -> String {
    if case .string(let text) = token.kind {
      try advance()
      return text
    }
    let place = token.range.lowerBound
    guard case .placeholder(.value) = token.kind else { throw unexpected(expected) }
    guard case .constant(.string(let text)) = try argument(of: .value) else {
      throw error(.wrongArgument(number: usedArguments, expected: expected), at: place)
    }
    return text
  }

  // MARK: - Arguments

  /// The argument of a placeholder, as an expression.
  mutating func argument(of placeholder: Placeholder) throws(FormatError) -> Expression {
    let argument = try nextArgument()
    switch placeholder {
    case .value: try check(argument.isFinite, "a finite number")
    case .integer: try check(argument.isWhole, "a whole number")
    case .real: try check((argument.isWhole || argument.isReal) && argument.isFinite, "a finite number")
    case .keyPath: break
    }
    try advance()
    return argument.expression
  }

  /// The argument of `%K`: a key path as text; a leading SELF is ignored.
  private mutating func keyPathArgument() throws(FormatError) -> [KeyPathComponent] {
    let argument = try nextArgument()
    guard case .string(let text) = argument else { throw wrongArgument("a key path") }
    var names = text.split(separator: ".", omittingEmptySubsequences: false)
    if names.count > 1, names.first == "SELF" { names.removeFirst() }
    var path: [KeyPathComponent] = []
    for name in names {
      if name.hasPrefix("@") {
        path.append(.collectionOperator(try collectionOperator(String(name.dropFirst()))))
      } else {
        try check(Lexer.isName(String(name)), "a key path: names with dots between them")
        path.append(.key(String(name)))
      }
    }
    try advance()
    return path
  }

  private mutating func nextArgument() throws(FormatError) -> FormatArgument {
    guard usedArguments < arguments.count else { throw error(.missingArgument(number: usedArguments + 1)) }
    usedArguments += 1
    return arguments[usedArguments - 1]
  }

  private func check(_ isRight: Bool, _ expected: String) throws(FormatError) {
    guard isRight else { throw wrongArgument(expected) }
  }

  private func wrongArgument(_ expected: String) -> FormatError {
    error(.wrongArgument(number: usedArguments, expected: expected))
  }
}

extension FormatArgument {
  fileprivate var isWhole: Bool {
    switch self {
    case .integer, .boolean: true
    default: false
    }
  }

  fileprivate var isReal: Bool {
    if case .real = self { true } else { false }
  }

  /// Infinity and not-a-number cannot be written in a format.
  fileprivate var isFinite: Bool {
    switch self {
    case .real(let value), .date(let value): value.isFinite
    case .list(let values): values.allSatisfy(\.isFinite)
    default: true
    }
  }
}

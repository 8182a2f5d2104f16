extension Parser {
  /// Expressions with commas between them, and the sign that ends them.
  mutating func list(until end: Symbol) throws(FormatError) -> Sized<[Expression]> {
    var (elements, height) = ([Expression](), 0)
    if try take(end) { return Sized(value: [], height: 0) }
    repeat {
      let element = try expression(try node(.additive))
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
  mutating func targetedCall(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let target = try expression(try node(.additive))
    try expect(.comma)
    let selector = try text("a selector in quotes")
    var arguments = Sized<[Expression]>(value: [], height: 0)
    if try take(.comma) {
      arguments = try list(until: .closeParenthesis)
    } else {
      try expect(.closeParenthesis)
    }
    return try node(
      .function(target: target.value, selector: selector, arguments: arguments.value),
      above: max(target.height, arguments.height), at: offset)
  }

  /// `CAST(expression, "class")`.
  mutating func cast(at offset: Int) throws(FormatError) -> Node {
    try expect(.openParenthesis)
    let operand = try expression(try node(.additive))
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
}

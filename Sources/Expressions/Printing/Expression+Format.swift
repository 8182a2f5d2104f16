extension Expression: CustomStringConvertible {
  /// The expression as text, as `NSExpression` prints it.
  ///
  /// It parses back to an equal expression.
  public var description: String { text(holding: .additive) }

  /// The text, in parentheses if it holds its operands less strongly than its surroundings need.
  private func text(holding minimum: Infix.Precedence) -> String {
    let text = unparenthesised
    return precedence < minimum ? "(\(text))" : text
  }

  private var precedence: Infix.Precedence {
    if case .arithmetic(let symbol, _, _) = self { symbol.precedence } else { .unary }
  }

  private var unparenthesised: String {
    switch self {
    case .constant(let literal): literal.format
    case .evaluatedObject: "SELF"
    case .variable(let name): "$" + name
    case .keyPath(let operand, let path): Self.format(path, of: operand)
    case .element(let collection, let index): "\(collection.textBeforePostfix)[\(index.format)]"
    case .function(nil, let selector, let arguments): "\(selector)(\(Self.list(arguments)))"
    case .function(let target?, let selector, let arguments):
      "FUNCTION(\(Self.list([target, .constant(.string(selector))] + arguments)))"
    case .aggregate(let elements): "{\(Self.list(elements))}"
    case .arithmetic(let symbol, let left, let right):
      "\(left.text(holding: symbol.precedence)) \(symbol.rawValue) \(right.text(holding: symbol.precedence.next))"
    case .negative(let operand): "-" + operand.textAfterMinus
    case .subquery(let collection, let variable, let predicate): "SUBQUERY(\(collection), $\(variable), \(predicate))"
    case .cast(let operand, let type): "CAST(\(Self.castText(operand, type)), \(Literal.string(type).format))"
    case .ternary(let condition, let yes, let no): "TERNARY(\(condition), \(yes), \(no))"
    case .fetch(let request, let context, let countOnly):
      "FETCH(\(request), \(context), \(Literal.boolean(countOnly).format))"
    }
  }

  private static func list(_ expressions: [Expression]) -> String {
    expressions.map(\.description).joined(separator: ", ")
  }

  private static func format(_ path: [KeyPathComponent], of operand: Expression) -> String {
    let path = path.map(\.format).joined(separator: ".")
    return operand == .evaluatedObject ? path : "\(operand.textBeforePath).\(path)"
  }

  /// Foundation prints a date as the cast of a number with six decimals; more are kept where they are needed.
  private static func castText(_ operand: Expression, _ type: String) -> String {
    guard case .constant(.real(let seconds)) = operand, type == ValueType.date.rawValue else {
      return operand.description
    }
    return FixedPointText.format(seconds) ?? operand.description
  }

  /// The text before a dot: a key path in front of another stays apart from it.
  private var textBeforePath: String {
    if case .keyPath = self { "(\(self))" } else { textBeforePostfix }
  }

  /// The text before a dot or a bracket.
  private var textBeforePostfix: String {
    switch self {
    case .arithmetic, .negative, .constant(.integer), .constant(.real): "(\(unparenthesised))"
    default: unparenthesised
    }
  }

  /// The text after a minus sign: a number in parentheses, or else the sign would be the number's own.
  private var textAfterMinus: String {
    switch self {
    case .constant(.integer), .constant(.real): "(\(unparenthesised))"
    default: text(holding: .unary)
    }
  }
}

extension Expression: CustomStringConvertible {
  /// The expression as text, as `NSExpression` prints it.
  ///
  /// It parses to an equal expression.
  public var description: String { text(holding: .additive) }

  /// The text, in parentheses if its precedence is lower than required.
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

  /// Foundation prints a date as the cast of a number with six decimals; more are used if necessary.
  private static func castText(_ operand: Expression, _ type: String) -> String {
    guard case .constant(.real(let seconds)) = operand, type == ValueType.date.rawValue else {
      return operand.description
    }
    return FixedPointText.format(seconds) ?? operand.description
  }

  /// The text before a dot: a key path before another is in parentheses.
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

  /// The text after a minus sign: a number is in parentheses, because the sign would become part of it.
  private var textAfterMinus: String {
    switch self {
    case .constant(.integer), .constant(.real): "(\(unparenthesised))"
    default: text(holding: .unary)
    }
  }
}

extension Predicate: CustomStringConvertible {
  /// The predicate as text, like `NSPredicate.predicateFormat`.
  ///
  /// It parses to an equal predicate.
  public var description: String {
    switch self {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): comparison.format
    case .and(let parts): parts.isEmpty ? "TRUEPREDICATE" : Self.join(parts, " AND ")
    case .or(let parts): parts.isEmpty ? "FALSEPREDICATE" : Self.join(parts, " OR ")
    case .not(.not(let part)): "NOT (\(Predicate.not(part)))"
    case .not(let part): "NOT " + part.operandText
    }
  }

  /// Foundation puts every AND and OR inside another in parentheses, needed or not.
  private static func join(_ parts: [Predicate], _ word: String) -> String {
    parts.map(\.operandText).joined(separator: word)
  }

  private var operandText: String {
    switch self {
    case .and(let parts) where parts.count > 1, .or(let parts) where parts.count > 1: "(\(self))"
    default: description
    }
  }
}

extension Comparison {
  /// The comparison as text.
  var format: String {
    let modifier = modifier == .direct ? "" : modifier.rawValue + " "
    return "\(modifier)\(left) \(comparisonOperator.rawValue)\(options.format) \(right)"
  }
}

extension ComparisonOptions {
  /// The letters in their brackets, or nothing.
  var format: String {
    let all: [(Self, String)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
    ]
    let letters = all.filter { contains($0.0) }.map(\.1).joined()
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

extension Literal {
  /// The literal as the format language writes it.
  var format: String {
    switch self {
    case .null: "nil"
    case .boolean(let value): value ? "YES" : "NO"
    case .integer(let value): String(value)
    // Infinity has no literal: it can be created only in code, and is printed readably.
    case .real(let value): value.isFinite ? String(value) : "CAST(\"\(value)\", \"NSNumber\")"
    case .string(let value): Self.quoted(value)
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\0"..<" ", "\u{7F}"..<"\u{A0}": result += "\\x" + HexadecimalText.encode([UInt8(scalar.value)])
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension KeyPathComponent {
  /// The key, with `#` if it looks like a keyword, or the operator with its sign.
  var format: String {
    switch self {
    case .key(let name): (Keyword(word: name)?.isEscapedInPrint == true ? "#" : "") + name
    case .collectionOperator(let symbol): "@" + symbol.rawValue
    }
  }
}

extension CollectionIndex {
  /// The text in the brackets.
  var format: String {
    switch self {
    case .first: "FIRST"
    case .last: "LAST"
    case .size: "SIZE"
    case .position(let position): position.description
    }
  }
}

extension Evaluator {
  /// Calls a function: a built-in one if it has no target, or else the invoker.
  func call(_ target: Expression?, _ selector: String, _ arguments: [Expression]) throws -> ExpressionValue {
    let target = try target.map { try value(of: $0) }
    let arguments = try values(of: arguments)
    if target == nil, let result = try builtIn(selector, arguments) { return result }
    guard let invoker = context.invoker else { throw EvaluationError.unknownSelector(selector) }
    return try invoker(target, selector, arguments)
  }

  /// The result of a built-in function, or `nil` if there is none of that name.
  private func builtIn(_ selector: String, _ arguments: [ExpressionValue]) throws -> ExpressionValue? {
    if selector == "now" { return .date(try now(arguments)) }
    if Selector.collective.contains(selector) { return try collective(selector, arguments) }
    if Selector.textual.contains(selector) { return try textual(selector, one(arguments, selector)) }
    if let function = Selector.numeric[selector] {
      return try numeric(selector, function, one(arguments, selector))
    }
    if let function = Selector.bitwise[selector] {
      let (left, right) = try two(arguments, selector)
      if left.isNull || right.isNull { return .null }
      return .integer(function(try Arithmetic.integer(left, selector), try Arithmetic.integer(right, selector)))
    }
    if let symbol = ArithmeticOperator(selector: selector) {
      let (left, right) = try two(arguments, selector)
      return try Arithmetic.apply(symbol, left, right)
    }
    switch selector {
    case "modulus:by:":
      let (left, right) = try two(arguments, selector)
      return try Arithmetic.remainder(left, right, selector)
    case "noindex:": return try one(arguments, selector)
    default: return nil
    }
  }

  private func now(_ arguments: [ExpressionValue]) throws -> Double {
    guard arguments.isEmpty else { throw wrong("now", "no argument", arguments) }
    guard let clock = context.clock else { throw EvaluationError.noClock }
    return clock()
  }

  /// One collection, or the arguments themselves as one.
  private func collective(_ selector: String, _ arguments: [ExpressionValue]) throws -> ExpressionValue {
    var values = arguments
    if arguments.count == 1, case .collection(_, let elements) = arguments[0] { values = elements }
    if arguments.count == 1, arguments[0].isNull { values = [] }
    guard !arguments.isEmpty else { throw wrong(selector, "a collection", arguments) }
    switch selector {
    case "sum:": return try CollectionReduction.sum(values, selector)
    case "average:": return try CollectionReduction.average(values, selector)
    case "median:": return try CollectionReduction.median(values, selector)
    case "min:": return try CollectionReduction.extreme(values, .before, selector)
    case "max:": return try CollectionReduction.extreme(values, .after, selector)
    default: return .integer(Int64(values.count))
    }
  }

  private func textual(_ selector: String, _ argument: ExpressionValue) throws -> ExpressionValue {
    if argument.isNull { return .null }
    guard case .string(let text) = argument else { throw wrong(selector, "text", [argument]) }
    switch selector {
    case "uppercase:": return .string(text.uppercased())
    case "lowercase:": return .string(text.lowercased())
    // UTF-16, as NSString counts.
    default: return .integer(Int64(text.utf16.count))
    }
  }

  private func numeric(
    _ selector: String, _ function: (Double) -> Double, _ argument: ExpressionValue
  ) throws -> ExpressionValue {
    if argument.isNull { return .null }
    let number = try Arithmetic.number(argument, selector)
    if case .integer(let value) = number, Selector.integral.contains(selector) {
      guard selector == "abs:", value < 0 else { return .integer(value) }
      return try Arithmetic.apply(.subtract, .integer(0), .integer(value), selector)
    }
    return try Arithmetic.real(function(number.real), selector)
  }

  private func one(_ arguments: [ExpressionValue], _ selector: String) throws -> ExpressionValue {
    guard arguments.count == 1 else { throw wrong(selector, "one argument", arguments) }
    return arguments[0]
  }

  private func two(
    _ arguments: [ExpressionValue], _ selector: String
  ) throws -> (ExpressionValue, ExpressionValue) {
    guard arguments.count == 2 else { throw wrong(selector, "two arguments", arguments) }
    return (arguments[0], arguments[1])
  }

  private func wrong(_ selector: String, _ expected: String, _ arguments: [ExpressionValue]) -> EvaluationError {
    let kinds = arguments.map(\.kindName).joined(separator: " and ")
    return .wrongArguments(selector: selector, expected: expected, found: kinds.isEmpty ? "nothing" : kinds)
  }
}

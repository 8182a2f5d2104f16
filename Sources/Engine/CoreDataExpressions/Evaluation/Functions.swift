internal import SystemC

extension Evaluator {
  /// Calls a built-in function if there is no target, or else the invoker.
  func call(_ target: Expression?, _ selector: String, _ arguments: [Expression]) throws -> ExpressionValue {
    // The class is the target that Foundation itself gives to a function of the format language.
    let target = target == .constant(.string(Selector.className)) ? nil : try target.map { try value(of: $0) }
    let arguments = try values(of: arguments)
    if target == nil {
      if let result = try builtIn(selector, arguments) { return result }
      if Selector.unsupported.contains(selector) { throw EvaluationError.unsupportedSelector(selector) }
    }
    guard let invoker = context.invoker else { throw EvaluationError.unknownSelector(selector) }
    return try invoker(target, selector, arguments)
  }

  /// The result of a built-in function, or `nil` if there is none with that name.
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
    case Selector.complement:
      let value = try one(arguments, selector)
      return value.isNull ? .null : .integer(~(try Arithmetic.integer(value, selector)))
    case "modulus:by:":
      let (left, right) = try two(arguments, selector)
      return try Arithmetic.remainder(left, right, selector)
    case "castObject:toType:":
      guard case (let value, .string(let type)) = try two(arguments, selector) else {
        throw wrong(selector, "a value and the name of a class", arguments)
      }
      return try Cast.value(value, to: type)
    case "noindex:": return try one(arguments, selector)
    case "objectFrom:withIndex:":
      let (source, position) = try two(arguments, selector)
      return try element(of: source, at: position)
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
    case "mode:": return try CollectionReduction.mode(values, selector)
    case "stddev:": return try CollectionReduction.deviation(values, selector)
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

/// The built-in functions.
enum Selector {
  /// The selector for a function's name with parentheses: `modulus(a, b)` is `modulus:by:`.
  static func full(_ name: String, argumentCount: Int) -> String {
    let colons = { (selector: String) in selector.utf8.count { $0 == UInt8(ascii: ":") } }
    let known = (all + unsupported).first { $0.prefix { $0 != ":" } == name && colons($0) == argumentCount }
    return known ?? (argumentCount == 0 ? name : name + ":")
  }

  /// The class of Foundation that has these functions.
  static let className = "_NSPredicateUtilities"

  /// Functions of that class which have no value here.
  ///
  /// Those that are left to chance would give another store each time, and a location is no value of a store.
  static let unsupported: Set<String> = [
    "random", "random:", "randomn:", "distanceToLocation:fromLocation:", "distinct:", "tokenize:using:",
  ]

  /// All selectors, in alphabetical order.
  static let all =
    (Array(numeric.keys) + collective + textual + ArithmeticOperator.allCases.map(\.selector)
    + ["now", "noindex:", "objectFrom:withIndex:", complement] + Array(bitwise.keys) + ["modulus:by:"]).sorted()

  /// The function of the operator `~`.
  static let complement = "onesComplement:"

  /// Functions of one collection, or of several numbers.
  static let collective = ["sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:"]

  /// Functions of one text.
  static let textual = ["uppercase:", "lowercase:", "length:"]

  /// Functions of one number that return a real number.
  ///
  /// `abs:` and the rounding functions keep whole numbers whole.
  static let numeric: [String: @Sendable (Double) -> Double] = [
    "abs:": { abs($0) },
    "floor:": { $0.rounded(.down) },
    "ceiling:": { $0.rounded(.up) },
    "trunc:": { $0.rounded(.towardZero) },
    "sqrt:": { $0.squareRoot() },
    "exp:": { exp($0) },
    "ln:": { log($0) },
    "log:": { log10($0) },
  ]

  /// Functions that keep a whole number whole.
  static let integral: Set<String> = ["abs:", "floor:", "ceiling:", "trunc:"]

  /// Functions of the bits of two numbers.
  static let bitwise: [String: @Sendable (Int64, Int64) -> Int64] = [
    "bitwiseAnd:with:": { $0 & $1 },
    "bitwiseOr:with:": { $0 | $1 },
    "bitwiseXor:with:": { $0 ^ $1 },
    "leftshift:by:": { $0 << $1 },
    "rightshift:by:": { $0 >> $1 },
  ]
}

/// Converts a value to another class, as `CAST` does; nil stays nil.
enum Cast {
  static func value(_ value: ExpressionValue, to type: String) throws -> ExpressionValue {
    if value.isNull { return .null }
    guard let target = ValueType(rawValue: type), let result = convert(value, to: target) else {
      throw EvaluationError.cannotCast(kind: value.kindName, type: type)
    }
    return result
  }

  private static func convert(_ value: ExpressionValue, to target: ValueType) -> ExpressionValue? {
    switch (target, value) {
    case (.date, .date), (.string, .string), (.uuid, .uuid), (.url, .url), (.data, .data), (.decimal, .decimal):
      return value
    case (.number, .boolean), (.number, .integer), (.number, .real), (.number, .decimal): return value
    case (.number, .date(let seconds)): return .real(seconds)
    case (.number, .string(let text)): return number(text)
    case (.string, _): return text(value).map { .string($0) }
    case (.decimal, .string(let text)): return DecimalText(text).map { _ in .decimal(text) }
    case (.decimal, .integer), (.decimal, .real), (.decimal, .boolean): return text(value).map { .decimal($0) }
    case (.date, .string(let text)): return DateText.secondsSince2001(text).map { .date($0) }
    case (.date, _): return value.number.map { .date($0.real) }
    case (.uuid, .string(let text)): return UUIDValue(text).map { .uuid($0) }
    case (.url, .string(let text)): return .url(text)
    case (.data, .string(let text)): return HexadecimalText.decode(text).map { .data($0) }
    default: return nil
    }
  }

  /// Infinity and not-a-number can be parsed, but are not usable numbers.
  private static func number(_ text: String) -> ExpressionValue? {
    if let whole = Int64(text) { return .integer(whole) }
    return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
  }

  /// The text of a value.
  ///
  /// A whole real number is written without a fraction, as NSNumber does.
  static func text(_ value: ExpressionValue) -> String? {
    switch value {
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): String(value)
    case .real(let value): Int64(exactly: value).map { String($0) } ?? String(value)
    case .decimal(let text): DecimalText(text)?.plainText ?? text
    case .url(let text): text
    case .uuid(let uuid): uuid.description
    default: nil
    }
  }
}

/// Applies the collection operators of key paths.
enum CollectionReduction {
  /// Applies an operator to the values at a path of the elements.
  static func reduce(
    _ elements: [ExpressionValue], isSet: Bool, _ symbol: CollectionOperator, path: ArraySlice<KeyPathComponent>
  ) throws -> ExpressionValue {
    // Each element counts, even if two have the same value.
    let values = try elements.map { try Evaluator.follow(path, from: $0) }
    let kind: CollectionKind = isSet ? .set : .array
    switch symbol {
    case .count: return .integer(Int64(values.count))
    case .sum: return try sum(values, "@sum")
    case .average: return try average(values, "@avg")
    case .minimum: return try extreme(values, .before, "@min")
    case .maximum: return try extreme(values, .after, "@max")
    case .unionOfObjects: return .collection(.array, values.filter { !$0.isNull })
    case .distinctUnionOfObjects: return .collection(kind, distinct(values.filter { !$0.isNull }))
    case .unionOfArrays, .unionOfSets: return .collection(.array, try joined(values, symbol))
    case .distinctUnionOfArrays: return .collection(.array, distinct(try joined(values, symbol)))
    case .distinctUnionOfSets: return .collection(.set, distinct(try joined(values, symbol)))
    }
  }

  /// Adds values, with nil as 0; whole numbers stay whole.
  static func sum(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    try values.reduce(.integer(0)) { try Arithmetic.apply(.add, $0, $1.isNull ? .integer(0) : $1, name) }
  }

  /// The mean, a real number, with nil as 0; the mean of an empty collection is 0.
  static func average(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    guard !values.isEmpty, let total = try sum(values, name).number else { return .real(0) }
    return .real(total.real / Double(values.count))
  }

  /// The minimum or maximum; nil is ignored.
  static func extreme(_ values: [ExpressionValue], _ wanted: Order, _ name: String) throws -> ExpressionValue {
    let present = values.filter { !$0.isNull }
    guard var best = present.first else { return .null }
    for value in present where try ValueOrder.compare(value, best, name) == wanted { best = value }
    return best
  }

  /// The middle value, or the mean of the two middle values; nil is ignored.
  static func median(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    let numbers = try values.filter { !$0.isNull }.map { try Arithmetic.number($0, name).real }.sorted()
    guard !numbers.isEmpty else { return .null }
    let middle = numbers.count / 2
    return .real(numbers.count.isMultiple(of: 2) ? (numbers[middle - 1] + numbers[middle]) / 2 : numbers[middle])
  }

  /// The most frequent values, as numbers in ascending order; nil is ignored.
  static func mode(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    var counts: [ExpressionValue: Int] = [:]
    for value in values where !value.isNull {
      _ = try Arithmetic.number(value, name)
      counts[value, default: 0] += 1
    }
    let most = counts.values.max()
    return .collection(.array, try counts.filter { $0.value == most }.keys.sorted { try $0.precedesInSorting($1) })
  }

  /// The standard deviation of a whole population; nil is ignored.
  static func deviation(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    let numbers = try values.filter { !$0.isNull }.map { try Arithmetic.number($0, name).real }
    guard !numbers.isEmpty else { return .null }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)
    return try Arithmetic.real(variance.squareRoot(), name)
  }

  /// The values without duplicates, in the order of their first appearance.
  private static func distinct(_ values: [ExpressionValue]) -> [ExpressionValue] {
    var seen: Set<ExpressionValue> = []
    return values.filter { seen.insert($0).inserted }
  }

  /// The elements of all collections; one that is nil has none.
  private static func joined(_ values: [ExpressionValue], _ symbol: CollectionOperator) throws -> [ExpressionValue] {
    try values.flatMap { value in
      switch value {
      case .null: return [ExpressionValue]()
      case .collection(_, let elements): return elements
      default:
        throw EvaluationError.wrongKind(
          operation: "@" + symbol.rawValue, expected: "collections", found: value.kindName)
      }
    }
  }
}

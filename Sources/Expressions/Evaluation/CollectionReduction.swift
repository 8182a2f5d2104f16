/// What the collection operators of key paths make of a collection.
enum CollectionReduction {
  /// Applies an operator to the values that a path gives for the elements.
  static func reduce(
    _ elements: [ExpressionValue], isSet: Bool, _ symbol: CollectionOperator, path: ArraySlice<KeyPathComponent>
  ) throws -> ExpressionValue {
    // Each element counts, also when two have the same value.
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

  /// Adds up; nil counts as 0.
  ///
  /// Whole numbers stay whole.
  static func sum(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    try values.reduce(.integer(0)) { try Arithmetic.apply(.add, $0, $1.isNull ? .integer(0) : $1, name) }
  }

  /// The mean, a real number; nil counts as 0, and nothing at all has the mean 0.
  static func average(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    guard !values.isEmpty, let total = try sum(values, name).number else { return .real(0) }
    return .real(total.real / Double(values.count))
  }

  /// The first value in the order, or the last; nil is left out.
  static func extreme(_ values: [ExpressionValue], _ wanted: Order, _ name: String) throws -> ExpressionValue {
    let present = values.filter { !$0.isNull }
    guard var best = present.first else { return .null }
    for value in present where try ValueOrder.compare(value, best, name) == wanted { best = value }
    return best
  }

  /// The value in the middle, or the mean of the two there; nil is left out.
  static func median(_ values: [ExpressionValue], _ name: String) throws -> ExpressionValue {
    let numbers = try values.filter { !$0.isNull }.map { try Arithmetic.number($0, name).real }.sorted()
    guard !numbers.isEmpty else { return .null }
    let middle = numbers.count / 2
    return .real(numbers.count.isMultiple(of: 2) ? (numbers[middle - 1] + numbers[middle]) / 2 : numbers[middle])
  }

  /// The values without repetitions, in the order of their first appearance.
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

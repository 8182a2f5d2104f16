extension Evaluator {
  /// The value of a key path.
  func value(of operand: Expression, _ path: [KeyPathComponent]) throws -> ExpressionValue {
    try Self.follow(path[...], from: value(of: operand))
  }

  /// Follows a path from a value, as `value(forKeyPath:)` does: nil stays nil, collections are followed element by
  /// element, and an operator takes the rest of the path as its argument.
  static func follow(_ path: ArraySlice<KeyPathComponent>, from start: ExpressionValue) throws -> ExpressionValue {
    var value = start
    for (index, component) in zip(path.indices, path) {
      if value.isNull { return .null }
      switch component {
      case .collectionOperator(let symbol):
        guard symbol.needsPath else {
          value = .integer(Int64(try elements(of: value, for: symbol).count))
          continue
        }
        return try CollectionReduction.reduce(
          elements(of: value, for: symbol), isSet: value.isSet, symbol, path: path[(index + 1)...])
      case .key(let key):
        if case .collection(let kind, let elements) = value {
          return try map(elements, kind, path[index...])
        }
        value = try property(key, of: value)
      }
    }
    return value
  }

  /// Asks every element.
  ///
  /// Sets, which have no place for nil, leave it out; an array keeps it.
  private static func map(
    _ elements: [ExpressionValue], _ kind: CollectionKind, _ path: ArraySlice<KeyPathComponent>
  ) throws -> ExpressionValue {
    let tail = path.dropFirst()
    let values = try elements.map { try follow(path.prefix(1), from: $0) }
    let mapped = ExpressionValue.collection(kind, distinct: kind == .array ? values : values.filter { !$0.isNull })
    return try follow(tail, from: mapped)
  }

  private static func elements(
    of value: ExpressionValue, for symbol: CollectionOperator
  ) throws -> [ExpressionValue] {
    guard case .collection(_, let elements) = value else {
      throw EvaluationError.wrongKind(
        operation: "@" + symbol.rawValue, expected: "a collection", found: value.kindName)
    }
    return elements
  }

  private static func property(_ key: String, of value: ExpressionValue) throws -> ExpressionValue {
    switch value {
    case .object(let object): return try object.value(forKey: key)
    case .dictionary(let values): return values[key] ?? .null
    // Filters ask text for its length as a key far more often than with the function.
    case .string(let text) where key == "length": return .integer(Int64(text.utf16.count))
    case .string(let text) where key == "uppercaseString": return .string(text.uppercased())
    case .string(let text) where key == "lowercaseString": return .string(text.lowercased())
    default: throw EvaluationError.unknownKey(key, kind: value.kindName)
    }
  }
}

extension ExpressionValue {
  /// Whether this is a collection without repetitions.
  var isSet: Bool {
    switch self {
    case .collection(.set, _), .collection(.orderedSet, _): true
    default: false
    }
  }
}

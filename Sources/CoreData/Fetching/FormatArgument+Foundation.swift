internal import Expressions
internal import Synchronization

/// The arguments of a format as the parser takes them, with what it has no literals for as variables.
struct FormatArguments {
  private(set) var arguments: [FormatArgument] = []
  private(set) var variables: [String: ExpressionValue] = [:]
  /// The first argument that means nothing to a format.
  private(set) var unknownKind: String?

  init(_ values: [Any]) {
    arguments = values.map { argument($0) }
  }

  private mutating func argument(_ value: Any) -> FormatArgument {
    guard let value = Unwrapping.value(value) else { return .null }
    if let text = value as? String { return .string(text) }
    if let expression = value as? NSExpression { return expressionArgument(expression) }
    guard let converted = ExpressionValue(any: value) else {
      unknownKind = unknownKind ?? Unwrapping.kindName(value)
      return .null
    }
    return converted.literal ?? variable(converted)
  }

  private mutating func expressionArgument(_ expression: NSExpression) -> FormatArgument {
    switch expression.content {
    case .parsed(let parsed, let others):
      variables.merge(others) { first, _ in first }
      return .expression(parsed)
    case .invalid(let reason):
      unknownKind = unknownKind ?? reason
      return .null
    }
  }

  private mutating func variable(_ value: ExpressionValue) -> FormatArgument {
    let name = VariableNames.next()
    variables[name] = value
    return .expression(.variable(name))
  }
}

/// Names of variables that no format can contain, and no two predicates share: predicates may be joined.
private enum VariableNames {
  private static let count = Mutex(0)

  static func next() -> String {
    count.withLock { count in
      count += 1
      return "argument \(count)"
    }
  }
}

extension ExpressionValue {
  /// The value as a literal of a format, if there is one.
  fileprivate var literal: FormatArgument? {
    switch self {
    case .null: return .null
    case .boolean(let boolean): return .boolean(boolean)
    case .integer(let integer): return .integer(integer)
    case .real(let real): return .real(real)
    case .decimal(let digits): return .decimal(digits)
    case .string(let text): return .string(text)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .data(bytes)
    case .uuid(let uuid): return .uuid(uuid)
    case .url(let text): return .url(text)
    case .object, .dictionary: return nil
    case .collection(_, let elements):
      let literals = elements.compactMap(\.literal)
      return literals.count == elements.count ? .list(literals) : nil
    }
  }
}

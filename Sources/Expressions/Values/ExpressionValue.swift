/// What an expression gives.
public enum ExpressionValue {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// The digits of a decimal number, such as `-12.50`.
  case decimal(String)
  case string(String)
  /// Seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  case data([UInt8])
  case uuid(UUIDValue)
  case url(String)
  case object(any KeyValueObject)
  case collection(CollectionKind, [ExpressionValue])
  case dictionary([String: ExpressionValue])

  /// Makes a collection, without repetitions if it is a set of either kind.
  public static func collection(_ kind: CollectionKind, distinct elements: some Sequence<ExpressionValue>) -> Self {
    guard kind != .array else { return .collection(.array, Array(elements)) }
    var seen: Set<ExpressionValue> = []
    return .collection(kind, elements.filter { seen.insert($0).inserted })
  }

  /// Whether there is no value.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// What kind of value this is, for messages.
  public var kindName: String {
    switch self {
    case .null: "nil"
    case .boolean: "a truth value"
    case .integer: "a whole number"
    case .real: "a real number"
    case .decimal: "a decimal number"
    case .string: "text"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .object: "an object"
    case .collection: "a collection"
    case .dictionary: "a dictionary"
    }
  }
}

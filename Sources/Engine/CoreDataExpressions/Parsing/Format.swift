extension Expression {
  /// Parses an expression.
  ///
  ///     try Expression(format: "$source.countries.@distinctUnionOfSets.moods")
  ///
  /// - Parameters:
  ///   - format: The text, in the language of `NSExpression(format:)`.
  ///   - arguments: The values of the placeholders, in order.
  /// - Throws: `FormatError`, which shows the place.
  package init(format: String, _ arguments: FormatArgument...) throws(FormatError) {
    try self.init(format: format, arguments: arguments)
  }

  /// Parses an expression, with its arguments in an array.
  package init(format: String, arguments: [FormatArgument]) throws(FormatError) {
    var parser = try Parser(format, arguments: arguments)
    let node = try parser.node()
    self = try parser.expression(node).value
    try parser.finish()
  }
}

extension Predicate {
  /// Parses a predicate.
  ///
  ///     try Predicate(format: "artist.name ==[c] %@ AND rating > %d", "Bob", 3)
  ///
  /// - Parameters:
  ///   - format: The text, in the language of `NSPredicate(format:)`.
  ///   - arguments: The values of the placeholders, in order.
  /// - Throws: `FormatError`, which shows the place.
  public init(format: String, _ arguments: FormatArgument...) throws(FormatError) {
    try self.init(format: format, arguments: arguments)
  }

  /// Parses a predicate, with its arguments in an array.
  public init(format: String, arguments: [FormatArgument]) throws(FormatError) {
    var parser = try Parser(format, arguments: arguments)
    let node = try parser.node()
    self = try parser.predicate(node).value
    try parser.finish()
  }
}

/// A value for a placeholder of a format, such as `%@`, `%K` or `%d`.
///
/// Literals of Swift serve as arguments: `try Predicate(format: "name == %@ AND rating > %d", "Bob", 3)`.
public enum FormatArgument: Sendable, Hashable {
  /// `nil`.
  case null
  /// A truth value.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A real number.
  case real(Double)
  /// Text, or the name of a key for `%K`.
  case string(String)
  /// Seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  /// Bytes.
  case data([UInt8])
  /// A UUID.
  case uuid(UUIDValue)
  /// The text of a URL.
  case url(String)
  /// The digits of a decimal number.
  case decimal(String)
  /// A list, such as the right side of `IN`.
  case list([FormatArgument])
  /// An existing expression.
  case expression(Expression)

  /// The argument as part of an expression.
  ///
  /// Values without literals are casts of one, as `NSPredicate` prints dates.
  package var expression: Expression {
    switch self {
    case .null: .null
    case .boolean(let value): .constant(.boolean(value))
    case .integer(let value): .constant(.integer(value))
    case .real(let value): .constant(.real(value))
    case .string(let value): .constant(.string(value))
    case .date(let seconds): .cast(.constant(.real(seconds)), type: ValueType.date.rawValue)
    case .data(let bytes): .cast(.constant(.string(HexadecimalText.encode(bytes))), type: ValueType.data.rawValue)
    case .uuid(let value): .cast(.constant(.string(value.description)), type: ValueType.uuid.rawValue)
    case .url(let value): .cast(.constant(.string(value)), type: ValueType.url.rawValue)
    case .decimal(let value): .cast(.constant(.string(value)), type: ValueType.decimal.rawValue)
    case .list(let values): .aggregate(values.map(\.expression))
    case .expression(let expression): expression
    }
  }
}

extension FormatArgument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates text.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Creates a whole number.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// Creates a real number.
  public init(floatLiteral value: Double) {
    self = .real(value)
  }
}

extension FormatArgument: ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral {
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) {
    self = .boolean(value)
  }

  /// Creates `nil`.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// Creates a list, such as the right side of `IN`.
  public init(arrayLiteral elements: FormatArgument...) {
    self = .list(elements)
  }
}

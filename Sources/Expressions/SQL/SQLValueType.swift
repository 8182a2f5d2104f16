/// What the values of a column are to expressions.
public enum SQLValueType: Sendable, Hashable {
  case boolean
  case integer16
  case integer32
  case integer64
  case real
  case string
  /// Seconds since 2001.
  case date
  /// Sixteen bytes.
  case uuid
  /// The text of a URL.
  case url
  case data
  /// What cannot be compared in SQL, such as decimals and transformed values. Only `== nil` is possible.
  case other

  var type: SQLOperand.Kind {
    switch self {
    case .boolean: .number(.integer(0...1))
    case .integer16: .number(.integer(-0x8000...0x7FFF))
    case .integer32: .number(.integer(-0x8000_0000...0x7FFF_FFFF))
    case .integer64: .number(.integer(.min ... .max))
    case .real: .number(.real)
    case .string: .text
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    case .data: .data
    case .other: .other
    }
  }
}

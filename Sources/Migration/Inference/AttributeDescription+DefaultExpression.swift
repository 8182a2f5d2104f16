internal import DataModel
internal import Expressions

extension AttributeDescription {
  /// The default value as an expression, or `nil` where there is none that is valid.
  ///
  /// - Parameter type: The type of the values that the expression is an alternative to. Numbers are written as whole or
  ///   real ones like those, so that SQL knows the kind of both.
  func defaultExpression(besideValuesOf type: AttributeType) -> Expression? {
    switch defaultValue {
    case nil: return nil
    case .integer(let value)?: return .constant(type.isReal ? .real(Double(value)) : .integer(value))
    case .double(let value)?: return Self.number(value, besideReal: type.isReal)
    case .string(let text)?: return .constant(.string(text))
    case .boolean(let value)?: return .constant(.boolean(value))
    case .date(let seconds)?: return seconds.isFinite ? FormatArgument.date(seconds).expression : nil
    case .data(let bytes)?: return FormatArgument.data(bytes).expression
    case .uuid(let bytes)?: return UUIDValue(bytes: bytes).map { FormatArgument.uuid($0).expression }
    case .uri(let text)?: return FormatArgument.url(text).expression
    }
  }

  private static func number(_ value: Double, besideReal isReal: Bool) -> Expression? {
    guard value.isFinite else { return nil }
    if !isReal, let whole = Int64(exactly: value) { return .constant(.integer(whole)) }
    return .constant(.real(value))
  }
}

extension AttributeType {
  fileprivate var isReal: Bool {
    switch self {
    case .double, .float, .decimal: true
    default: false
    }
  }
}

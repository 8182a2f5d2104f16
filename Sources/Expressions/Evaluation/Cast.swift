/// Makes a value one of another class, as `CAST` does.
///
/// nil stays nil.
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
    case (.date, _): return value.number.map { .date($0.real) }
    case (.uuid, .string(let text)): return UUIDValue(text).map { .uuid($0) }
    case (.url, .string(let text)): return .url(text)
    case (.data, .string(let text)): return HexadecimalText.decode(text).map { .data($0) }
    default: return nil
    }
  }

  /// Infinity and not-a-number have texts, too, but are no numbers to calculate with.
  private static func number(_ text: String) -> ExpressionValue? {
    if let whole = Int64(text) { return .integer(whole) }
    return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
  }

  /// The text of a value.
  ///
  /// A real number without a fraction has none, as that of an NSNumber.
  private static func text(_ value: ExpressionValue) -> String? {
    switch value {
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): String(value)
    case .real(let value): Int64(exactly: value).map { String($0) } ?? String(value)
    case .decimal(let text), .url(let text): text
    case .uuid(let uuid): uuid.description
    default: nil
    }
  }
}

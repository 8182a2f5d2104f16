internal import SystemC

/// One value of a record.
public enum FieldValue: Sendable, Hashable {
  /// No value.
  case null
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A number; one that is not finite is printed as ``null``.
  case real(Double)
  /// Yes or no: `true` or `false` in every format.
  case boolean(Bool)
  /// Several texts: an array in JSON, joined by "; " elsewhere.
  case strings([String])
}

extension FieldValue {
  /// A path, or its absence: text in which the bytes that are not UTF-8 can be read, such as `\xE9`.
  public static func path(_ path: String?) -> FieldValue { FieldValue(path?.spellingPathBytes) }

  /// Wraps text, or its absence.
  public init(_ text: String?) {
    self = text.map(FieldValue.string) ?? .null
  }

  /// Wraps an integer, or its absence.
  public init<Integer: BinaryInteger>(_ integer: Integer?) {
    self = integer.map { .integer(Int64(clamping: $0)) } ?? .null
  }

  /// Wraps a real number, or its absence.
  public init(_ real: Double?) {
    self = real.map(FieldValue.real) ?? .null
  }

  /// Whether tables align the value to the right.
  var isNumber: Bool {
    switch self {
    case .integer, .real: true
    case .null, .string, .boolean, .strings: false
    }
  }

  /// The value as text for tables and CSV, or nil where there is none.
  var plainText: String? {
    switch self {
    case .null: nil
    case .string(let text): text
    case .integer(let integer): String(integer)
    // The description is the shortest text that reads back as the same number.
    case .real(let real): real.isFinite ? real.description : nil
    case .boolean(let boolean): boolean ? "true" : "false"
    case .strings(let texts): texts.joined(separator: "; ")
    }
  }
}

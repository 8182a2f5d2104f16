import SQLite

/// A value as it lies in a column, be it one that Core Data would not write.
enum StoredValue: ExpressibleByStringLiteral, ExpressibleByNilLiteral, ExpressibleByStringInterpolation {
  case null
  case text(String)
  /// Text that need not be valid UTF-8.
  case bytesOfText([UInt8])
  case blob([UInt8])
  case integer(Int64)
  case real(Double)

  init(stringLiteral value: String) { self = .text(value) }

  init(nilLiteral: ()) { self = .null }

  /// How the value stands in a statement.
  var placeholder: String { if case .bytesOfText = self { "CAST(? AS TEXT)" } else { "?" } }

  func bind(to statement: Statement, at index: Int32) throws {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .text(let text): try statement.bind(text, at: index)
    case .bytesOfText(let bytes), .blob(let bytes): try statement.bind(bytes, at: index)
    case .integer(let integer): try statement.bind(integer, at: index)
    case .real(let real): try statement.bind(real, at: index)
    }
  }
}

package import SQLiteDatabase

/// A value to put into a column, in any shape that a file may hold.
public enum CellValue: Sendable, ExpressibleByStringInterpolation, ExpressibleByNilLiteral {
  case null
  case text(String)
  /// Bytes that the database takes for text in its own encoding, valid or not.
  case rawText([UInt8])
  case blob([UInt8])
  case integer(Int64)
  case real(Double)

  /// Text.
  public init(stringLiteral text: String) { self = .text(text) }

  /// NULL.
  public init(nilLiteral: ()) { self = .null }

  /// How the value stands in a statement.
  public var placeholder: String {
    if case .rawText = self { "CAST(? AS TEXT)" } else { "?" }
  }

  /// Binds the value.
  package func bind(to statement: Statement, at index: Int32) throws {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .text(let text): try statement.bind(text, at: index)
    case .rawText(let bytes), .blob(let bytes): try statement.bind(bytes, at: index)
    case .integer(let integer): try statement.bind(integer, at: index)
    case .real(let real): try statement.bind(real, at: index)
    }
  }
}

import SQLiteDatabase

/// The value of a column, byte for byte.
enum Cell: Hashable, CustomStringConvertible {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  static func text(_ text: String) -> Cell { .text(Array(text.utf8)) }

  var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let bytes): String(validating: bytes, as: UTF8.self).map { "'\($0)'" } ?? "text\(bytes)"
    case .blob(let bytes): "blob\(bytes)"
    }
  }

  /// The value as a number; `nil` for other values.
  var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }

  /// Returns the rows of a query.
  static func rows(_ sql: String, in path: String) throws -> [[Cell]] {
    try rows(sql, try Connection(path: path, access: .readOnly, busyTimeout: 2000))
  }

  /// Returns the rows of a query.
  static func rows(_ sql: String, _ connection: Connection) throws -> [[Cell]] {
    let statement = try connection.prepare(sql)
    var rows: [[Cell]] = []
    while try statement.step() { rows.append((0..<statement.columnCount).map { Cell(statement, $0) }) }
    return rows
  }

  /// Binds the value to a statement.
  func bind(to statement: Statement, at index: Int32) throws {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .integer(let integer): try statement.bind(integer, at: index)
    case .real(let real): try statement.bind(real, at: index)
    case .text(let bytes): try statement.bind(String(decoding: bytes, as: UTF8.self), at: index)
    case .blob(let bytes): try statement.bind(bytes, at: index)
    }
  }

  private init(_ statement: Statement, _ column: Int) {
    self =
      switch statement.storageClass(column) {
      case .null: .null
      case .integer: .integer(statement.integer(column))
      case .real: .real(statement.real(column))
      case .text: .text(statement.withText(column) { $0.map { Array($0) } ?? [] })
      case .blob: .blob(statement.blob(column) ?? [])
      }
  }
}

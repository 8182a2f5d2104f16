internal import SQLite

/// Goes through rows of a table in the order of their keys.
///
/// A row with a value above a limit stops its statement before the value is in memory (`SQLITE_LIMIT_LENGTH`). Such a row
/// is only named; what it holds is read piece by piece, see `ValuePieces`.
final class RowWalk {
  /// Values above this many bytes are not read at once.
  private static let valueLimit: Int32 = 1 << 20

  /// The current row, unless it is large.
  let statement: Statement
  /// The key of the current row.
  private(set) var key = Int64.min
  /// Whether the current row has values that have to be read piece by piece.
  private(set) var isLarge = false
  /// Whether there are no more rows.
  private(set) var isAtEnd = false

  private let connection: Connection
  private let nextKey: Statement
  private var hasStarted = false

  /// Prepares to go through a table.
  ///
  /// - Parameter expressions: What is selected; in the rows they come after the key.
  init(_ connection: Connection, table: String, expressions: [String], filter: String?) throws(SQLiteError) {
    self.connection = connection
    let rest = "FROM \(table.quotedIdentifier) WHERE Z_PK >= ?\(filter.map { " AND \($0)" } ?? "") ORDER BY Z_PK"
    statement = try connection.prepare("SELECT \((["Z_PK"] + expressions).joined(separator: ", ")) \(rest)")
    nextKey = try connection.prepare("SELECT Z_PK \(rest) LIMIT 1")
    try statement.bind(Int64.min, at: 1)
  }

  /// Moves to the next row.
  func advance() throws(SQLiteError) {
    guard !isAtEnd else { return }
    if isLarge {
      guard key < .max else { return isAtEnd = true }
      statement.reset()
      try statement.bind(key + 1, at: 1)
      isLarge = false
    }
    let limit = connection.limitValueSize(to: Self.valueLimit)
    defer { connection.limitValueSize(to: limit) }
    do throws(SQLiteError) {
      guard try statement.step() else { return isAtEnd = true }
      key = statement.integer(0)
    } catch let error where error.code == SQLiteError.tooBig {
      try nextKey.bind(hasStarted ? key + 1 : .min, at: 1)
      defer { nextKey.reset() }
      guard try nextKey.step() else { return isAtEnd = true }
      key = nextKey.integer(0)
      isLarge = true
    }
    hasStarted = true
  }
}

internal import SQLiteDatabase

/// Statements with keys as their arguments that are compiled once, since each of many changes uses them.
final class KeptStatements {
  private let connection: Connection
  private var statements: [String: Statement] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// A statement that is ready to run, with keys for `?1` and those that follow.
  func prepare(_ sql: String, _ keys: Int64...) throws(SQLiteError) -> Statement {
    let statement = if let known = statements[sql] { known } else { try connection.prepare(sql) }
    statements[sql] = statement
    statement.reset()
    for (index, key) in zip(Int32(1)..., keys) { try statement.bind(key, at: index) }
    return statement
  }

  /// The first column of the first row, as an integer; 0 without one.
  func integer(_ sql: String, _ key: Int64) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql, key)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }
}

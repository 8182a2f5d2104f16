internal import CSQLite

/// A compiled statement.
///
/// Columns count from 0 and parameters from 1, as in SQLite. Text and blobs are read and bound with explicit byte
/// counts, because Core Data's values may contain NUL.
public final class Statement {
  let connection: Connection
  let handle: OpaquePointer
  private let sql: String

  init(_ connection: Connection, _ sql: String) throws(SQLiteError) {
    self.connection = connection
    self.sql = sql
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v2(connection.handle, sql, -1, &handle, nil)
    try connection.check(result, sql: sql)
    guard let handle else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "empty statement", sql: sql, path: connection.path)
    }
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one.
  public func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result:
      let error = connection.error(result, sql: sql)
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement that returns no rows, and makes it ready to run again.
  public func run() throws(SQLiteError) {
    _ = try step()
    reset()
  }

  /// Makes the statement ready to run again.
  ///
  /// Bound values stay.
  public func reset() {
    sqlite3_reset(handle)
  }

  /// The number of columns of a row.
  public var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The name of a column.
  public func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  func check(_ result: Int32) throws(SQLiteError) {
    try connection.check(result, sql: sql)
  }
}

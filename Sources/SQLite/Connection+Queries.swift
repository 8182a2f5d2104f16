internal import CSQLite

extension Connection {
  /// The first column of the first row of a query, as an integer; `nil` without a row or for NULL.
  public func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }

  /// The first column of the first row of a query, as text; `nil` without a row or for NULL.
  public func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    return statement.text(0)
  }

  /// Runs queries that see the database in one state, and lock it once.
  ///
  /// Inside a transaction they simply belong to it.
  public func reading<Result, Failure: Error>(
    _ queries: () throws(Failure) -> Result
  ) throws(Failure) -> Result where Failure: Error {
    guard sqlite3_get_autocommit(handle) != 0 else { return try queries() }
    // What cannot be begun fails in the queries, which say more of it.
    sqlite3_exec(handle, "BEGIN", nil, nil, nil)
    // Without memory a statement may have done its work and still say that it has failed.
    defer {
      for end in ["COMMIT", "ROLLBACK"] where sqlite3_get_autocommit(handle) == 0 {
        sqlite3_exec(handle, end, nil, nil, nil)
      }
    }
    return try queries()
  }

  /// The number of rows that the last statement inserted, updated or deleted.
  public var changes: Int { Int(sqlite3_changes64(handle)) }
}

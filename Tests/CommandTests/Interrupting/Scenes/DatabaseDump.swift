import SQLiteDatabase
import TestSupport

extension Database {
  /// Returns a database as text: its layout, schema, and every row of every table.
  static func dump(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, access: .readWrite, busyTimeout: 2000)
    var lines = try rows("PRAGMA integrity_check", connection)
    for pragma in ["encoding", "page_size", "auto_vacuum", "user_version", "application_id"] {
      lines += try rows("PRAGMA \(pragma)", connection).map { "\(pragma) \($0)" }
    }
    lines += try rows(
      "SELECT type, name, CASE type WHEN 'table' THEN '' ELSE sql END FROM sqlite_schema ORDER BY 1, 2", connection)
    for table in try rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1", connection) {
      // The same store may have its columns in the order of a new one, or the added ones at the end.
      lines += try rows(
        "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('\(table)') ORDER BY name", connection
      ).map { "\(table): \($0)" }
      let columns = try rows(
        "SELECT group_concat('\"' || name || '\"') FROM (SELECT name FROM pragma_table_info('\(table)') ORDER BY name)",
        connection)
      lines += try rows("SELECT \(columns[0]) FROM \"\(table)\" ORDER BY rowid", connection).map { "\(table) \($0)" }
    }
    try connection.close()
    return lines
  }
}

extension Database {
  /// Runs statements and leaves their changes in the write-ahead log, like a program that was killed.
  static func leaveLog(_ sql: String, in path: String) throws {
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute(sql)
    connection.keepWriteAheadLogOnClose()
    try connection.close()
    Files.remove(path + "-shm")
  }

  /// Starts a transaction with some statements and calls a closure before the transaction ends.
  static func leaveUnfinished(_ sql: String, in path: String, during work: () throws -> Void) throws {
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute(sql)
    try work()
    try connection.execute("ROLLBACK")
    try connection.close()
  }
}

import SQLite

/// Asks databases as a person would, with no help of the code that is tested above SQLite.
enum Database {
  /// The rows of a query, their values joined by "|" as the sqlite3 shell does; NULL is "NULL".
  static func rows(_ path: String, _ sql: String) throws -> [String] {
    let connection = try Connection(path: path, access: .readOnly)
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }.joined(separator: "|"))
    }
    return rows
  }

  /// The first value of a query.
  static func value(_ path: String, _ sql: String) throws -> String? { try rows(path, sql).first }

  /// Whether SQLite finds nothing wrong.
  static func isWhole(_ path: String) throws -> Bool { try rows(path, "PRAGMA integrity_check") == ["ok"] }

  /// Changes a database.
  static func execute(_ path: String, _ sql: String) throws {
    let connection = try Connection(path: path, access: .create)
    try connection.execute(sql)
    try connection.close()
  }
}

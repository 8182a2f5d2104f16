package import SQLiteDatabase

/// Plain SQL on a file, for tests.
public enum Database {
  /// Runs statements.
  ///
  /// The file is created if there is none.
  public static func run(_ sql: String, in path: String) throws {
    let connection = try Connection(path: path, access: .create, busyTimeout: 2000)
    try connection.execute(sql)
    try connection.close()
  }

  /// The rows of a query as text: `7|title|NULL|x'00FF'`.
  public static func rows(_ sql: String, in path: String) throws -> [String] {
    let connection = try Connection(path: path, access: .readWrite, busyTimeout: 2000)
    return try rows(sql, connection)
  }

  /// The rows of a query as text.
  package static func rows(_ sql: String, _ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { text(statement, $0) }.joined(separator: "|"))
    }
    return rows
  }

  /// The first row of a query, as text.
  public static func value(_ sql: String, in path: String) throws -> String? { try rows(sql, in: path).first }

  /// Whether SQLite finds nothing wrong.
  public static func isWhole(_ path: String) throws -> Bool { try integrity(path) == ["ok"] }

  /// What a healthy database has to say: `["ok"]`.
  public static func integrity(_ path: String) throws -> [String] { try rows("PRAGMA integrity_check", in: path) }

  private static func text(_ statement: Statement, _ column: Int) -> String {
    switch statement.storageClass(column) {
    case .null: "NULL"
    case .blob: "x'\(hex(statement.blob(column) ?? []))'"
    case .integer, .real, .text: statement.text(column) ?? ""
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }
}

internal import CSQLite

/// An error that SQLite reported.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// SQLite's extended result code.
  public let extendedCode: Int32
  /// SQLite's own sentence.
  public let message: String
  /// The statement that failed, if one was running.
  public let sql: String?
  /// The file of the connection.
  public let path: String
  /// The operating system's error number behind an I/O error, or 0.
  public let systemErrorNumber: Int32

  /// SQLite's primary result code, such as `SQLiteError.busy`.
  public var code: Int32 { extendedCode & 0xff }

  public var description: String {
    let context = sql.map { " while running: \($0)" } ?? ""
    return "\(path): \(message) (SQLite code \(extendedCode))\(context)"
  }

  init(extendedCode: Int32, message: String, sql: String? = nil, path: String, systemErrorNumber: Int32 = 0) {
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.path = path
    self.systemErrorNumber = systemErrorNumber
  }
}

extension SQLiteError {
  // The result codes that callers tell apart.
  public static let busy = SQLITE_BUSY
  public static let locked = SQLITE_LOCKED
  public static let readOnly = SQLITE_READONLY
  public static let interrupted = SQLITE_INTERRUPT
  public static let inputOutput = SQLITE_IOERR
  public static let corrupt = SQLITE_CORRUPT
  public static let full = SQLITE_FULL
  public static let cannotOpen = SQLITE_CANTOPEN
  public static let tooBig = SQLITE_TOOBIG
  public static let notADatabase = SQLITE_NOTADB
  public static let outOfMemory = SQLITE_NOMEM
  public static let permission = SQLITE_PERM
}

internal import CTracksSQLite

/// An error that SQLite reported.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// SQLite's extended result code.
  public let extendedCode: Int32
  /// SQLite's own message.
  public let message: String
  /// The statement that failed, if one was running.
  public let sql: String?
  /// The file of the connection.
  public let path: String
  /// The operating system's error number behind an I/O error, or 0.
  public let systemErrorNumber: Int32

  /// SQLite's primary result code, such as `SQLiteError.busy`.
  public var code: Int32 { extendedCode & 0xff }

  /// The error as one line, with the statement that failed.
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
  /// The error for a file that is damaged in a way that SQLite does not detect.
  public static func damaged(_ message: String, path: String) -> Self {
    Self(extendedCode: SQLITE_CORRUPT, message: message, path: path)
  }

  // The result codes that callers distinguish.
  /// An invalid statement, such as one that refers to a missing table.
  public static let general = SQLITE_ERROR
  /// Another connection holds a lock.
  public static let busy = SQLITE_BUSY
  /// Another statement of the same connection is in the way.
  public static let locked = SQLITE_LOCKED
  /// Other connections did not release the locks of the write-ahead log, however often SQLite tried.
  public static let protocolViolation = SQLITE_PROTOCOL
  /// The file is not writable.
  public static let readOnly = SQLITE_READONLY
  /// The file was renamed or removed; an extended code.
  public static let moved = SQLITE_READONLY | (4 << 8)
  /// The statement was stopped.
  public static let interrupted = SQLITE_INTERRUPT
  /// The operating system reported an error.
  public static let inputOutput = SQLITE_IOERR
  /// The file is damaged.
  public static let corrupt = SQLITE_CORRUPT
  /// The disk is full.
  public static let full = SQLITE_FULL
  /// A file cannot be opened.
  public static let cannotOpen = SQLITE_CANTOPEN
  /// A value exceeds the limit.
  public static let tooBig = SQLITE_TOOBIG
  /// A value has the wrong type, such as text for a primary key.
  public static let mismatch = SQLITE_MISMATCH
  /// The file is not a database.
  public static let notADatabase = SQLITE_NOTADB
  /// There is not enough memory.
  public static let outOfMemory = SQLITE_NOMEM
  /// Access was refused.
  public static let permission = SQLITE_PERM
  /// A row violates a constraint.
  public static let constraint = SQLITE_CONSTRAINT
  /// Two rows have the same primary key; an extended code.
  public static let duplicatePrimaryKey = SQLITE_CONSTRAINT | (6 << 8)
}

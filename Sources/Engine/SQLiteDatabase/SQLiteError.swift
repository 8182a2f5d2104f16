internal import CTracksSQLite

/// An error that SQLite reported.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// SQLite's extended result code.
  package let extendedCode: Int32
  /// SQLite's own sentence.
  package let message: String
  /// The statement that failed, if one was running.
  package let sql: String?
  /// The file of the connection.
  package let path: String
  /// The operating system's error number behind an I/O error, or 0.
  package let systemErrorNumber: Int32

  /// SQLite's primary result code, such as `SQLiteError.busy`.
  package var code: Int32 { extendedCode & 0xff }

  /// The error as one line, with the statement that failed.
  package var description: String {
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
  /// The error for damage that SQLite does not detect.
  package static func damaged(_ message: String, path: String) -> Self {
    Self(extendedCode: SQLITE_CORRUPT, message: message, path: path)
  }

  // The result codes that callers distinguish.
  /// A statement that cannot be run, such as one about a missing table.
  package static let general = SQLITE_ERROR
  /// Another connection holds a lock.
  package static let busy = SQLITE_BUSY
  /// Another statement of the same connection is in the way.
  package static let locked = SQLITE_LOCKED
  /// Other connections did not release the locks of the write-ahead log, however often SQLite tried.
  package static let protocolViolation = SQLITE_PROTOCOL
  /// The file cannot be written.
  package static let readOnly = SQLITE_READONLY
  /// The file no longer has its name; an extended code.
  package static let moved = SQLITE_READONLY | (4 << 8)
  /// The statement was stopped.
  package static let interrupted = SQLITE_INTERRUPT
  /// The operating system reported an error.
  package static let inputOutput = SQLITE_IOERR
  /// The file is damaged.
  package static let corrupt = SQLITE_CORRUPT
  /// The disk is full.
  package static let full = SQLITE_FULL
  /// A file cannot be opened.
  package static let cannotOpen = SQLITE_CANTOPEN
  /// A value is above the limit.
  package static let tooBig = SQLITE_TOOBIG
  /// A value of the wrong type, such as text for a primary key.
  package static let mismatch = SQLITE_MISMATCH
  /// The file is not a database.
  package static let notADatabase = SQLITE_NOTADB
  /// There is not enough memory.
  package static let outOfMemory = SQLITE_NOMEM
  /// Access was refused.
  package static let permission = SQLITE_PERM
  /// A row breaks a constraint.
  package static let constraint = SQLITE_CONSTRAINT
  /// Two rows with the same primary key; an extended code.
  package static let duplicatePrimaryKey = SQLITE_CONSTRAINT | (6 << 8)
}

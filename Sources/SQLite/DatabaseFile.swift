internal import CSQLite

/// A database's file as a connection has it open, for reading its bytes.
///
/// Opening the file once more and closing that again would end all locks that this process has on it, SQLite's included:
/// `fcntl` locks belong to the process. Here nothing is opened.
///
/// Another thread may read here for as long as the connection itself is not used.
package struct DatabaseFile: @unchecked Sendable {
  /// Kept, for the file is open only as long as the connection is.
  private let connection: Connection
  private let file: UnsafeMutablePointer<sqlite3_file>

  /// Finds the file of a connection.
  package init(_ connection: Connection) throws(SQLiteError) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    try connection.check(sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
    guard let file, file.pointee.pMethods != nil else {
      throw SQLiteError(
        extendedCode: SQLITE_CANTOPEN, message: "there is no file", path: connection.path)
    }
    (self.connection, self.file) = (connection, file)
  }

  /// Fills the first bytes of a buffer with those from an offset of the file on.
  ///
  /// - Throws: `SQLiteError`, also where the file ends too soon.
  package func read(_ count: Int, at offset: Int64, into bytes: inout [UInt8]) throws(SQLiteError) {
    let count = Int32(clamping: min(count, bytes.count))
    _ = SystemCalls.takeFailure()
    let result = bytes.withUnsafeMutableBytes { buffer in
      file.pointee.pMethods.pointee.xRead(file, buffer.baseAddress, count, offset)
    }
    guard result == SQLITE_OK else {
      throw SQLiteError(
        extendedCode: result, message: sqlite3_errstr(result).map { String(cString: $0) } ?? "unknown error",
        path: connection.path, systemErrorNumber: SystemCalls.takeFailure())
    }
  }
}

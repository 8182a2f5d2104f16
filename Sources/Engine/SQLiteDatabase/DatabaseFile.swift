internal import CTracksSQLite
internal import SystemC

/// The file of an open connection, for reading its bytes.
///
/// Opening the file again and closing it would release all locks that this process holds on it, including SQLite's,
/// because `fcntl` locks belong to the process. Nothing is opened here.
///
/// Another thread may read the file as long as the connection itself is not used.
package struct DatabaseFile: @unchecked Sendable {
  /// Retained, because the file is open only as long as the connection is.
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

  /// Fills the beginning of a buffer with bytes of the file, starting at an offset.
  ///
  /// - Throws: `SQLiteError`, including when the file ends too soon.
  package func read(_ count: Int, at offset: Int64, into bytes: inout [UInt8]) throws(SQLiteError) {
    let count = min(count, bytes.count)
    _ = SystemCalls.takeFailure()
    try check(
      bytes.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[..<count]).fill(from: file, offset) })
  }

  /// Fills memory with bytes of the file, starting at an offset.
  ///
  /// - Throws: `SQLiteError`, including when the file ends too soon.
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws(SQLiteError) {
    _ = SystemCalls.takeFailure()
    try check(bytes.fill(from: file, offset))
  }

  private func check(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else {
      throw SQLiteError(
        extendedCode: result, message: sqlite3_errstr(result).map { String(cString: $0) } ?? "unknown error",
        path: connection.path, systemErrorNumber: SystemCalls.takeFailure())
    }
  }

  /// Whether a connection that has begun to read finds all of its pages in the file.
  ///
  /// If the log is empty by then, it reads nothing from it, and what others add to the log is not moved into the file while it
  /// reads. Without a log, readers keep others from writing to the file.
  var holdsAllPages: Bool {
    var log: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK else {
      return false
    }
    guard let log, log.pointee.pMethods != nil else { return true }
    var size: sqlite3_int64 = 0
    return log.pointee.pMethods.pointee.xFileSize(log, &size) == SQLITE_OK && size == 0
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Fills the memory with bytes of a file, and returns SQLite's result.
  fileprivate func fill(from file: UnsafeMutablePointer<sqlite3_file>, _ offset: Int64) -> Int32 {
    file.pointee.pMethods.pointee.xRead(file, baseAddress, Int32(clamping: count), offset)
  }
}

/// A `file:` URI that names a database file literally.
///
/// Everything except unreserved characters and slashes is percent-encoded, so that a file named `a?mode=rwc.sqlite` is
/// opened under exactly that name.
struct DatabaseURI {
  let text: String

  init(path: String, isImmutable: Bool = false, isReadOnly: Bool = false) {
    let digits = Array("0123456789ABCDEF".utf8)
    // The empty authority of an absolute path prevents its leading slashes from being read as an authority. Without
    // "./", SQLite would treat a relative ":memory:" as an in-memory database, and an empty path as a temporary one.
    var bytes = Array((path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:./").utf8)
    for byte in path.pathBytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    let query = [isReadOnly ? "mode=ro" : nil, isImmutable ? "immutable=1" : nil].compactMap { $0 }
    text = String(decoding: bytes, as: UTF8.self) + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }
}

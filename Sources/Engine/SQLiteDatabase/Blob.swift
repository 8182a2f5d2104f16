internal import CTracksSQLite

/// A value that is read in pieces, so that it is never in memory as a whole.
///
/// The bytes of text are those of the file, in the encoding of the database.
package final class Blob {
  /// The size of the value in bytes.
  package let count: Int
  private let handle: OpaquePointer
  private let connection: Connection

  /// Opens the value of one column in one row.
  ///
  /// - Throws: `SQLiteError` if there is no such row, or its value is neither text nor a blob.
  package init(_ connection: Connection, schema: String = "main", table: String, column: String, row: Int64)
    throws(SQLiteError)
  {
    var handle: OpaquePointer?
    let result = sqlite3_blob_open(connection.handle, schema, table, column, row, 0, &handle)
    try connection.check(result, sql: "open blob \(table).\(column) of row \(row)")
    guard let handle else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "no blob handle", path: connection.path)
    }
    self.handle = handle
    self.connection = connection
    count = Int(sqlite3_blob_bytes(handle))
  }

  deinit {
    sqlite3_blob_close(handle)
  }

  /// Reads bytes into a buffer, starting at `offset`, and returns how many there were.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SQLiteError) -> Int {
    let length = min(buffer.count, count - offset)
    guard length > 0 else { return 0 }
    try connection.check(sqlite3_blob_read(handle, buffer.baseAddress, Int32(length), Int32(offset)))
    return length
  }
}

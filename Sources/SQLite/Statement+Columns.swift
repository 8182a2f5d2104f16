internal import CSQLite

/// The storage class of a value.
public enum StorageClass: Sendable, Hashable {
  case null, integer, real, text, blob
}

extension Statement {
  /// How the value of a column is stored.
  public func storageClass(_ column: Int) -> StorageClass {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Whether the value of a column is NULL.
  public func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  /// The value of a column as an integer; 0 for NULL.
  public func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  /// The value of a column as a floating-point number; 0 for NULL.
  public func real(_ column: Int) -> Double {
    sqlite3_column_double(handle, Int32(column))
  }

  /// The value of a column as text, with what is not valid UTF-8 repaired; `nil` for NULL.
  public func text(_ column: Int) -> String? {
    withText(column) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The value of a column as a blob; `nil` for NULL.
  public func blob(_ column: Int) -> [UInt8]? {
    guard !isNull(column) else { return nil }
    // The pointer first: asking for the count first could convert the value away from under it.
    guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  /// Lends the UTF-8 bytes of a column's text, exactly as stored, or `nil` for NULL.
  package func withText<Result, Failure: Error>(
    _ column: Int, _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // A blob is lent as it is: read as text, it would be cast to UTF-8 from the database's encoding.
    if sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB {
      let bytes = sqlite3_column_blob(handle, Int32(column))
      let count = Int(sqlite3_column_bytes(handle, Int32(column)))
      return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }
    guard let text = sqlite3_column_text(handle, Int32(column)) else { return try body(nil) }
    return try body(UnsafeRawBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }
}

internal import CTracksSQLite

/// A compiled statement.
///
/// Columns count from 0 and parameters from 1, as in SQLite. Text and blobs are read and bound with explicit byte
/// counts, because Core Data's values may contain NUL.
package final class Statement {
  let connection: Connection
  let handle: OpaquePointer
  private let sql: String

  init(_ connection: Connection, _ sql: String) throws(SQLiteError) {
    self.connection = connection
    self.sql = sql
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v2(connection.handle, sql, -1, &handle, nil)
    try connection.check(result, sql: sql)
    guard let handle else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "empty statement", sql: sql, path: connection.path)
    }
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result:
      let error = connection.error(result, sql: sql)
      sqlite3_reset(handle)
      // Schemas are read before the first row.
      if connection.trustSchema(after: error) { return try step() }
      throw error
    }
  }

  /// Runs a statement that returns no rows, and makes it ready to run again.
  package func run() throws(SQLiteError) {
    _ = try step()
    reset()
  }

  /// Makes the statement ready to run again.
  ///
  /// Bound values stay.
  package func reset() {
    sqlite3_reset(handle)
  }

  /// The SQL with its arguments in place; `nil` if that would be too long.
  package var expandedSQL: String? {
    guard let text = sqlite3_expanded_sql(handle) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  /// The number of columns of a row.
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The name of a column.
  package func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  func check(_ result: Int32) throws(SQLiteError) {
    try connection.check(result, sql: sql)
  }
}

extension Statement {
  /// Binds an integer, or NULL.
  package func bind(_ value: Int64?, at index: Int32) throws(SQLiteError) {
    if let value {
      try check(sqlite3_bind_int64(handle, index, value))
    } else {
      try bindNull(at: index)
    }
  }

  /// Binds a floating-point number, or NULL.
  package func bind(_ value: Double?, at index: Int32) throws(SQLiteError) {
    if let value {
      try check(sqlite3_bind_double(handle, index, value))
    } else {
      try bindNull(at: index)
    }
  }

  /// Binds text, or NULL.
  package func bind(_ value: String?, at index: Int32) throws(SQLiteError) {
    guard var value else { return try bindNull(at: index) }
    try check(
      value.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text_copy(handle, index, $0.baseAddress, UInt64($0.count))
        }
      })
  }

  /// Binds a blob, or NULL.
  package func bind(_ value: [UInt8]?, at index: Int32) throws(SQLiteError) {
    guard let value else { return try bindNull(at: index) }
    // An empty blob needs a base address too: a null pointer would bind NULL.
    let result = value.withUnsafeBytes { bytes in
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : csqlite_bind_blob_copy(handle, index, bytes.baseAddress, UInt64(bytes.count))
    }
    try check(result)
  }

  /// Binds the bytes of text unchanged, even if they are not valid UTF-8.
  package func bind(textBytes bytes: [UInt8], at index: Int32) throws(SQLiteError) {
    let result = bytes.withUnsafeBytes { bytes in
      csqlite_bind_text_copy(
        handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
    }
    try check(result)
  }

  /// Binds UTF-8 text without copying it: the bytes must stay in place until the statement is stepped.
  ///
  /// A buffer without a base address binds NULL.
  package func bindBorrowed(text bytes: UnsafeRawBufferPointer, at index: Int32) throws(SQLiteError) {
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    try check(csqlite_bind_text_static(handle, index, text, UInt64(bytes.count)))
  }

  /// Binds several such texts to consecutive parameters.
  ///
  /// - Returns: The parameter after the last one.
  package func bindBorrowed(texts: [UnsafeRawBufferPointer], from index: Int32) throws(SQLiteError) -> Int32 {
    var index = index
    for text in texts {
      try bindBorrowed(text: text, at: index)
      index += 1
    }
    return index
  }

  /// Binds NULL.
  package func bindNull(at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, index))
  }
}

/// The storage class of a value.
package enum StorageClass: Sendable, Hashable {
  case null, integer, real, text, blob
}

extension Statement {
  /// Returns the storage class of a column's value.
  package func storageClass(_ column: Int) -> StorageClass {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Whether a column has the same value as that of another statement's row, byte for byte.
  package func isSame(_ column: Int, as other: Statement) -> Bool {
    let kind = storageClass(column)
    guard kind == other.storageClass(column) else { return false }
    switch kind {
    case .null: return true
    case .integer: return integer(column) == other.integer(column)
    case .real: return real(column).bitPattern == other.real(column).bitPattern
    case .text, .blob:
      return withText(column) { bytes in
        other.withText(column) { others in
          guard let bytes, let others else { return bytes == nil && others == nil }
          return bytes.elementsEqual(others)
        }
      }
    }
  }

  /// Whether the value of a column is NULL.
  package func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  /// The value of a column as an integer; 0 for NULL.
  package func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  /// The value of a column as a floating-point number; 0 for NULL.
  package func real(_ column: Int) -> Double {
    sqlite3_column_double(handle, Int32(column))
  }

  /// The value of a column as text, with what is not valid UTF-8 repaired; `nil` for NULL.
  package func text(_ column: Int) -> String? {
    storedText(column)?.text
  }

  /// The bytes of a column's text if they are not valid UTF-8, which `text` repairs; `nil` for all other values.
  package func invalidText(_ column: Int) -> [UInt8]? {
    withText(column) { bytes in
      guard let bytes, String(validating: bytes, as: UTF8.self) == nil else { return nil }
      return Array(bytes)
    }
  }

  /// The value of a column as a blob; `nil` for NULL.
  package func blob(_ column: Int) -> [UInt8]? {
    guard !isNull(column) else { return nil }
    // The pointer must be requested first: requesting the size first could convert the value and invalidate the
    // pointer.
    guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  /// Passes the UTF-8 bytes of a column's text, exactly as stored, or `nil` for NULL.
  package func withText<Result, Failure: Error>(
    _ column: Int, _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // A blob is passed unchanged: read as text, it would be converted to UTF-8 from the database's encoding.
    if sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB {
      let bytes = sqlite3_column_blob(handle, Int32(column))
      let count = Int(sqlite3_column_bytes(handle, Int32(column)))
      return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }
    guard let text = sqlite3_column_text(handle, Int32(column)) else { return try body(nil) }
    return try body(UnsafeRawBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }
}

extension String {
  /// This name as an SQL identifier: in double quotes, with inner quotes doubled.
  ///
  /// Names of entities, attributes and tables come from untrusted models and stores.
  package var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// This text as an SQL string literal.
  package var quotedLiteral: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}

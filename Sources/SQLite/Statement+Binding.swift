internal import CSQLite

extension Statement {
  /// Binds an integer, or NULL.
  public func bind(_ value: Int64?, at index: Int32) throws(SQLiteError) {
    if let value {
      try check(sqlite3_bind_int64(handle, index, value))
    } else {
      try bindNull(at: index)
    }
  }

  /// Binds a floating-point number, or NULL.
  public func bind(_ value: Double?, at index: Int32) throws(SQLiteError) {
    if let value {
      try check(sqlite3_bind_double(handle, index, value))
    } else {
      try bindNull(at: index)
    }
  }

  /// Binds text, or NULL.
  public func bind(_ value: String?, at index: Int32) throws(SQLiteError) {
    guard var value else { return try bindNull(at: index) }
    try check(
      value.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text_copy(handle, index, $0.baseAddress, UInt64($0.count))
        }
      })
  }

  /// Binds a blob, or NULL.
  public func bind(_ value: [UInt8]?, at index: Int32) throws(SQLiteError) {
    guard let value else { return try bindNull(at: index) }
    // An empty blob needs a base address too: a null pointer would bind NULL.
    let result = value.withUnsafeBytes { bytes in
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : csqlite_bind_blob_copy(handle, index, bytes.baseAddress, UInt64(bytes.count))
    }
    try check(result)
  }

  /// Binds UTF-8 text without copying it: the bytes must stay where they are until the statement is stepped.
  ///
  /// A buffer without a base address binds NULL.
  package func bindBorrowed(text bytes: UnsafeRawBufferPointer, at index: Int32) throws(SQLiteError) {
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    try check(csqlite_bind_text_static(handle, index, text, UInt64(bytes.count)))
  }

  /// Binds several such texts, to one parameter after the other.
  ///
  /// - Returns: The parameter after the last.
  package func bindBorrowed(texts: [UnsafeRawBufferPointer], from index: Int32) throws(SQLiteError) -> Int32 {
    var index = index
    for text in texts {
      try bindBorrowed(text: text, at: index)
      index += 1
    }
    return index
  }

  /// Binds NULL.
  public func bindNull(at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, index))
  }
}

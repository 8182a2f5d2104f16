internal import CSQLite

extension Connection {
  /// Keeps the write-ahead log as it is when the last connection closes, instead of folding it into the database.
  public func keepWriteAheadLogOnClose() {
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }

  /// Sets the greatest size of a value, row or string that this connection handles, in bytes.
  ///
  /// A larger one makes its statement fail with `SQLiteError.tooBig` before any of it is read into memory.
  ///
  /// - Returns: The limit so far.
  @discardableResult
  public func limitValueSize(to byteCount: Int32) -> Int32 {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, byteCount)
  }

  /// Keeps few pages of a database in memory, which is best for tables that are read from their beginning to their end:
  /// none is needed twice, and few pages stay near the processor.
  public func keepFewPages(ofSchema schema: String = "main") throws(SQLiteError) {
    try execute("PRAGMA \(schema.quotedIdentifier).cache_size = -256")
  }

  /// Keeps as many pages in memory as SQLite does by itself.
  public func keepUsualPages() throws(SQLiteError) {
    try execute("PRAGMA main.cache_size = -2000")
  }

  /// How many columns a table or a result may have.
  public var columnLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

  /// Attaches another database read-only under a schema name.
  public func attachReadOnly(path: String, isImmutable: Bool = false, as schema: String) throws(SQLiteError) {
    let uri = DatabaseURI(path: path, isImmutable: isImmutable, isReadOnly: true).text
    let statement = try prepare("ATTACH ? AS \(schema.quotedIdentifier)")
    try statement.bind(uri, at: 1)
    _ = try statement.step()
  }

  /// Calls back about every `instructions` steps of SQLite's virtual machine; returning true interrupts the statement.
  public func onProgress(every instructions: Int32, _ callback: (() -> Bool)?) {
    progressCallback = callback
    guard callback != nil else { return sqlite3_progress_handler(handle, 0, nil, nil) }
    // The connection outlives the handler: it is removed with the callback or closed with the connection.
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      handle, instructions,
      { context in
        guard let context else { return 0 }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        return connection.progressCallback?() == true ? 1 : 0
      }, context)
  }
}

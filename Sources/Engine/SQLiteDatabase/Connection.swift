internal import CTracksSQLite
internal import Synchronization
internal import SystemC

/// An open SQLite database.
///
/// A connection belongs to one thread at a time: it is not `Sendable`. It closes when it is released; `close()` closes
/// it at a known moment and reports errors.
///
/// No connection trusts the schema of the file it opens: views and triggers of a store never run
/// (`SQLITE_DBCONFIG_TRUSTED_SCHEMA`, `…_ENABLE_VIEW`, `…_ENABLE_TRIGGER`), and in a file that is not of our own making
/// shadow tables and the schema itself cannot be written (`SQLITE_DBCONFIG_DEFENSIVE`). A schema
/// that uses JSON functions is the exception: some versions of SQLite, such as 3.40, refuse to load it untrusted.
package final class Connection {
  /// The access of a connection to its file.
  package enum Access: Sendable {
    /// Reads, and takes part in locking.
    case readOnly
    /// Reads a file that cannot change: takes no locks, and ignores a write-ahead log.
    case immutable
    /// Reads and writes an existing file.
    case readWrite
    /// Reads and writes, and creates the file if there is none.
    case create
    /// Reads and writes an empty database that is deleted with the connection; SQLite moves it to a temporary file once it is
    /// large.
    case temporary
  }

  /// The file, as it was named.
  package let path: String
  /// The C handle, for this module only.
  private(set) var handle: OpaquePointer?
  /// Reports statements; it must live as long as the handle.
  private var tracer: StatementTracer?
  /// The callback set by `onProgress`.
  var progressCallback: (() -> Bool)?
  /// Whether another thread has ended what this connection does, which may not be a statement.
  let isInterrupted = Atomic(false)
  /// The error of a statement that `onProgress` has interrupted, if it is more specific than SQLite's.
  package var interruptionError: SQLiteError?
  /// The functions that were made callable from SQL.
  var functionNames: Set<String> = []
  /// The collations that `acceptUnknownCollations` stands in for.
  var unknownCollations: Set<String> = []
  /// The functions of an app that a check stands in for.
  var unknownFunctions: Set<String> = []
  /// The invalid UTF-8 that functions have read.
  package let repairedArguments = RepairedArguments()

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: The file. It is never interpreted as a URI, whatever its name.
  ///   - access: The access that the connection needs.
  ///   - busyTimeout: How long to wait for a lock that another connection holds, in milliseconds.
  /// - Throws: `SQLiteError`. SQLite reads the file lazily, so a file that is not a database may fail only on first use.
  package init(path: String, access: Access, busyTimeout: Int32 = 0) throws(SQLiteError) {
    self.path = path
    _ = SystemCalls.areWatched
    _ = SystemCalls.takeFailure()
    let flags: Int32 =
      switch access {
      case .readOnly, .immutable: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create, .temporary: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    // SQLITE_OPEN_URI also makes ATTACH understand URIs, which is how a source is attached read-only.
    let uri = access == .temporary ? "" : DatabaseURI(path: path, isImmutable: access == .immutable).text
    let result = sqlite3_open_v2(uri, &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK else {
      let failure = error(result)
      // SQLite returns a handle even on failure, and requires closing it.
      sqlite3_close_v2(handle)
      handle = nil
      throw failure
    }
    // SQLite opens a write-protected file for reading (`unixOpen`), and fails later with a misleading error.
    if access == .create, isReadOnly {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      let number = descriptor < 0 ? errno : 0
      SystemC.close(descriptor)
      sqlite3_close_v2(handle)
      handle = nil
      throw SQLiteError(
        extendedCode: SQLITE_CANTOPEN, message: "it cannot be opened for writing", path: path,
        systemErrorNumber: number)
    }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyTimeout)
    for (option, isOn) in Self.hardening { _ = csqlite_db_config(handle, option, isOn) }
    // Defensive mode also forbids turning the journal off, and a new file needs none.
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, access == .create ? 0 : 1)
    tracer = StatementTrace.current.map { StatementTracer($0) }
    tracer?.attach(to: handle)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  private var trustsSchema = false

  private static let hardening: [(Int32, Int32)] = [
    (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    // A quoted name of a missing column is an error. SQLite would otherwise treat it as a string, and that string as
    // data.
    (SQLITE_DBCONFIG_DQS_DML, 0),
    (SQLITE_DBCONFIG_DQS_DDL, 0),
  ]

  /// Lets statements compile triggers, of an empty database whose statements are not run.
  package func compileTriggers() { _ = csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }

  /// Closes the database now.
  ///
  /// - Throws: `SQLiteError` if a statement is still in use.
  package func close() throws(SQLiteError) {
    try check(sqlite3_close(handle))
    handle = nil
  }

  /// Whether the file can only be read, although more may have been asked for.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Runs statements that return no rows.
  package func execute(_ sql: String) throws(SQLiteError) {
    _ = SystemCalls.takeFailure()
    let state = transactionState
    do {
      try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
    } catch {
      // Of several statements, some may have run.
      guard let state, let now = transactionState, state == now, trustSchema(after: error) else { throw error }
      try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
    }
  }

  /// Compiles a statement.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    _ = SystemCalls.takeFailure()
    do {
      return try Statement(self, sql)
    } catch {
      guard trustSchema(after: error) else { throw error }
      return try Statement(self, sql)
    }
  }

  /// Whether no transaction is open, and the number of rows that have been changed; `nil` once the database is closed.
  private var transactionState: (isAutomatic: Int32, changeCount: Int64)? {
    handle.map { (sqlite3_get_autocommit($0), sqlite3_total_changes64($0)) }
  }

  /// Trusts the schema from now on if an error says that it uses a JSON function; returns whether it did not before.
  ///
  /// Triggers and views stay off, and functions in Swift cannot be called from a schema, so that what else becomes possible
  /// is to compute.
  func trustSchema(after error: SQLiteError) -> Bool {
    guard !trustsSchema, ["json", "->"].contains(where: { error.message.contains("unsafe use of \($0)") }) else {
      return false
    }
    trustsSchema = true
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
    return true
  }

  func check(_ result: Int32, sql: String? = nil) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw error(result, sql: sql) }
  }

  func error(_ result: Int32, sql: String? = nil) -> SQLiteError {
    if let interruptionError, result & 0xff == SQLITE_INTERRUPT { return interruptionError }
    let message = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(result)
    let failure = SystemCalls.takeFailure()
    // By now, other calls may have changed the error number that SQLite would report.
    let isVague = Self.vagueCodes.contains(result & 0xff) || result & 0xff == SQLITE_IOERR && failure != 0
    return SQLiteError(
      extendedCode: handle == nil ? result : sqlite3_extended_errcode(handle),
      message: message.map { String(cString: $0) } ?? "unknown error",
      sql: sql,
      path: path,
      systemErrorNumber: isVague ? failure : handle.map { sqlite3_system_errno($0) } ?? 0)
  }

  /// The system error number that prevented something from being read since the last statement began; `nil` if there
  /// was none.
  ///
  /// If a disk cannot be read, SQLite reports the database as damaged (`SQLITE_IOERR_CORRUPTFS`), without the cause.
  package func takeReadFailure() -> Int32? {
    let number = SystemCalls.takeFailure()
    return number == 0 ? nil : number
  }

  /// The codes that do not mention the system, which may be at fault.
  private static let vagueCodes = [
    SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_BUSY, SQLITE_PROTOCOL,
  ]
}

extension Connection {
  /// Makes a Swift function callable from SQL: it receives the text of its arguments and returns an integer or text.
  ///
  /// - Parameters:
  ///   - name: The function's name in SQL.
  ///   - argumentCount: How many arguments it takes.
  ///   - function: Gets `nil` for NULL. Equal arguments must give equal results.
  ///   - ofBytes: A quicker way to the same results.
  package func createFunction(
    _ name: String, argumentCount: Int32, _ function: @escaping ([String?]) -> FunctionResult,
    ofBytes: FunctionOfBytes? = nil
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(FunctionBox(function, ofBytes, repairedArguments))
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    // SQLite releases the box itself if this fails, just as when the function is replaced or the connection closed.
    try check(
      sqlite3_create_function_v2(
        handle, name, argumentCount, flags, box.toOpaque(),
        { context, count, values in
          guard let data = sqlite3_user_data(context) else { return }
          let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
          func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
            guard index < count, let value = values?[index], let text = sqlite3_value_text(value) else { return nil }
            return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
          }
          switch box.result(Int(count), bytes) {
          case .null: sqlite3_result_null(context)
          case .integer(let integer): sqlite3_result_int64(context, integer)
          case .room:
            box.room.withUnsafeBytes {
              csqlite_result_text_copy(
                context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64($0.count))
            }
          case .text(var text):
            text.withUTF8 { utf8 in
              utf8.withMemoryRebound(to: CChar.self) {
                csqlite_result_text_copy(context, $0.baseAddress, UInt64($0.count))
              }
            }
          }
        }, nil, nil, { data in data.map { Unmanaged<FunctionBox>.fromOpaque($0).release() } }))
    functionNames.insert(name)
  }

  /// Whether `createFunction` has created a function with this name.
  package func hasFunction(named name: String) -> Bool { functionNames.contains(name) }
}

/// The result of a function in SQL.
package enum FunctionResult: Sendable {
  case null
  case integer(Int64)
  case text(String)
  /// The text that a ``FunctionOfBytes`` has appended to its last argument.
  case room
}

/// A quick way to the result of a function for arguments that are text; `nil` for those that it does not know.
///
/// It is given the bytes of the first and the second argument, which may be no valid UTF-8, and empty room for text.
package typealias FunctionOfBytes = (
  UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>?, inout [UInt8]
) -> FunctionResult?

/// Keeps a function alive for as long as SQLite may call it.
private final class FunctionBox {
  private let function: ([String?]) -> FunctionResult
  private let ofBytes: FunctionOfBytes?
  private let repairedArguments: RepairedArguments
  /// Room for a result, which is kept for the next one.
  var room: [UInt8] = []

  init(
    _ function: @escaping ([String?]) -> FunctionResult, _ ofBytes: FunctionOfBytes?,
    _ repairedArguments: RepairedArguments
  ) {
    self.function = function
    self.ofBytes = ofBytes
    self.repairedArguments = repairedArguments
  }

  func result(_ count: Int, _ bytes: (Int) -> UnsafeBufferPointer<UInt8>?) -> FunctionResult {
    if let ofBytes, let first = bytes(0) {
      room.removeAll(keepingCapacity: true)
      if let result = ofBytes(first, bytes(1), &room) { return result }
    }
    return function(
      (0..<count).map { index in
        bytes(index).map { String(validating: $0, as: UTF8.self) ?? repairedArguments.repaired($0) }
      })
  }
}

/// The texts passed to a connection's functions that are not valid UTF-8: the functions see U+FFFD in place of the
/// invalid bytes.
package final class RepairedArguments {
  /// The number of these texts.
  package private(set) var count = 0
  /// The beginnings of the first few texts, as the functions see them.
  package private(set) var examples: [String] = []

  fileprivate func repaired(_ bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    count += 1
    let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(40)))
    if examples.count < 10, !examples.contains(beginning) { examples.append(beginning) }
    return text
  }
}

extension Connection {
  /// The first column of the first row of a query, as an integer; `nil` without a row or for NULL.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }

  /// A column of the first row of a query, as text; `nil` without a row or for NULL.
  package func text(_ sql: String, column: Int = 0) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    return statement.text(column)
  }

  /// Runs queries that see the database in one state and lock it only once.
  ///
  /// Inside a transaction they simply belong to it.
  package func reading<Result, Failure: Error>(
    _ queries: () throws(Failure) -> Result
  ) throws(Failure) -> Result where Failure: Error {
    guard sqlite3_get_autocommit(handle) != 0 else { return try queries() }
    // If the transaction cannot begin, the queries fail with a more specific error.
    sqlite3_exec(handle, "BEGIN", nil, nil, nil)
    // Without memory, a statement may have done its work and still report failure.
    defer {
      for end in ["COMMIT", "ROLLBACK"] where sqlite3_get_autocommit(handle) == 0 {
        sqlite3_exec(handle, end, nil, nil, nil)
      }
    }
    return try queries()
  }

  /// The number of rows that the last statement inserted, updated or deleted.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  // MARK: - Settings

  /// Keeps the write-ahead log as it is when the last connection closes, instead of folding it into the database.
  package func keepWriteAheadLogOnClose() {
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }

  /// Sets the maximum size of a value, row or string that this connection handles, in bytes.
  ///
  /// A larger one makes its statement fail with `SQLiteError.tooBig` before any of it is read into memory.
  ///
  /// - Returns: The previous limit.
  @discardableResult
  package func limitValueSize(to byteCount: Int32) -> Int32 {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, byteCount)
  }

  /// Limits the page cache of a database, which is best for tables that are read from start to end: no page is needed twice,
  /// and a small cache fits into the processor's.
  package func keepFewPages(ofSchema schema: String = "main") throws(SQLiteError) {
    try execute("PRAGMA \(schema.quotedIdentifier).cache_size = -256")
  }

  /// Makes room for the pages of one range of rows, which are read twice.
  package func keepPagesOfRange() throws(SQLiteError) {
    try execute("PRAGMA main.cache_size = -2048")
  }

  /// Restores the usual page cache: four times SQLite's default, since queries find rows all over a table.
  package func keepUsualPages() throws(SQLiteError) {
    try execute("PRAGMA main.cache_size = -8000")
  }

  /// Makes room for the tables that a long query finds rows in, without any order.
  package func keepManyPages(ofSchema schema: String = "main") throws(SQLiteError) {
    try execute("PRAGMA \(schema.quotedIdentifier).cache_size = -32768")
  }

  /// The maximum number of columns of a table or a result.
  package var columnLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

  /// Attaches another database read-only under a schema name.
  package func attachReadOnly(path: String, isImmutable: Bool = false, as schema: String) throws(SQLiteError) {
    let uri = DatabaseURI(path: path, isImmutable: isImmutable, isReadOnly: true).text
    let statement = try prepare("ATTACH ? AS \(schema.quotedIdentifier)")
    try statement.bind(uri, at: 1)
    _ = try statement.step()
  }

  /// Writes the committed state of the database, without free pages, to an empty file.
  package func copy(toFile path: String) throws(SQLiteError) {
    // VACUUM INTO makes all tables and indexes again.
    if try objectNeedingApp() != nil { return try copyPages(toFile: path) }
    // VACUUM INTO only reads this database, but is refused like any statement that writes.
    let isRestricted = try integer("PRAGMA query_only") == 1
    try execute("PRAGMA query_only = 0")
    defer { if isRestricted { try? execute("PRAGMA query_only = 1") } }
    let statement = try prepare("VACUUM INTO ?")
    try statement.bind(DatabaseURI(path: path, isImmutable: false).text, at: 1)
    try statement.run()
  }

  /// Ends the statement that another thread runs at the moment, and its reading of pages.
  package func interrupt() {
    isInterrupted.store(true, ordering: .relaxed)
    sqlite3_interrupt(handle)
  }

  /// Calls back about every `instructions` steps of SQLite's virtual machine; returning true interrupts the statement.
  package func onProgress(every instructions: Int32, _ callback: (() -> Bool)?) {
    progressCallback = callback
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

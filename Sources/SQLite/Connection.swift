internal import CSQLite
internal import SystemC

/// An open SQLite database.
///
/// A connection belongs to one thread at a time: it is not `Sendable`. It closes when it is released; `close()` does so
/// at a known moment and reports what went wrong.
///
/// No connection trusts the schema of the file it opens: views and triggers of a store never run
/// (`SQLITE_DBCONFIG_TRUSTED_SCHEMA`, `…_ENABLE_VIEW`, `…_ENABLE_TRIGGER`), and in a file that is not of our own making
/// shadow tables and the schema itself cannot be written (`SQLITE_DBCONFIG_DEFENSIVE`).
public final class Connection {
  /// What a connection may do with its file.
  public enum Access: Sendable {
    /// Reads, and takes part in locking.
    case readOnly
    /// Reads a file that nobody can change: no locks, and a write-ahead log is ignored.
    case immutable
    /// Reads and writes an existing file.
    case readWrite
    /// Reads and writes, and creates the file if there is none.
    case create
  }

  /// The file, as it was named.
  public let path: String
  /// The C handle, for this module only.
  private(set) var handle: OpaquePointer?
  /// Tells of statements; it must live as long as the handle.
  private var tracer: StatementTracer?
  /// What `onProgress` calls.
  var progressCallback: (() -> Bool)?
  /// What a statement ends with when `onProgress` has interrupted it, where that knows better than SQLite.
  public var interruptionError: SQLiteError?
  /// The functions that were made callable from SQL.
  var functionNames: Set<String> = []

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: The file. It is never read as a URI, whatever its name.
  ///   - access: What the connection may do.
  ///   - busyTimeout: How long to wait for a lock that another connection holds, in milliseconds.
  /// - Throws: `SQLiteError`. SQLite reads the file lazily, so a file that is no database may fail only on first use.
  public init(path: String, access: Access, busyTimeout: Int32 = 0) throws(SQLiteError) {
    self.path = path
    _ = SystemCalls.areWatched
    _ = SystemCalls.takeFailure()
    let flags: Int32 =
      switch access {
      case .readOnly, .immutable: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    // SQLITE_OPEN_URI also makes ATTACH understand URIs, which is how a source is attached read-only.
    let uri = DatabaseURI(path: path, isImmutable: access == .immutable).text
    let result = sqlite3_open_v2(uri, &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK else {
      let failure = error(result)
      // SQLite hands out a handle even then, and wants it closed.
      sqlite3_close_v2(handle)
      handle = nil
      throw failure
    }
    // What can only be read is opened for reading (`unixOpen`), and fails later, about a right that is not at fault.
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
    // Defensive mode also forbids to turn the journal off, which a new file does without.
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, access == .create ? 0 : 1)
    tracer = StatementTrace.current.map { StatementTracer($0) }
    tracer?.attach(to: handle)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  private static let hardening: [(Int32, Int32)] = [
    (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    // A quoted name of a column that is not there is an error. SQLite would take it for text, and that text for data.
    (SQLITE_DBCONFIG_DQS_DML, 0),
    (SQLITE_DBCONFIG_DQS_DDL, 0),
  ]

  /// Closes the database now.
  ///
  /// - Throws: `SQLiteError` if a statement is still in use.
  public func close() throws(SQLiteError) {
    try check(sqlite3_close(handle))
    handle = nil
  }

  /// Whether the file can only be read, although more may have been asked for.
  public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Runs statements that return no rows.
  public func execute(_ sql: String) throws(SQLiteError) {
    _ = SystemCalls.takeFailure()
    try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
  }

  /// Compiles a statement.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    _ = SystemCalls.takeFailure()
    return try Statement(self, sql)
  }

  func check(_ result: Int32, sql: String? = nil) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw error(result, sql: sql) }
  }

  func error(_ result: Int32, sql: String? = nil) -> SQLiteError {
    if let interruptionError, result & 0xff == SQLITE_INTERRUPT { return interruptionError }
    let message = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(result)
    let failure = SystemCalls.takeFailure()
    let isVague = Self.vagueCodes.contains(result & 0xff)
    return SQLiteError(
      extendedCode: handle == nil ? result : sqlite3_extended_errcode(handle),
      message: message.map { String(cString: $0) } ?? "unknown error",
      sql: sql,
      path: path,
      systemErrorNumber: isVague ? failure : handle.map { sqlite3_system_errno($0) } ?? 0)
  }

  /// The operating system's number of the error because of which something could not be read since the last statement was
  /// begun; `nil` when all could be.
  ///
  /// SQLite calls a database damaged whose disk cannot read it (`SQLITE_IOERR_CORRUPTFS`), and says no more of it.
  package func takeReadFailure() -> Int32? {
    let number = SystemCalls.takeFailure()
    return number == 0 ? nil : number
  }

  /// The codes that say nothing of the system, whose fault it may be.
  private static let vagueCodes = [
    SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_BUSY, SQLITE_PROTOCOL,
  ]
}

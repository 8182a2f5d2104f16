public import Diagnostics
internal import SQLite

/// Keeps other programs from writing to a library while its successor is built, and takes it over at the end.
///
/// While the migration runs, a write lock is held: readers go on, writers wait. Nothing is written. Only when the
/// successor is complete is the write-ahead log folded into the file and turned off, under an exclusive lock, so that
/// the old library is one whole file and no log of it can ever meet the new one.
///
/// A guard that is released without having taken the library over leaves it, its log included, as it was.
public final class SourceGuard {
  private let file: StoreFile
  private let connection: Connection
  private let dataVersion: Int64?
  private let sideFiles: SideFiles
  private var holdsWriteLock = true

  /// Locks a library against writers.
  ///
  /// - Throws: `MigrationError` with `locked` when another program is writing, `openElsewhere` when one has it open.
  public init(_ file: StoreFile, busyTimeout: Int32) throws(MigrationError) {
    self.file = file
    sideFiles = SideFiles(ofStoreAt: file.resolvedPath)
    do throws(MigrationError) {
      try Self.requireNobodyElse(file, busyTimeout: busyTimeout)
      (connection, dataVersion) = try Self.writing(file) {
        let connection = try Self.open(file, busyTimeout: busyTimeout)
        try connection.execute("BEGIN IMMEDIATE")
        return (connection, try connection.integer("PRAGMA data_version"))
      }
    } catch {
      sideFiles.removeNewOnesUnlessInUse()
      throw error
    }
  }

  deinit {
    try? connection.close()
    sideFiles.removeNewOnesUnlessInUse()
  }

  /// Makes the library one whole file that nobody else can open.
  ///
  /// Connections of this process must be closed by now. If others are in the way it can be tried again.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` when another program got in between two locks and wrote.
  public func takeOver() throws(MigrationError) {
    do throws(MigrationError) {
      try Self.writing(file) {
        if holdsWriteLock { try connection.execute("COMMIT") }
        holdsWriteLock = false
        // Folds the log into the file, syncs it, and removes the log.
        guard try connection.text("PRAGMA journal_mode = DELETE") == "delete" else {
          throw MigrationError(.openElsewhere, path: file.path)
        }
        try connection.execute("BEGIN EXCLUSIVE")
      }
    } catch let error where error.code == .locked {
      throw MigrationError(.openElsewhere, path: file.path)
    }
    // One that was to be rolled back has been by now. What is left was emptied by a run that died before it could remove
    // it, or is kept on purpose, and has no business beside another library.
    FileSystem.remove(file.resolvedPath + "-journal")
    // data_version changes exactly when another connection has committed.
    guard try reporting(path: file.path, { try connection.integer("PRAGMA data_version") }) == dataVersion else {
      throw MigrationError(.changedMeanwhile, path: file.path)
    }
  }

  private static func open(_ file: StoreFile, busyTimeout: Int32) throws -> Connection {
    let hasLog = file.hasWriteAheadLog
    let connection = try Connection(path: file.resolvedPath, access: .readWrite, busyTimeout: busyTimeout)
    // SQLite makes do with reading where it may not write, and then takes no write lock at all.
    guard !connection.isReadOnly else {
      throw MigrationError(.cannotReplace, path: file.path, detail: "it is read-only")
    }
    // A run that fails leaves the log as it was.
    if hasLog { connection.keepWriteAheadLogOnClose() }
    return connection
  }

  /// Finds out at once, rather than after the work, that the library is open elsewhere.
  private static func requireNobodyElse(_ file: StoreFile, busyTimeout: Int32) throws(MigrationError) {
    do throws(MigrationError) {
      try writing(file) {
        let connection = try open(file, busyTimeout: busyTimeout)
        // In WAL mode every open connection holds a shared lock, which the exclusive mode does not get past.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK")
      }
    } catch let error where error.code == .locked {
      throw MigrationError(.openElsewhere, path: file.path)
    }
  }

  /// Runs work that needs the right to write; without it, the library cannot be replaced.
  private static func writing<Result>(_ file: StoreFile, _ work: () throws -> Result) throws(MigrationError) -> Result {
    do throws(MigrationError) {
      return try reporting(path: file.path, work)
    } catch let error where error.code == .unreadable {
      throw MigrationError(.cannotReplace, path: file.path, detail: error.detail)
    }
  }
}

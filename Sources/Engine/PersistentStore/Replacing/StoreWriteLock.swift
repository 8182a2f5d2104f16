package import MigrationDiagnostics
internal import SQLiteDatabase
internal import SystemC

/// Keeps other programs from writing to a library while its successor is built, and takes it over at the end.
///
/// A write lock is held while the migration runs: readers continue, writers wait, and nothing is written. When the
/// successor is complete, the write-ahead log is moved into the file and turned off under an exclusive lock, so that the
/// old library is a single file and its log can never be used for the new one. That file is then held without SQLite
/// (`ExclusiveFile`) until its successor has its name.
///
/// If a lock must be released before the next one is available, another program can commit in between. After each such
/// moment the library is checked for changes: it is never replaced if it has changed.
///
/// If the lock is released without taking the library over, the library and its log are unchanged.
package final class StoreWriteLock {
  private let file: StoreFile
  private let dataVersion: Int64?
  private let sideFiles: WALFiles
  /// Whether the kernel has confirmed with a lease that no other program has the library open.
  let givesLease: Bool
  /// SQLite's locks, until the library is a single file.
  private var connection: Connection?
  private var holdsWriteLock = true
  /// Whether the library's journal mode has been changed, which remains even if it is not replaced.
  private(set) var hasFoldedLog = false
  /// The locks on the whole file.
  private var whole: ExclusiveFile?

  /// Locks a library against writers.
  ///
  /// - Parameter requiresNobodyElse: Whether others may not even read, because the library will be taken over.
  /// - Throws: `MigrationError` with `locked` if another program is writing, `openElsewhere` if one has it open.
  package init(
    _ file: StoreFile, busyTimeout: Int32, requiresNobodyElse: Bool = true
  ) throws(MigrationError) {
    self.file = file
    sideFiles = WALFiles(ofStoreAt: file.resolvedPath)
    do throws(MigrationError) {
      givesLease = requiresNobodyElse ? try ExclusiveFile.requireUnopened(file) : false
      if requiresNobodyElse { try Self.requireNobodyElse(file, busyTimeout: busyTimeout) }
      (connection, dataVersion) = try Self.writing(file) {
        let connection = try Self.open(file, busyTimeout: busyTimeout)
        try connection.execute("BEGIN IMMEDIATE")
        return (connection, try connection.integer("PRAGMA data_version"))
      }
    } catch {
      sideFiles.removeUnlessInUse()
      throw file.unlessReplaced(error)
    }
  }

  deinit {
    letGo()
    sideFiles.removeUnlessInUse()
  }

  /// Turns the library into a single file that no other program can open.
  ///
  /// Connections of this process must be closed by now. If others are in the way, this can be tried again.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` if another program has written between two locks.
  package func takeOver() throws(MigrationError) {
    if let connection {
      try foldLog(connection)
      // Its state is recorded under the last of SQLite's locks.
      whole = try ExclusiveFile(file)
      try reporting(path: file.path) { try connection.close() }
      self.connection = nil
    }
    try whole?.take()
  }

  /// Takes SQLite's exclusive lock, and moves the log into the file.
  private func foldLog(_ connection: Connection) throws(MigrationError) {
    do throws(MigrationError) {
      try Self.writing(file) {
        let hasLog = try connection.text("PRAGMA journal_mode") == "wal"
        if holdsWriteLock {
          // In WAL mode, only this takes the lock that excludes every program, and keeps it when a transaction ends.
          if hasLog { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
          // Another program that waits for the write lock may get it before the next transaction begins.
          try connection.execute("COMMIT")
          holdsWriteLock = false
        }
        try connection.execute("BEGIN EXCLUSIVE")
        // The version changes exactly when another connection commits. It must be read in the transaction, and before the
        // checkpoint, which would hide additions to the log.
        guard try connection.integer("PRAGMA data_version") == dataVersion else {
          throw MigrationError(.changedMeanwhile, path: file.path)
        }
        guard hasLog else { return }
        try connection.execute("ROLLBACK")
        guard try connection.text("PRAGMA journal_mode = DELETE") == "delete" else {
          throw MigrationError(.openElsewhere, path: file.path)
        }
        hasFoldedLog = true
        // SQLite does not report that it could not remove the log, and would read it again later.
        guard try !FileSystem.isThere(file.resolvedPath + "-wal") else {
          throw MigrationError(.inputOutput, path: file.path, detail: "its write-ahead log cannot be removed")
        }
      }
    } catch let error where error.code == .locked {
      throw MigrationError(.openElsewhere, path: file.path)
    }
  }

  /// Releases the library.
  package func letGo() {
    // If a statement keeps the connection open, it is closed when that is released.
    try? connection?.close()
    connection = nil
    whole?.letGo()
    whole = nil
  }

  /// The library's file, held exclusively.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` if the library was not taken over.
  package func wholeFile() throws(MigrationError) -> ExclusiveFile {
    guard let whole else { throw MigrationError(.changedMeanwhile, path: file.path) }
    return whole
  }

  private static func open(_ file: StoreFile, busyTimeout: Int32) throws -> Connection {
    try file.requireSoundCompanions()
    let hasLog = file.hasWriteAheadLog
    let connection = try Connection(path: file.resolvedPath, access: .readWrite, busyTimeout: busyTimeout)
    // SQLite falls back to reading if it may not write, and then takes no write lock.
    guard !connection.isReadOnly else {
      throw file.refusedWriting("it is read-only")
    }
    // A failed run must not change the log.
    if hasLog { connection.keepWriteAheadLogOnClose() }
    return connection
  }

  /// Detects before the work, rather than after it, that the library is open elsewhere.
  private static func requireNobodyElse(_ file: StoreFile, busyTimeout: Int32) throws(MigrationError) {
    do throws(MigrationError) {
      try writing(file) {
        let connection = try open(file, busyTimeout: busyTimeout)
        // In WAL mode, every open connection holds a shared lock, which prevents the exclusive mode.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK")
      }
    } catch let error where error.code == .locked {
      throw MigrationError(.openElsewhere, path: file.path)
    }
  }

  /// Runs work that requires write access, without which the library cannot be replaced.
  private static func writing<Result>(_ file: StoreFile, _ work: () throws -> Result) throws(MigrationError) -> Result {
    do throws(MigrationError) {
      return try reporting(path: file.path, work)
    } catch let error where error.code == .unreadable {
      throw file.refusedCompanion(W_OK) ?? file.refusedWriting(error.detail)
    }
  }
}

extension MigrationError {
  /// The error after the log was moved into the library: its data is unchanged, but its journal mode is not.
  var afterFolding: MigrationError {
    var error = self
    error.advice = (advice ?? ErrorMessage.advice(for: self))
      .replacingPrefix("Nothing was changed.", with: "No data was changed.")
    return error
  }
}

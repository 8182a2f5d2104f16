package import MigrationDiagnostics
internal import SQLiteDatabase
internal import SystemC

/// Keeps other programs from writing to a library while its successor is built, and takes it over at the end.
///
/// While the migration runs, a write lock is held: readers go on, writers wait. Nothing is written. Only when the
/// successor is complete is the write-ahead log folded into the file and turned off, under an exclusive lock, so that
/// the old library is one whole file and no log of it can ever meet the new one. That file is then held without SQLite
/// (`ExclusiveFile`) until its successor has its name.
///
/// A lock that has to be given back before the next one can be had leaves a moment in which another program can commit.
/// After each such moment the library is compared with what it was before: it is never replaced if it has changed.
///
/// A guard that is released without having taken the library over leaves it, its log included, as it was.
package final class StoreWriteLock {
  private let file: StoreFile
  private let dataVersion: Int64?
  private let sideFiles: WALFiles
  /// Whether the kernel tells by a lease that nobody else has the library open.
  let givesLease: Bool
  /// SQLite's locks, until the library is one whole file.
  private var connection: Connection?
  private var holdsWriteLock = true
  /// Whether the library has been given another journal mode, which stays so if it is not replaced.
  private(set) var hasFoldedLog = false
  /// The locks on the whole file.
  private var whole: ExclusiveFile?

  /// Locks a library against writers.
  ///
  /// - Parameter requiresNobodyElse: Whether others may not even read, since the library is to be taken over.
  /// - Throws: `MigrationError` with `locked` when another program is writing, `openElsewhere` when one has it open.
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

  /// Makes the library one whole file that nobody else can open.
  ///
  /// Connections of this process must be closed by now. If others are in the way it can be tried again.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` when another program got in between two locks and wrote.
  package func takeOver() throws(MigrationError) {
    if let connection {
      try foldLog(connection)
      // What it looks like is noted under the last of SQLite's locks.
      whole = try ExclusiveFile(file)
      try reporting(path: file.path) { try connection.close() }
      self.connection = nil
    }
    try whole?.take()
  }

  /// Takes SQLite's exclusive lock, and folds the log into the file under it.
  private func foldLog(_ connection: Connection) throws(MigrationError) {
    do throws(MigrationError) {
      try Self.writing(file) {
        let hasLog = try connection.text("PRAGMA journal_mode") == "wal"
        if holdsWriteLock {
          // With a log, only this mode takes the lock that keeps everybody out, and keeps it when a transaction ends.
          if hasLog { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
          // Another program that waits for the write lock may have it before the next transaction begins.
          try connection.execute("COMMIT")
          holdsWriteLock = false
        }
        try connection.execute("BEGIN EXCLUSIVE")
        // Changes exactly when another connection has committed. It must be asked within the transaction, and before the
        // log is folded, which would hide what has been added to it.
        guard try connection.integer("PRAGMA data_version") == dataVersion else {
          throw MigrationError(.changedMeanwhile, path: file.path)
        }
        guard hasLog else { return }
        try connection.execute("ROLLBACK")
        guard try connection.text("PRAGMA journal_mode = DELETE") == "delete" else {
          throw MigrationError(.openElsewhere, path: file.path)
        }
        hasFoldedLog = true
        // SQLite does not say that it could not remove the log, and reads it again afterwards.
        guard try !FileSystem.isThere(file.resolvedPath + "-wal") else {
          throw MigrationError(.inputOutput, path: file.path, detail: "its write-ahead log cannot be removed")
        }
      }
    } catch let error where error.code == .locked {
      throw MigrationError(.openElsewhere, path: file.path)
    }
  }

  /// Lets others have the library.
  package func letGo() {
    // A connection that a statement keeps open is closed when that is released.
    try? connection?.close()
    connection = nil
    whole?.letGo()
    whole = nil
  }

  /// The library's file, which this holds alone.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` when the library was not taken over.
  package func wholeFile() throws(MigrationError) -> ExclusiveFile {
    guard let whole else { throw MigrationError(.changedMeanwhile, path: file.path) }
    return whole
  }

  private static func open(_ file: StoreFile, busyTimeout: Int32) throws -> Connection {
    try file.requireRegularCompanions()
    let hasLog = file.hasWriteAheadLog
    let connection = try Connection(path: file.resolvedPath, access: .readWrite, busyTimeout: busyTimeout)
    // SQLite makes do with reading where it may not write, and then takes no write lock at all.
    guard !connection.isReadOnly else {
      throw file.refusedWriting("it is read-only")
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
      throw file.refusedCompanion(W_OK) ?? file.refusedWriting(error.detail)
    }
  }
}

extension MigrationError {
  /// What the error says once the log has been folded into the library: its data is as it was, its journal mode is not.
  var afterFolding: MigrationError {
    var error = self
    error.advice = (advice ?? ErrorMessage.advice(for: self))
      .replacingPrefix("Nothing was changed.", with: "No data was changed.")
    return error
  }
}

internal import SQLiteDatabase

/// The files that SQLite keeps next to a database in WAL mode: the log and its index (`-shm`).
///
/// Opening the database creates them. A reader that does not checkpoint when it closes leaves them behind, and so does one
/// that is killed. Files that are neither used nor needed are removed here.
struct WALFiles {
  private let path: String
  /// Whether there was a log without an index, even an empty one, which a program keeps on purpose.
  private let hadLogAlone: Bool

  /// Records which of the files exist.
  init(ofStoreAt path: String) {
    self.path = path
    hadLogAlone = FileSystem.exists(path + "-wal") && !FileSystem.exists(path + "-shm")
  }

  /// Removes the index, which can be rebuilt from the log, and an empty log, unless a program uses the database.
  ///
  /// This happens under SQLite's own exclusive lock, which is not available while another connection is open. In exclusive
  /// mode, SQLite needs no index.
  func removeUnlessInUse() {
    let (log, index) = (path + "-wal", path + "-shm")
    guard FileStatus(unresolved: index)?.kind == .regular || Self.isEmpty(log) && !hadLogAlone,
      let connection = try? Connection(path: path, access: .readWrite)
    else { return }
    connection.keepWriteAheadLogOnClose()
    // Otherwise the connection and its lock could be released before the files are removed.
    withExtendedLifetime(connection) {
      guard Self.lock(connection) else { return }
      if FileStatus(unresolved: index)?.kind == .regular { FileSystem.remove(index) }
      if !hadLogAlone, Self.isEmpty(log) { FileSystem.remove(log) }
    }
  }

  private static func isEmpty(_ log: String) -> Bool {
    guard let status = FileStatus(unresolved: log) else { return false }
    return status.kind == .regular && status.size == 0
  }

  /// Takes the lock by a read that does not need the schema, which cannot be read in a damaged file.
  private static func lock(_ connection: Connection) -> Bool {
    do throws(SQLiteError) {
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA schema_version")
      return true
    } catch {
      // SQLite found the damage under the lock.
      return [SQLiteError.corrupt, SQLiteError.notADatabase].contains(error.code)
    }
  }
}

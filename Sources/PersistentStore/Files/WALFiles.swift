internal import SQLiteDatabase

/// The files that SQLite keeps beside a database in WAL mode: the log, and the index over it (`-shm`).
///
/// Whoever opens the database makes them. A reader that leaves the log alone when it closes leaves them behind, and so
/// does one that is killed. What nobody uses and nobody needs is removed here.
struct WALFiles {
  private let path: String
  /// Whether there is a log without an index, which a program keeps on purpose, be it an empty one.
  private let hadLogAlone: Bool

  /// Notes which of the files are there.
  init(ofStoreAt path: String) {
    self.path = path
    hadLogAlone = FileSystem.exists(path + "-wal") && !FileSystem.exists(path + "-shm")
  }

  /// Removes the index, which is made anew from the log, and a log in which there is nothing, unless a program uses the
  /// database.
  ///
  /// That happens under SQLite's own exclusive lock, which nobody gets while another connection is open; in exclusive
  /// mode SQLite does without the index.
  func removeUnlessInUse() {
    let (log, index) = (path + "-wal", path + "-shm")
    guard FileStatus(unresolved: index)?.kind == .regular || Self.isEmpty(log) && !hadLogAlone,
      let connection = try? Connection(path: path, access: .readWrite)
    else { return }
    connection.keepWriteAheadLogOnClose()
    // Without this the connection, and with it the lock, could be gone before the files are.
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

  /// Takes the lock by reading what needs no schema: that of a damaged file cannot be read.
  private static func lock(_ connection: Connection) -> Bool {
    do throws(SQLiteError) {
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA schema_version")
      return true
    } catch {
      // What is found to be wrong with the file was read under the lock.
      return [SQLiteError.corrupt, SQLiteError.notADatabase].contains(error.code)
    }
  }
}

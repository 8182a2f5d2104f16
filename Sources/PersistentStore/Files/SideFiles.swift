internal import SQLite

/// The files that SQLite keeps beside a database in WAL mode: the log, and the index over it (`-shm`).
///
/// Whoever opens the database makes them. A reader that leaves the log alone when it closes leaves them behind; what was
/// not there before is removed here.
struct SideFiles {
  private let path: String
  private let hadLog: Bool
  private let hadIndex: Bool

  /// Notes which of the files are there.
  init(ofStoreAt path: String) {
    self.path = path
    hadLog = FileSystem.exists(path + "-wal")
    hadIndex = FileSystem.exists(path + "-shm")
  }

  /// Removes what was not there before, unless a program uses the database.
  ///
  /// That happens under SQLite's own exclusive lock, which nobody gets while another connection is open; in exclusive
  /// mode SQLite does without the index, and programs can build it again. A log is removed only when it is empty.
  func removeNewOnesUnlessInUse() {
    let (log, index) = (path + "-wal", path + "-shm")
    let isIndexNew = !hadIndex && FileSystem.exists(index)
    let isLogNew = !hadLog && FileSystem.exists(log)
    guard isIndexNew || isLogNew, let connection = try? Connection(path: path, access: .readWrite) else { return }
    connection.keepWriteAheadLogOnClose()
    // Without this the connection, and with it the lock, could be gone before the files are.
    withExtendedLifetime(connection) {
      guard Self.lock(connection) else { return }
      if isIndexNew { FileSystem.remove(index) }
      if isLogNew, FileStatus(log)?.size == 0 { FileSystem.remove(log) }
    }
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

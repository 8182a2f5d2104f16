internal import SQLite

/// The `-shm` file of a database in WAL mode: an index over the log that every program can build again.
enum SharedMemoryFile {
  /// Removes the file when no program uses the database.
  ///
  /// A reader of a database whose log holds changes leaves this file behind. It is removed under SQLite's own exclusive
  /// lock, which nobody gets while another connection is open; in exclusive mode SQLite does without the file.
  static func removeUnlessInUse(ofStoreAt path: String) {
    let file = path + "-shm"
    guard FileSystem.exists(file) else { return }
    guard let connection = try? Connection(path: path, access: .readWrite) else { return }
    connection.keepWriteAheadLogOnClose()
    // Without this the connection, and with it the lock, could be gone before the file is.
    withExtendedLifetime(connection) {
      guard (try? connection.execute("PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema")) != nil
      else {
        return
      }
      FileSystem.remove(file)
    }
  }
}

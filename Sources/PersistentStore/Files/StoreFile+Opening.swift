package import Diagnostics
package import SQLite
internal import SystemC

extension StoreFile {
  /// Opens the store for reading, in a way that leaves it and its write-ahead log as they are.
  ///
  /// A log that holds changes is always read; where it cannot be, that is an error, for without it the store would
  /// look older than it is.
  package func openForReading(busyTimeout: Int32) throws(MigrationError) -> (Connection, Connection.Access) {
    try requireRegularCompanions()
    var firstError: SQLiteError?
    for access in readingAccesses {
      do {
        let connection = try Connection(path: resolvedPath, access: access, busyTimeout: busyTimeout)
        // Nothing is folded into the file by a reader, not even what others add to the log meanwhile.
        connection.keepWriteAheadLogOnClose()
        try connection.execute("PRAGMA query_only = 1")
        // SQLite opens files lazily: only a read tells whether it works.
        try connection.readSchema()
        return (connection, access)
      } catch {
        guard error.code != SQLiteError.interrupted else {
          throw MigrationError(.damaged, path: path, detail: "its schema seems to have more entries than fit into it")
        }
        let mayDiffer = [SQLiteError.cannotOpen, SQLiteError.readOnly, SQLiteError.permission].contains(error.code)
        guard mayDiffer else { throw MigrationError(error, path: path) }
        firstError = firstError ?? error
      }
    }
    throw explain(firstError)
  }

  /// The ways to open the file, the best first.
  private var readingAccesses: [Connection.Access] {
    if writeAheadLogSize > 0 { return [.readOnly, .readWrite] }
    // A connection that may write would roll the journal back.
    if hasHotJournal { return [.readOnly] }
    // Reading in WAL mode needs the -wal and -shm files, which are made if they may be. Where they may not, the file is
    // read without locks; whether somebody else, who may, has written to it meanwhile is found out when it is closed.
    guard header.usesWriteAheadLog else { return [.readOnly] }
    if access(resolvedPath, W_OK) == 0 { return [.readWrite, .readOnly, .immutable] }
    // Who may not write to the store must not make these files either: they would be in the way of those who may.
    let areThere = ["-wal", "-shm"].allSatisfy { FileStatus(unresolved: resolvedPath + $0) != nil }
    return areThere ? [.readOnly, .immutable] : [.immutable]
  }

  /// Makes sure that what has the names of SQLite's own files beside the store are files, if anything has.
  ///
  /// SQLite reads no log through a symbolic link, and none from a pipe; it would take some for no log at all, and the store
  /// for older than it is.
  func requireRegularCompanions() throws(MigrationError) {
    for suffix in ["-wal", "-journal", "-shm"] {
      guard try FileSystem.isThere(resolvedPath + suffix), let status = FileStatus(unresolved: resolvedPath + suffix),
        status.kind != .regular
      else { continue }
      let detail = status.kind == .link ? "it is a symbolic link" : "it is not a regular file"
      var error =
        suffix == "-wal"
        ? MigrationError(.unreadableWriteAheadLog, path: path, detail: detail)
        : MigrationError(.unreadable, path: path + suffix, detail: detail)
      error.advice =
        suffix == "-wal"
        ? "Put the log itself there, or move this away if it is none; then run the command again."
        : "Nothing was changed. Move it away, then run the command again."
      throw error
    }
  }

  private func explain(_ error: SQLiteError?) -> MigrationError {
    if let error, error.isOfSystem { return MigrationError(error, path: path) }
    if let refused = refusedCompanion(R_OK) { return refused }
    if writeAheadLogSize > 0 {
      return MigrationError(.unreadableWriteAheadLog, path: path, detail: error?.message)
    }
    if hasHotJournal { return MigrationError(.unfinishedTransaction, path: path) }
    return error.map { MigrationError($0, path: path) } ?? MigrationError(.unreadable, path: path)
  }

  /// An error about a file of SQLite's beside the store that this user may not use, if there is one.
  func refusedCompanion(_ right: Int32) -> MigrationError? {
    for suffix in ["-wal", "-shm", "-journal"] where FileStatus(unresolved: resolvedPath + suffix) != nil {
      guard access(resolvedPath + suffix, right) != 0, errno == EACCES else { continue }
      let detail = String(cString: strerror(EACCES))
      var error =
        suffix == "-wal"
        ? MigrationError(.unreadableWriteAheadLog, path: path, detail: detail)
        : MigrationError(.unreadable, path: path + suffix, detail: detail)
      error.advice = "No data was changed. \(FileAccess.advice(for: path + suffix, at: resolvedPath + suffix))"
      return error
    }
    return nil
  }

  /// The error of whoever may not write to the file itself, whatever its folder allows.
  func refusedWriting(_ detail: String?) -> MigrationError {
    var error = MigrationError(.cannotReplace, path: path, detail: detail)
    guard access(resolvedPath, W_OK) != 0 else { return error }
    switch errno {
    case EACCES: error.advice = "Nothing was changed. \(FileAccess.advice(for: path, at: resolvedPath))"
    case EROFS:
      error.advice = "Nothing was changed. Its file system is read-only: copy it to one that is not, and use the copy."
    default: break
    }
    return error
  }
}

/// What helps whoever lacks the right to use a file.
private enum FileAccess {
  /// Only the owner can change the permissions.
  static func advice(for name: String, at path: String) -> String {
    guard let owner = FileStatus(path)?.userID, owner != geteuid() else {
      return "Give yourself permission to read and write it with: chmod u+rw \(ErrorMessage.shellWord(name))"
    }
    return "'\(name)' belongs to another user (\(owner)): run the command as that user, or ask them for permission to "
      + "read and write it."
  }
}

extension Connection {
  /// Has SQLite read the schema, but not for ever: pages of a hostile file may lead to others again and again.
  ///
  /// - Throws: `SQLiteError`, with `interrupted` past some hundred thousand tables and indexes.
  fileprivate func readSchema() throws(SQLiteError) {
    var count = 0
    onProgress(every: 500_000) {
      count += 1
      return count > 10
    }
    defer { onProgress(every: 0, nil) }
    _ = try integer("SELECT count(*) FROM sqlite_schema")
  }
}

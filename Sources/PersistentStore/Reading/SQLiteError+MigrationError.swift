package import Diagnostics
package import SQLite
internal import SystemC

extension MigrationError {
  /// What an error of SQLite means for the library at a path.
  package init(_ error: SQLiteError, path: String) {
    if let number = error.numberOfSystemFailure(path) {
      self = FileSystem.failure(.inputOutput, path, number: number)
      return
    }
    let code: Code =
      switch error.code {
      case _ where error.isAboutLocks: .locked
      // SQLite's general error: a table or column is not there, or is not what it should be.
      case SQLiteError.corrupt, SQLiteError.general, SQLiteError.mismatch: .damaged
      case SQLiteError.constraint, SQLiteError.tooBig: .migrationFailed
      case SQLiteError.notADatabase: .notADatabase
      case SQLiteError.full: .diskFull
      case SQLiteError.outOfMemory: .outOfMemory
      case SQLiteError.interrupted: .interrupted
      case _ where error.extendedCode == SQLiteError.moved: .changedMeanwhile
      case SQLiteError.cannotOpen, SQLiteError.permission, SQLiteError.readOnly: .unreadable
      default: .inputOutput
      }
    let isPlain = code == .locked || code == .diskFull || code == .outOfMemory || code == .interrupted
    self.init(code, path: path, detail: isPlain ? nil : error.message)
  }
}

extension SQLiteError {
  /// Whether somebody else is in the way, be it with a lease on the file.
  package var isAboutLocks: Bool {
    [Self.busy, Self.locked, Self.protocolViolation].contains(code) && !isOfSystem
      || code == Self.cannotOpen && systemErrorNumber == EWOULDBLOCK
  }
}

/// Runs work on a store, and gives errors of SQLite the name of the file that they are about.
package func reporting<Result>(path: String, _ work: () throws -> Result) throws(MigrationError) -> Result {
  do {
    return try work()
  } catch let error as MigrationError {
    throw error
  } catch let error as SQLiteError {
    throw MigrationError(error, path: path)
  } catch {
    throw MigrationError(.migrationFailed, path: path, detail: "\(error)")
  }
}

extension SQLiteError {
  /// Whether the system lacked something or failed, rather than the file or the right to use it.
  var isOfSystem: Bool {
    [Self.corrupt, Self.notADatabase, Self.general, Self.busy, Self.protocolViolation].contains(code)
      && systemErrorNumber != 0
      || [SQLiteError.cannotOpen, SQLiteError.inputOutput].contains(code)
        && [ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE, EIO].contains(systemErrorNumber)
  }

  /// The operating system's number for what is behind the error, if that tells more than SQLite does.
  fileprivate func numberOfSystemFailure(_ path: String) -> Int32? {
    if isOfSystem { return systemErrorNumber }
    // Nor does it tell a file that has gone from one that cannot be looked at.
    if extendedCode == SQLiteError.moved { return FileStatus(path) == nil && errno == EIO ? EIO : nil }
    return [SQLiteError.corrupt, SQLiteError.notADatabase].contains(code) ? FileContents.readFailure(path) : nil
  }
}

internal import CTracksSQLite
internal import SystemC

/// The system calls that SQLite makes through this module.
///
/// They keep SQLite from waiting forever if a pipe has the name of one of its files, such as a journal, and record what
/// SQLite does not report: why a file could not be read, written or locked.
enum SystemCalls {
  /// Whether SQLite opens files like `openRegularFile`, starting with the first connection, in the whole process.
  ///
  /// Checking first is not enough, because the pipe may be created a moment later. Temporary files are also opened this
  /// way, and so are folders, which are opened to be synced.
  static let areWatched: Bool = {
    guard let system = sqlite3_vfs_find(nil), system.pointee.iVersion >= 3,
      let replace = system.pointee.xSetSystemCall
    else { return false }
    let call: @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32 = { path, flags, mode in
      opening(flags, allowsFolders: true) { open(path, $0, mode_t(mode)) }
    }
    csqlite_watch_calls(system)
    return replace(system, "open", unsafeBitCast(call, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
  }()

  /// The system's number of the first error that prevented this thread from reading, writing or locking a file, or 0.
  ///
  /// It is returned once. All code that reads it must be in this file: other files may have their own copy of C's
  /// variable.
  @inline(never)
  static func takeFailure() -> Int32 { csqlite_take_failure() }
}

internal import CTracksSQLite
internal import SystemC

/// The calls to the system that SQLite makes by way of us.
///
/// They keep SQLite from waiting for ever where a pipe has the name of one of its files, such as a journal, and tell what
/// it keeps to itself: why a file could not be read, written or locked.
enum SystemCalls {
  /// Whether SQLite opens files as `openRegularFile` does: from the first connection on, in the whole process.
  ///
  /// Looking first is not enough: the pipe may be put there a moment later. The temporary files, too, are opened so, and
  /// folders, which are opened to be synced.
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

  /// The system's number of the first error because of which this thread could not read, write or lock a file, or 0.
  ///
  /// It is told once. All that asks must be in this file: other files may have a copy of C's variable.
  @inline(never)
  static func takeFailure() -> Int32 { csqlite_take_failure() }
}

internal import CSQLite
internal import SystemC

/// Keeps SQLite from waiting for ever where a pipe has the name of one of its files, such as a journal.
enum FileOpening {
  /// Whether SQLite opens files as `openRegularFile` does: from the first connection on, in the whole process.
  ///
  /// Looking first is not enough: the pipe may be put there a moment later. The temporary files, too, are opened so, and
  /// folders, which are opened to be synced.
  static let isBounded: Bool = {
    guard let system = sqlite3_vfs_find(nil), system.pointee.iVersion >= 3,
      let replace = system.pointee.xSetSystemCall
    else { return false }
    let call: @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32 = { path, flags, mode in
      opening(flags, allowsFolders: true) { open(path, $0, mode_t(mode)) }
    }
    return replace(system, "open", unsafeBitCast(call, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
  }()
}

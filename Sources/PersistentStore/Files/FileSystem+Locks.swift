internal import Diagnostics
internal import SystemC

extension FileSystem {
  /// Makes sure that there are locks where an open file lies.
  ///
  /// SQLite takes a lock that nobody can ever have, as on a file server without a lock service, for one that somebody
  /// else has, and waits for it.
  ///
  /// - Parameter path: The file as the user named it, for messages.
  static func requireLocks(_ descriptor: Int32, named path: String) throws(MigrationError) {
    // Shared, and behind the bytes that SQLite locks: it is in nobody's way, and ends when the file is closed.
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000 + 0x1000
    lock.l_len = 1
    guard fcntl(descriptor, F_SETLK, &lock) != 0, errno == ENOLCK else { return }
    throw failure(.noLocks, path)
  }
}

package import MigrationDiagnostics
internal import SystemC

/// An old library that no other program can write to, or even open, until it is released.
///
/// Two things keep others out: SQLite's locks, taken on this open file itself, and a write lease of the kernel (fcntl(2),
/// `F_SETLEASE`). The kernel grants the lease only if no other program on this machine has the file open, and from then
/// on a program that opens it waits until the lease is released. SQLite's locks alone do not show that: a program with
/// a rollback journal holds none while it is idle. If it keeps that journal open, in memory or not at all, SQLite does
/// not notice that the file has lost its name, and its commits would be only in the backup.
///
/// While the lease is held, this process must not open the file again: that would wait for the lease.
package final class ExclusiveFile {
  private let file: StoreFile
  private let contents: OpenFile
  private let status: FileStatus
  private let header: [UInt8]
  private var holdsLease = false

  /// Opens a library, and records its state.
  ///
  /// It must be a single file by now, and no other program must be able to write to it.
  init(_ file: StoreFile) throws(MigrationError) {
    self.file = file
    let descriptor: Int32
    do throws(MigrationError) {
      descriptor = try FileSystem.openFile(file.resolvedPath, O_RDWR, orThrow: .cannotReplace, file.path)
    } catch let error where error.code == .cannotReplace {
      throw file.refusedWriting(error.detail)
    }
    contents = OpenFile(descriptor: descriptor)
    guard let status = contents.status, let header = Self.header(descriptor) else {
      throw FileSystem.failure(.unreadable, file.path)
    }
    guard status.isSameFile(as: file.status) else { throw MigrationError(.changedMeanwhile, path: file.path) }
    (self.status, self.header) = (status, header)
  }

  /// Checks that no other program has a library open, without keeping any from opening it.
  ///
  /// It must not be open in this process: closing it here would release SQLite's locks.
  ///
  /// - Returns: Whether the kernel supports leases here; without them, this is unknown.
  /// - Throws: `MigrationError` with `openElsewhere`.
  static func requireUnopened(_ file: StoreFile) throws(MigrationError) -> Bool {
    let library = try ExclusiveFile(file)
    let lease = library.takeLease()
    guard lease != .refused else { throw MigrationError(.openElsewhere, path: file.path) }
    return lease == .granted
  }

  /// Takes the locks and the lease.
  ///
  /// - Throws: `MigrationError` with `openElsewhere` if others have the library open: then nothing is held, and this can be
  ///   tried again; with `changedMeanwhile` if it has changed since it was opened here.
  func take() throws(MigrationError) {
    do throws(MigrationError) {
      let lease = takeLease()
      // Without leases, as on most file servers, the system shows only some of the programs that have the file open. Because
      // of the others, it is retired at the end.
      guard lease != .refused, try lock(), lease == .granted || LockHolder.openers(of: [file.resolvedPath]).isEmpty
      else { throw MigrationError(.openElsewhere, path: file.path) }
      guard try isUnchanged() else { throw MigrationError(.changedMeanwhile, path: file.path) }
      try removeJournal()
    } catch {
      letGo()
      throw error
    }
  }

  /// Removes a finished journal.
  ///
  /// A hot journal has been rolled back by now. A remaining one is empty, left by an interrupted run, or was kept on purpose
  /// by a program that has ended; in either case it must not be next to another library.
  private func removeJournal() throws(MigrationError) {
    do throws(MigrationError) {
      try FileSystem.remove(file.resolvedPath + "-journal", orThrow: .cannotReplace)
    } catch {
      var error = error.about(file.path)
      error.detail = "its rollback journal cannot be removed" + (error.detail.map { " (\($0))" } ?? "")
      throw error
    }
  }

  /// Releases the file; programs that wait for it continue.
  package func letGo() {
    // If this fails, both end when the file is closed a moment later.
    var lock = Self.allLocks(F_UNLCK)
    _ = fcntl(contents.descriptor, Self.setLock, &lock)
    #if os(Linux)
      _ = fcntl(contents.descriptor, Self.setLease, Int32(F_UNLCK))
    #endif
    holdsLease = false
  }

  /// Checks that no program has tried to write to the library since it was taken.
  package func requireAlone() throws(MigrationError) {
    guard try isLed(to: file.resolvedPath) else { throw MigrationError(.changedMeanwhile, path: file.path) }
    guard !isAwaitedByWriter else { throw MigrationError(.openElsewhere, path: file.path) }
  }

  /// Whether the backup has to be a copy instead of a hard link to this file.
  ///
  /// Without a lease, as on file servers and for a library of another user, it is unknown who has the file open.
  var needsRetiring: Bool { !holdsLease }

  /// Ensures that no program writes to the file after another one has taken its name.
  ///
  /// Without a lease, a program may have it open without any lock; or a program may have come at the last moment, and wait to
  /// open the former library. In these cases the backup becomes a copy, and the old file is made unusable as a database, so
  /// that programs that have it open get an error. If it has other hard links, it is not changed.
  ///
  /// - Parameter backup: The hard link that is the backup, if there is one.
  /// - Returns: A warning that a program may still write to the file, if it could not be made unusable: the backup
  ///   matters more than an error for such a program.
  @discardableResult
  package func retire(backup: String?, by staging: StagingFile) -> MigrationError? {
    guard needsRetiring || isAwaitedByWriter else { return nil }
    var failure: MigrationError?
    // A disk that has failed once may succeed the next time.
    for _ in 1...3 {
      do throws(MigrationError) {
        try makeUseless(backup: backup, by: staging)
        return nil
      } catch {
        failure = error
      }
    }
    return failure?.about(file.path, as: .oldFileInUse)
  }

  private func makeUseless(backup: String?, by staging: StagingFile) throws(MigrationError) {
    if let backup {
      if try isLed(to: backup) {
        let copy = staging.companion("backup")
        try FileSystem.removeLeftover(copy)
        try contents.copy(to: copy, named: file.path, with: FileAttributes(of: backup))
        try FileSystem.move(copy, replacing: backup)
      }
      try FileSystem.synchronizeFolder(of: backup)
    }
    guard let status = currentStatus else { throw FileSystem.failure(.inputOutput, file.path) }
    guard status.linkCount == 0 else { return }
    let nothing = [UInt8](repeating: 0, count: header.count)
    // Truncating the file would kill a program that has it mapped into memory, so that is the last resort.
    guard pwrite(contents.descriptor, nothing, nothing.count, 0) != nothing.count,
      ftruncate(contents.descriptor, 0) != 0
    else { return }
    throw FileSystem.failure(.inputOutput, file.path)
  }

  /// The current status of the file, whatever its names lead to.
  package var currentStatus: FileStatus? { contents.status }

  /// Copies the library to a new file.
  ///
  /// - Parameter note: Called with the copy before it is compared with the library.
  package func copy(
    to path: String, noting note: ((FileStatus) throws(MigrationError) -> Void)? = nil
  ) throws(MigrationError) {
    try contents.copy(to: path, named: file.path, with: FileAttributes(of: file.resolvedPath), noting: note)
  }

  // MARK: - What it was

  /// Whether the library has not changed since it was opened here.
  ///
  /// A commit with a rollback journal increments the change counter in the header, and so does the change to WAL mode.
  private func isUnchanged() throws(MigrationError) -> Bool {
    guard let now = contents.status, let header = Self.header(contents.descriptor) else {
      throw FileSystem.failure(.unreadable, file.path)
    }
    guard now.size == status.size, now.changeTime == status.changeTime, header == self.header,
      try isLed(to: file.resolvedPath), try !FileSystem.isThere(file.resolvedPath + "-wal")
    else { return false }
    return try !file.mayHaveHotJournal()
  }

  private func isLed(to path: String) throws(MigrationError) -> Bool {
    try FileSystem.leads(path, to: status, followingLinks: false)
  }

  private static func header(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 100)
    return FileSystem.read(descriptor, into: &bytes, at: 0).map { Array(bytes.prefix($0)) }
  }

  // MARK: - Locks

  /// Takes all locks that SQLite holds on a database in an exclusive transaction.
  ///
  /// They belong to this open file and not to the process, so closing another file does not release them.
  private func lock() throws(MigrationError) -> Bool {
    var lock = Self.allLocks(F_WRLCK)
    if fcntl(contents.descriptor, Self.setLock, &lock) == 0 { return true }
    guard errno == EAGAIN || errno == EACCES else { throw FileSystem.failure(.cannotReplace, file.path) }
    return false
  }

  private enum Lease { case granted, refused, unavailable }

  private func takeLease() -> Lease {
    #if os(Linux)
      // When another program waits, the kernel sends a signal, which would end the process. This one is ignored by default.
      guard fcntl(contents.descriptor, Self.setSignal, SIGURG) == 0 else { return .unavailable }
      // Programs that only inspect the file close it at once.
      for _ in 1...Self.leaseAttempts {
        if fcntl(contents.descriptor, Self.setLease, Int32(F_WRLCK)) == 0 {
          holdsLease = true
          return .granted
        }
        // For any other reason: the way without a lease is always safe.
        guard errno == EAGAIN else { return .unavailable }
        usleep(1_000)
      }
      return .refused
    #else
      return .unavailable
    #endif
  }

  /// Whether a program waits to open the file for writing, or has opened it because the kernel did not wait any longer.
  private var isAwaitedByWriter: Bool {
    #if os(Linux)
      return holdsLease && fcntl(contents.descriptor, Self.getLease) == Int32(F_UNLCK)
    #else
      return false
    #endif
  }

  private static let leaseAttempts = 50

  /// The pending byte, the reserved byte and the shared bytes (sqlite.org/lockingv3.html).
  private static func allLocks(_ type: Int32) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 512
    return lock
  }

  // The C library declares these only with _GNU_SOURCE, which Swift's module does not define.
  #if os(Linux)
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024
    private static let getLease: Int32 = 1025
    private static let setLock: Int32 = 37
  #else
    private static let setLock: Int32 = 90
  #endif
}

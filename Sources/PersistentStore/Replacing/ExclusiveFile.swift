package import MigrationDiagnostics
internal import SystemC

/// An old library that nobody else can write to, or even open, until it is let go.
///
/// Two things keep others out. The locks that SQLite knows are taken on this open file itself. And the kernel gives a
/// write lease (fcntl(2), `F_SETLEASE`): only while nobody else on this machine has the file open, and from then on
/// whoever opens it waits until the lease is given back. No lock of SQLite's tells that much: a program with a rollback
/// journal holds none while it is idle; and where it keeps that journal open, in memory or not at all, SQLite does not
/// notice that the file has lost its name, and what it commits would be in the backup only.
///
/// While this is held, the file must not be opened again in this process: that would wait for the lease.
package final class ExclusiveFile {
  private let file: StoreFile
  private let contents: OpenFile
  private let status: FileStatus
  private let header: [UInt8]
  private var holdsLease = false

  /// Opens a library, and notes what it looks like.
  ///
  /// It must be one whole file by now, and nobody else must be able to write to it.
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

  /// Finds out whether nobody else has a library open, and keeps nobody from opening it.
  ///
  /// It must not be open in this process: to close it here would end SQLite's locks.
  ///
  /// - Returns: Whether the kernel knows; where there are no leases, nobody does.
  /// - Throws: `MigrationError` with `openElsewhere`.
  static func requireUnopened(_ file: StoreFile) throws(MigrationError) -> Bool {
    let library = try ExclusiveFile(file)
    let lease = library.takeLease()
    guard lease != .refused else { throw MigrationError(.openElsewhere, path: file.path) }
    return lease == .granted
  }

  /// Takes the locks and the lease.
  ///
  /// - Throws: `MigrationError` with `openElsewhere` when others have the library open: then nothing is held, and this can
  ///   be tried again; with `changedMeanwhile` when it is not what it was when it was opened here.
  func take() throws(MigrationError) {
    do throws(MigrationError) {
      let lease = takeLease()
      // Where there are no leases, as on most file servers, the system tells of some who have the file open. The others are
      // why it is retired in the end.
      guard lease != .refused, try lock(), lease == .granted || LockHolder.openers(of: [file.resolvedPath]).isEmpty
      else { throw MigrationError(.openElsewhere, path: file.path) }
      guard try isUnchanged() else { throw MigrationError(.changedMeanwhile, path: file.path) }
      try removeJournal()
    } catch {
      letGo()
      throw error
    }
  }

  /// Removes a journal that is done with.
  ///
  /// One that was to be rolled back has been by now. What is left was emptied by a run that died before it could remove
  /// it, or is kept on purpose by a program that is gone, and has no business beside another library.
  private func removeJournal() throws(MigrationError) {
    do throws(MigrationError) {
      try FileSystem.remove(file.resolvedPath + "-journal", orThrow: .cannotReplace)
    } catch {
      var error = error.about(file.path)
      error.detail = "its rollback journal cannot be removed" + (error.detail.map { " (\($0))" } ?? "")
      throw error
    }
  }

  /// Lets others have the file; those who waited for it go on.
  package func letGo() {
    // Where that fails, both end with the file, which is closed a moment later.
    var lock = Self.allLocks(F_UNLCK)
    _ = fcntl(contents.descriptor, Self.setLock, &lock)
    #if os(Linux)
      _ = fcntl(contents.descriptor, Self.setLease, Int32(F_UNLCK))
    #endif
    holdsLease = false
  }

  /// Makes sure that nobody has come to write to the library since it was taken.
  package func requireAlone() throws(MigrationError) {
    guard try isLed(to: file.resolvedPath) else { throw MigrationError(.changedMeanwhile, path: file.path) }
    guard !isAwaitedByWriter else { throw MigrationError(.openElsewhere, path: file.path) }
  }

  /// Whether the backup has to be a file of its own, and not a second name of this one.
  ///
  /// Without a lease, as on file servers and for a library of another user, nobody can tell who has the file open.
  var needsRetiring: Bool { !holdsLease }

  /// Sees to it that nobody writes to the file any more after another one has got its name.
  ///
  /// Somebody may have it open without any lock, where there is no lease; or has come at the very last moment, and waits to
  /// open what has been the library until then. The backup becomes a file of its own then, and the old file no database
  /// at all: whoever has it open gets an error. Other hard links of it are somebody's, and keep it as it is.
  ///
  /// - Parameter backup: The second name of the file, if it has one.
  /// - Returns: The warning that somebody may go on writing to the file, where it could not be made useless: the backup
  ///   matters more than the error for whoever has come too late.
  @discardableResult
  package func retire(backup: String?, by staging: StagingFile) -> MigrationError? {
    guard needsRetiring || isAwaitedByWriter else { return nil }
    var failure: MigrationError?
    // A disk that has failed once may not fail again.
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
    // A program that has the file mapped ends with a signal if that is cut off, so it is cut off only if need be.
    guard pwrite(contents.descriptor, nothing, nothing.count, 0) != nothing.count,
      ftruncate(contents.descriptor, 0) != 0
    else { return }
    throw FileSystem.failure(.inputOutput, file.path)
  }

  /// The status of the file by now, whatever its names lead to.
  package var currentStatus: FileStatus? { contents.status }

  /// Copies the library to a new file.
  ///
  /// - Parameter note: Gets the copy before it is compared with the library.
  package func copy(
    to path: String, noting note: ((FileStatus) throws(MigrationError) -> Void)? = nil
  ) throws(MigrationError) {
    try contents.copy(to: path, named: file.path, with: FileAttributes(of: file.resolvedPath), noting: note)
  }

  // MARK: - What it was

  /// Whether the library is what it was when it was opened here.
  ///
  /// A commit with a rollback journal raises the change counter in the header, and so does the change to a log.
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
    return OpenFile.read(descriptor, &bytes, at: 0).map { Array(bytes.prefix($0)) }
  }

  // MARK: - Locks

  /// Takes all the locks that SQLite has on a database in an exclusive transaction.
  ///
  /// They belong to this open file and not to the process, so closing another one does not end them.
  private func lock() throws(MigrationError) -> Bool {
    var lock = Self.allLocks(F_WRLCK)
    if fcntl(contents.descriptor, Self.setLock, &lock) == 0 { return true }
    guard errno == EAGAIN || errno == EACCES else { throw FileSystem.failure(.cannotReplace, file.path) }
    return false
  }

  private enum Lease { case granted, refused, unavailable }

  private func takeLease() -> Lease {
    #if os(Linux)
      // Whoever waits makes the kernel send a signal, which would end the process. This one is ignored by default.
      guard fcntl(contents.descriptor, Self.setSignal, SIGURG) == 0 else { return .unavailable }
      // Those who have only looked at it are gone at once.
      for _ in 1...Self.leaseAttempts {
        if fcntl(contents.descriptor, Self.setLease, Int32(F_WRLCK)) == 0 {
          holdsLease = true
          return .granted
        }
        // Whatever the reason: what is done without a lease is right everywhere.
        guard errno == EAGAIN else { return .unavailable }
        usleep(1_000)
      }
      return .refused
    #else
      return .unavailable
    #endif
  }

  /// Whether somebody waits to open the file for writing, or has got it since the kernel would not wait any longer.
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

  // The C library names these for GNU programs only, and Swift's modules are none.
  #if os(Linux)
    private static let setSignal: Int32 = 10
    private static let setLease: Int32 = 1024
    private static let getLease: Int32 = 1025
    private static let setLock: Int32 = 37
  #else
    private static let setLock: Int32 = 90
  #endif
}

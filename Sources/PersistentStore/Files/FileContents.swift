package import MigrationDiagnostics
internal import SQLiteDatabase
package import SystemC

/// Compares files without having them in memory.
package enum FileContents {
  /// Whether two files hold the same bytes.
  ///
  /// What cannot be read is like nothing else, and so is a symbolic link: what it leads to can be another file tomorrow.
  package static func areEqual(_ path: String, _ other: String) -> Bool {
    let descriptors = [path, other].map { openRegularFile($0, O_RDONLY) }
    defer { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }
    guard let first = FileStatus(descriptor: descriptors[0]), let second = FileStatus(descriptor: descriptors[1]),
      first.size == second.size
    else { return false }
    if first.isSameFile(as: second) { return true }
    while true {
      guard let block = block(descriptors[0]), let otherBlock = Self.block(descriptors[1]), block == otherBlock else {
        return false
      }
      if block.isEmpty { return true }
    }
  }

  /// The number of the error because of which a file cannot be read to its end; `nil` when it can be.
  ///
  /// It is for a store that has failed: to close the file ends the locks of this process on it.
  static func readFailure(_ path: String) -> Int32? {
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var offset: off_t = 0
    while true {
      // Holes are passed over: a file can seem larger than all disks.
      offset = lseek(descriptor, offset, nextData)
      // Past the end, or on a file system that cannot tell.
      guard offset >= 0 else { return errno == EIO ? EIO : nil }
      guard let block = block(descriptor) else { return errno }
      if block.isEmpty { return nil }
      offset += off_t(block.count)
    }
  }

  /// What makes `lseek` go on to the next bytes that are there.
  #if canImport(Darwin)
    private static let nextData = SEEK_DATA
  #else
    // The C library names it for GNU programs only, and Swift's modules are none.
    private static let nextData: Int32 = 3
  #endif

  private static func block(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    return FileSystem.read(descriptor, into: &bytes).map { Array(bytes.prefix($0)) }
  }
}

/// The properties of a SQLite file that a migration keeps.
package struct FileLayout: Sendable, Hashable {
  /// The size of a page in bytes.
  package var pageSize: Int64
  /// 0 none, 1 full, 2 incremental; Core Data uses 2.
  package var autoVacuum: Int64
  /// `UTF-8`, `UTF-16le` or `UTF-16be`.
  package var encoding: String
  /// The app's own number in the header (`PRAGMA user_version`).
  package var userVersion: Int64 = 0
  /// The app's own mark in the header (`PRAGMA application_id`).
  package var applicationID: Int64 = 0

  /// The layout of the stores that Core Data itself makes.
  package static let coreData = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: "UTF-8")

  /// Creates a layout.
  package init(pageSize: Int64, autoVacuum: Int64, encoding: String) {
    self.pageSize = pageSize
    self.autoVacuum = autoVacuum
    self.encoding = encoding
  }

  /// Reads the layout of an open database.
  init(_ connection: Connection) throws(SQLiteError) {
    pageSize = try connection.integer("PRAGMA page_size") ?? 4096
    autoVacuum = try connection.integer("PRAGMA auto_vacuum") ?? 0
    encoding = try connection.text("PRAGMA encoding") ?? "UTF-8"
    userVersion = try connection.integer("PRAGMA user_version") ?? 0
    applicationID = try connection.integer("PRAGMA application_id") ?? 0
  }
}

extension FileSystem {
  /// Opens what has to be a regular file, and waits for nothing.
  ///
  /// - Parameter name: The file as the user named it, for messages.
  package static func openFile(
    _ path: String, _ flags: Int32, orThrow code: MigrationError.Code, _ name: String? = nil
  ) throws(MigrationError) -> Int32 {
    let descriptor = openRegularFile(path, flags)
    guard descriptor >= 0 else {
      let number = errno
      // A program that holds a lease has not let go of the file yet.
      if number == EWOULDBLOCK { throw MigrationError(.locked, path: name ?? path) }
      var error = failure(code, name ?? path, number: number)
      error.detail = openingFailure(number)
      // Here no link is followed, wherever it leads.
      if number == ELOOP { error.advice = nil }
      throw error
    }
    return descriptor
  }

  /// Creates a file of this run's own, in the place of what a dead run has left there.
  ///
  /// What is there is removed and never used: somebody else may have made it, or have had it open since it could be read.
  ///
  /// - Parameter mode: Who may read it: nobody else, unless it is meant for others.
  package static func createFile(_ path: String, mode: mode_t = 0o600) throws(MigrationError) -> Int32 {
    try removeLeftover(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw errno == EEXIST ? obstacle(path) : failure(.cannotCreate, path) }
    return descriptor
  }

  /// Makes sure that a hidden name is free, or has what a run of this user's has left; only root may remove what others
  /// have left.
  ///
  /// - Returns: Whether there is anything.
  /// - Throws: `MigrationError`, which names the file, when it is somebody else's or no file at all.
  @discardableResult
  package static func requireNoObstacle(_ path: String) throws(MigrationError) -> Bool {
    guard let status = FileStatus(unresolved: path) else {
      guard errno == ENOENT || errno == ENOTDIR else { throw failure(.cannotCreate, path) }
      return false
    }
    guard status.kind == .regular || status.kind == .link, [status.userID, 0].contains(geteuid()) else {
      throw obstacle(path)
    }
    return true
  }

  /// Removes what a dead run has left under a hidden name.
  ///
  /// - Throws: `MigrationError`, which names the file, when it is somebody else's or no file at all.
  package static func removeLeftover(_ path: String) throws(MigrationError) {
    guard try requireNoObstacle(path) else { return }
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw [EPERM, EACCES, EBUSY].contains(errno) ? obstacle(path) : failure(.cannotCreate, path)
  }

  /// The error about a hidden name that is needed and that something has which is not ours.
  ///
  /// - Parameter name: What is to be created, as the user named it.
  static func obstacle(_ path: String, to name: String? = nil) -> MigrationError {
    let (reason, advice) =
      switch FileStatus(unresolved: path) {
      case let status? where status.userID != geteuid():
        (" and belongs to another user (\(status.userID))", "Remove it, unless that user's migration is running")
      case let status? where status.kind == .pipe || status.kind == .other:
        (" and is not a regular file", "Remove it")
      default: (" and cannot be removed", "Remove it")
      }
    var error = MigrationError(.cannotCreate, path: name ?? path, detail: "'\(path)' is in the way\(reason)")
    error.advice =
      fixedAttributeAdvice(path).map { "No data was changed. \($0)" }
      ?? "Nothing was changed. \(advice) and run this again."
    return error
  }

  /// Writes a whole file, replacing what is there.
  package static func write(_ bytes: [UInt8], to path: String) throws(MigrationError) {
    let descriptor = openRegularFile(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    guard descriptor >= 0 else { throw failure(.cannotCreate, path) }
    defer { close(descriptor) }
    try write(bytes, count: bytes.count, to: descriptor, named: path)
  }

  /// Writes bytes to what is no regular file: a pipe or a device, or a link to one.
  ///
  /// - Parameter isCancelled: Asked again and again while nobody takes the bytes: a wait inside the system would go on
  ///   after a signal.
  package static func writeToDevice(
    _ bytes: [UInt8], at path: String, isCancelled: () -> Bool = { false }
  ) throws(MigrationError) {
    let isPipe = FileStatus(path)?.kind == .pipe
    var descriptor: Int32 = -1
    while true {
      descriptor = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      // Nobody reads from the pipe yet.
      guard descriptor < 0, errno == EINTR || errno == ENXIO && isPipe else { break }
      if isCancelled() { throw MigrationError(.interrupted, path: path) }
      usleep(50_000)
    }
    guard descriptor >= 0 else { throw failure(.cannotCreate, path) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let step = bytes.withUnsafeBytes { buffer in
        SystemC.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      if step > 0 { written += step }
      guard step <= 0 else { continue }
      guard step < 0, errno == EINTR || errno == EAGAIN else { throw failure(.inputOutput, path) }
      if isCancelled() { throw MigrationError(.interrupted, path: path) }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&request, 1, 100)
    }
  }

  /// Fills a buffer from an open file, which may give its bytes in portions.
  ///
  /// - Returns: How many bytes there are, fewer than the buffer holds only at the end of the file; `nil` with `errno` set
  ///   when they cannot be read.
  package static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Int? {
    var count = 0
    while count < bytes.count {
      let step = bytes.withUnsafeMutableBytes { buffer in
        SystemC.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if step < 0, errno == EINTR { continue }
      guard step >= 0 else { return nil }
      if step == 0 { break }
      count += step
    }
    return count
  }

  /// Reads a whole file.
  package static func contents(of path: String) throws(MigrationError) -> [UInt8] {
    let descriptor = try openFile(path, O_RDONLY, orThrow: .unreadable)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      guard let count = read(descriptor, into: &block) else { throw failure(.unreadable, path) }
      bytes += block.prefix(count)
      if count < block.count { return bytes }
    }
  }

  /// Writes all of some bytes to an open file.
  package static func write(
    _ bytes: [UInt8], count: Int, to descriptor: Int32, named path: String
  ) throws(MigrationError) {
    var written = 0
    while written < count {
      let step = bytes.withUnsafeBytes { buffer in
        SystemC.write(descriptor, buffer.baseAddress?.advanced(by: written), count - written)
      }
      if step < 0, errno == EINTR, !EndRequest.isMade { continue }
      guard step > 0 else { throw failure(.inputOutput, path) }
      written += step
    }
  }

  /// Copies a file, with all that it has besides its bytes, to a new file, and makes sure that it is on the disk, and the
  /// same.
  package static func copy(_ path: String, to other: String) throws(MigrationError) {
    try OpenFile(descriptor: try openFile(path, O_RDONLY, orThrow: .unreadable))
      .copy(to: other, named: path, with: FileAttributes(of: path))
  }
}

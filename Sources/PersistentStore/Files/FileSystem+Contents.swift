package import Diagnostics
package import SystemC

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

  /// Removes what a dead run has left under a hidden name.
  ///
  /// - Throws: `MigrationError`, which names the file, when it is somebody else's or no file at all.
  package static func removeLeftover(_ path: String) throws(MigrationError) {
    guard let status = FileStatus(unresolved: path) else {
      guard errno == ENOENT || errno == ENOTDIR else { throw failure(.cannotCreate, path) }
      return
    }
    guard status.kind == .regular || status.kind == .link else { throw obstacle(path) }
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
    error.advice = "Nothing was changed. \(advice), then run the command again."
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

internal import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase
package import SystemC

/// Compares files without loading them into memory.
package enum FileContents {
  /// Whether two files have the same bytes.
  ///
  /// Files that cannot be read are not equal, and neither are symbolic links, whose target can change.
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

  /// The error number if a file cannot be read to its end; `nil` if it can.
  ///
  /// Use it only for a store that has failed: closing the file releases this process's locks on it.
  static func readFailure(_ path: String) -> Int32? {
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var offset: off_t = 0
    while true {
      // Holes are skipped: a sparse file can appear larger than any disk.
      offset = FileSystem.nextData(descriptor, from: offset)
      // Past the end, or not supported by the file system.
      guard offset >= 0 else { return errno == EIO ? EIO : nil }
      guard let block = block(descriptor) else { return errno }
      if block.isEmpty { return nil }
      offset += off_t(block.count)
    }
  }

  private static func block(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    return FileSystem.read(descriptor, into: &bytes).map { Array(bytes.prefix($0)) }
  }
}

/// The properties of an SQLite file that a migration keeps.
package struct FileLayout: Sendable, Hashable {
  /// The size of a page in bytes.
  package var pageSize: Int64
  /// 0 none, 1 full, 2 incremental; Core Data uses 2.
  package var autoVacuum: Int64
  /// `UTF-8`, `UTF-16le` or `UTF-16be`.
  package var encoding: String
  /// The app's own number in the header (`PRAGMA user_version`).
  package var userVersion: Int64 = 0
  /// The app's own id in the header (`PRAGMA application_id`).
  package var applicationID: Int64 = 0

  /// The layout of the stores that Core Data creates.
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
  /// Moves to the next data that is not in a hole of a file.
  ///
  /// - Returns: Its offset; -1 past the end, or if the file system does not support this.
  package static func nextData(_ descriptor: Int32, from offset: off_t) -> off_t {
    #if canImport(Darwin)
      lseek(descriptor, offset, SEEK_DATA)
    #else
      // The C library declares SEEK_DATA only with _GNU_SOURCE, which Swift's module does not define.
      lseek(descriptor, offset, 3)
    #endif
  }

  /// Opens a file without waiting, and only if it is a regular file.
  ///
  /// - Parameter name: The file as the user named it, for messages.
  package static func openFile(
    _ path: String, _ flags: Int32, orThrow code: MigrationError.Code, _ name: String? = nil
  ) throws(MigrationError) -> Int32 {
    let descriptor = openRegularFile(path, flags)
    guard descriptor >= 0 else {
      let number = errno
      // A program that holds a lease has not released the file yet.
      if number == EWOULDBLOCK { throw MigrationError(.locked, path: name ?? path) }
      var error = failure(code, name ?? path, number: number)
      if number == ELOOP, let advice = linkAdvice(path) {
        (error.detail, error.advice) = ("it is a symbolic link", advice)
      }
      if number == notARegularFile {
        error.advice = "Nothing was changed. Put a regular file there, or move this away."
      }
      throw error
    }
    return descriptor
  }

  /// What to do about a symbolic link in the place of a file that is found by its name; `nil` if there is none.
  ///
  /// Such a link could lead to anybody's file, so it is not followed.
  package static func linkAdvice(_ path: String) -> Advice? {
    guard FileStatus(unresolved: path)?.kind == .link else { return nil }
    let word = ErrorMessage.shellPath(path)
    return
      "Nothing was changed. Links with a name that belongs to a library are not followed: put the file itself there, with: "
      + "cp -L \(word) \(word).new && mv \(word).new \(word)"
  }

  /// Creates a file of this run, replacing what an interrupted run has left.
  ///
  /// An existing file is removed and never used: another user may have created it, or may have had it open since it was
  /// readable.
  /// Only this user can read the new one.
  package static func createFile(_ path: String) throws(MigrationError) -> Int32 {
    try removeLeftover(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw errno == EEXIST ? obstacle(path) : failure(.cannotCreate, path) }
    return descriptor
  }

  /// Checks that a hidden name is free, or taken by a file that a run of this user has left.
  ///
  /// Only root may remove the files of others.
  ///
  /// - Returns: Whether there is such a file.
  /// - Throws: `MigrationError` with the file's name if it belongs to another user or is not a file.
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

  /// Removes the hidden file that an interrupted run has left.
  ///
  /// - Throws: `MigrationError` with the file's name if it belongs to another user or is not a file.
  package static func removeLeftover(_ path: String) throws(MigrationError) {
    guard try requireNoObstacle(path) else { return }
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw [EPERM, EACCES, EBUSY].contains(errno) ? obstacle(path) : failure(.cannotCreate, path)
  }

  /// The error for a hidden name that is taken by something that is not ours.
  ///
  /// - Parameter name: The file to create, as the user named it.
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

  /// Writes a whole file, replacing an existing one.
  package static func write(_ bytes: [UInt8], to path: String) throws(MigrationError) {
    let descriptor = openRegularFile(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    guard descriptor >= 0 else { throw failure(.cannotCreate, path) }
    defer { close(descriptor) }
    try write(bytes, count: bytes.count, to: descriptor, named: path)
  }

  /// Opens a pipe or a device for writing, without blocking writes.
  ///
  /// - Parameter isCancelled: Called repeatedly while no program has the pipe open for reading.
  package static func openDevice(
    _ path: String, isCancelled: () -> Bool = { EndRequest.isMade }
  ) throws(MigrationError) -> Int32 {
    let isPipe = FileStatus(path)?.kind == .pipe
    var descriptor: Int32 = -1
    while true {
      descriptor = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      // The pipe has no reader yet.
      guard descriptor < 0, errno == EINTR || errno == ENXIO && isPipe else { break }
      if isCancelled() { throw MigrationError(.interrupted, path: path) }
      usleep(50_000)
    }
    guard descriptor >= 0 else { throw failure(.cannotCreate, path) }
    return descriptor
  }

  /// Writes bytes to a pipe or a device, or through a link to one.
  ///
  /// - Parameter isCancelled: Called repeatedly while no program reads the bytes: a wait inside the system would
  ///   continue after a signal.
  package static func writeToDevice(
    _ bytes: [UInt8], at path: String, isCancelled: () -> Bool = { EndRequest.isMade }
  ) throws(MigrationError) {
    let descriptor = try openDevice(path, isCancelled: isCancelled)
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let step = bytes.withUnsafeBytes { buffer in
        SystemC.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      guard step < 0 else {
        written += step
        continue
      }
      guard errno == EINTR || errno == EAGAIN else { throw failure(.inputOutput, path) }
      if isCancelled() { throw MigrationError(.interrupted, path: path) }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&request, 1, 100)
    }
  }

  /// Fills a buffer from an open file, which may return its bytes in portions.
  ///
  /// - Parameter offset: Where to begin; by default, at the descriptor's position, which moves on.
  /// - Returns: The number of bytes, which is less than the size of the buffer only at the end of the file; `nil` with `errno`
  ///   set if they cannot be read.
  package static func read(_ descriptor: Int32, into bytes: inout [UInt8], at offset: off_t? = nil) -> Int? {
    bytes.withUnsafeMutableBytes { read(descriptor, into: $0, at: offset) }
  }

  /// Fills a buffer in the same way.
  package static func read(
    _ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer, at offset: off_t? = nil
  ) -> Int? {
    var count = 0
    while count < bytes.count {
      let (start, size) = (bytes.baseAddress?.advanced(by: count), bytes.count - count)
      let step =
        if let offset { pread(descriptor, start, size, offset + off_t(count)) } else {
          SystemC.read(descriptor, start, size)
        }
      if step < 0, errno == EINTR, !EndRequest.isMade { continue }
      guard step >= 0 else { return nil }
      if step == 0 { break }
      count += step
    }
    return count
  }

  /// Reads a whole file.
  package static func contents(of path: String) throws(MigrationError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece(of: path) { bytes += $0 }
    return bytes
  }

  /// Reads a whole file that a person has named.
  ///
  /// Other than a file that this program finds by its name, it may be a symbolic link, unless a stranger has put it there,
  /// and a pipe, such as a shell's `<(…)`.
  package static func contents(ofInput path: String) throws(MigrationError) -> [UInt8] {
    func failed(_ number: Int32 = errno) -> MigrationError {
      // A program that holds a lease has not released the file yet.
      if number == EWOULDBLOCK { return MigrationError(.locked, path: path) }
      return failure(.unreadable, path, number: number)
    }
    guard !isStrangersLink(path) else { throw failed(EACCES) }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }
    // The writer of a pipe with a name may not be there yet; that of another one has been.
    let awaitsWriter = FileStatus(descriptor: descriptor)?.kind == .pipe && !isDescriptor(path)
    var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      if EndRequest.isMade { throw MigrationError(.interrupted, path: path) }
      let count = SystemC.read(descriptor, &block, block.count)
      if count > 0 {
        bytes += block[..<count]
        guard bytes.count <= longestInput else {
          var error = MigrationError(.unreadable, path: path, detail: "it is longer than 512 MiB")
          error.advice = "Nothing was changed. Check that it is the file you meant; no longer one can be used here."
          throw error
        }
      } else if count == 0, !awaitsWriter || !bytes.isEmpty {
        return bytes
      } else if count == 0 || errno == EAGAIN {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, 100)
      } else if errno != EINTR {
        throw failed()
      }
    }
  }

  /// Reads the beginning of a regular file that a person has named, which may be a link.
  package static func beginning(ofInput path: String, count: Int) throws(MigrationError) -> [UInt8] {
    let descriptor = try openFile(resolved(path) ?? path, O_RDONLY, orThrow: .unreadable, path)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    guard let found = read(descriptor, into: &bytes) else { throw failure(.unreadable, path) }
    return Array(bytes.prefix(found))
  }

  /// No file that is read as a whole is longer; an endless device would fill the memory.
  private static let longestInput = 512 << 20

  /// The SHA-256 hash of a file's bytes.
  package static func sha256(of path: String) throws(MigrationError) -> [UInt8] {
    try Digest.sha256 { add throws(MigrationError) in try forEachPiece(of: path, add) }
  }

  /// Reads standard input to its end.
  ///
  /// - Throws: `MigrationError` with `unreadable` if it is closed, a folder, or cannot be read for another reason.
  package static func contentsOfStandardInput() throws(MigrationError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece(of: STDIN_FILENO, named: "standard input") { bytes += $0 }
    return bytes
  }

  /// An error with what the last call says of standard input.
  package static func standardInputFailure() -> MigrationError {
    // In place of a closed one there is a socket without a peer (`ProcessSetup`).
    let isClosed = [EBADF, EINVAL, ENOTCONN].contains(errno)
    var error = failure(.unreadable, "standard input")
    if isClosed { error.detail = "it is closed" }
    if error.code == .unreadable { error.advice = "Nothing was changed. Connect it to a file or to a pipe." }
    return error
  }

  private static func forEachPiece(of path: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(MigrationError) {
    let descriptor = try openFile(path, O_RDONLY, orThrow: .unreadable)
    defer { close(descriptor) }
    try forEachPiece(of: descriptor, named: path, body)
  }

  private static func forEachPiece(
    of descriptor: Int32, named path: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(MigrationError) {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      guard let count = read(descriptor, into: &block) else {
        throw descriptor == STDIN_FILENO ? standardInputFailure() : failure(.unreadable, path)
      }
      block.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      if count < block.count { return }
    }
  }

  /// Writes bytes to an open file.
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

  /// Writes a new file of this run, which only this user may read.
  package static func write(_ bytes: [UInt8], toNewFileAt path: String) throws(MigrationError) {
    let descriptor = try createFile(path)
    defer { close(descriptor) }
    try write(bytes, count: bytes.count, to: descriptor, named: path)
  }

  /// Copies a file with its metadata to a new file, writes it to the disk, and compares the two.
  package static func copy(_ path: String, to other: String) throws(MigrationError) {
    try OpenFile(descriptor: try openFile(path, O_RDONLY, orThrow: .unreadable))
      .copy(to: other, named: path, with: FileAttributes(of: path))
  }
}

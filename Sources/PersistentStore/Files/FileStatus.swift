internal import MigrationDiagnostics
internal import SystemC

/// What the file system says of a path.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case regular, directory, link, pipe, other }

  package let kind: Kind
  /// The size in bytes.
  package let size: Int64
  package let mode: UInt32
  package let userID: UInt32
  package let groupID: UInt32
  /// Together with the device: which file it is, whatever its names are.
  package let fileNumber: UInt64
  package let device: UInt64
  package let linkCount: UInt64
  /// When the file's bytes or its status last changed, in nanoseconds.
  package let changeTime: Int64
  /// When the file's bytes last changed, in nanoseconds.
  package let modificationTime: Int64

  /// Asks for the status of what a path leads to; `nil` with `errno` set when there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Asks for the status of what stands under a name itself, be it a symbolic link.
  package init?(unresolved path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Asks for the status of an open file.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      default: .other
      }
    size = Int64(status.st_size)
    mode = UInt32(status.st_mode & 0o7777)
    userID = status.st_uid
    groupID = status.st_gid
    fileNumber = UInt64(status.st_ino)
    device = UInt64(status.st_dev)
    linkCount = UInt64(status.st_nlink)
    #if canImport(Darwin)
      let (change, modification) = (status.st_ctimespec, status.st_mtimespec)
    #else
      let (change, modification) = (status.st_ctim, status.st_mtim)
    #endif
    func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ Int64(time.tv_nsec)
    }
    (changeTime, modificationTime) = (nanoseconds(change), nanoseconds(modification))
  }

  /// Whether this is the same file as another, perhaps under another name.
  package func isSameFile(as other: FileStatus) -> Bool {
    fileNumber == other.fileNumber && device == other.device
  }

  /// Whether it belongs to the same people, who may do the same with it.
  func hasSameOwnership(as other: FileStatus) -> Bool {
    mode == other.mode && userID == other.userID && groupID == other.groupID
  }

  /// Gives another file this owner, group and mode, as far as this user may.
  ///
  /// - Parameter mask: The rights that the other file can have.
  /// - Returns: Whether it has all of that now.
  func giveOwnership(toFileAt path: String, mask: UInt32 = 0o7777) -> Bool {
    let isOwned = lchown(path, userID, groupID) == 0
    return chmod(path, mode_t(mode & mask)) == 0 && isOwned
  }
}

/// A file that is closed when this is released.
package final class OpenFile {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The status of the file, whatever its names lead to by now.
  var status: FileStatus? { FileStatus(descriptor: descriptor) }

  /// Copies the file's bytes to a new file, and makes sure that they are on the disk and the same.
  ///
  /// - Parameters:
  ///   - name: This file as the user named it, for messages.
  ///   - attributes: What it has besides its bytes.
  ///   - note: Gets the copy as soon as it is on the disk, before it is compared: nothing should come between that
  ///     and its use.
  func copy(
    to path: String, named name: String, with attributes: FileAttributes,
    noting note: ((FileStatus) throws(MigrationError) -> Void)? = nil
  ) throws(MigrationError) {
    let destination = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard destination >= 0 else { throw FileSystem.failure(.cannotCreate, path) }
    defer { close(destination) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var offset: off_t = 0
    while true {
      guard let count = Self.read(descriptor, &buffer, at: offset) else {
        throw FileSystem.failure(.inputOutput, name)
      }
      if count == 0 { break }
      try FileSystem.write(buffer, count: count, to: destination, named: path)
      offset += off_t(count)
    }
    try attributes.give(to: destination, named: path)
    // Last of all: the permissions would be lost in a power cut otherwise.
    guard fsync(destination) == 0 else { throw FileSystem.failure(.inputOutput, path) }
    if let note {
      guard let copy = FileStatus(descriptor: destination) else { throw FileSystem.failure(.inputOutput, path) }
      try note(copy)
    }
    guard hasSameBytes(as: path) else {
      throw MigrationError(.inputOutput, path: path, detail: "the copy differs from the library")
    }
  }

  /// Whether another file holds the same bytes.
  private func hasSameBytes(as path: String) -> Bool {
    let other = openRegularFile(path, O_RDONLY)
    guard other >= 0 else { return false }
    defer { close(other) }
    var (bytes, otherBytes) = ([UInt8](repeating: 0, count: 1 << 20), [UInt8](repeating: 0, count: 1 << 20))
    var offset: off_t = 0
    while true {
      guard let count = Self.read(descriptor, &bytes, at: offset),
        let otherCount = Self.read(other, &otherBytes, at: offset), count == otherCount,
        bytes.prefix(count) == otherBytes.prefix(count)
      else { return false }
      if count == 0 { return true }
      offset += off_t(count)
    }
  }

  /// Fills a block as far as the file reaches; `nil` when it cannot be read.
  static func read(_ descriptor: Int32, _ bytes: inout [UInt8], at offset: off_t) -> Int? {
    var filled = 0
    while filled < bytes.count {
      let step = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, offset + off_t(filled))
      }
      if step < 0, errno == EINTR { continue }
      guard step >= 0 else { return nil }
      if step == 0 { break }
      filled += step
    }
    return filled
  }
}

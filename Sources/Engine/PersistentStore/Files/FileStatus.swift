internal import MigrationDiagnostics
internal import SystemC

/// The status of a file.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case regular, directory, link, pipe, other }

  package let kind: Kind
  /// The size in bytes.
  package let size: Int64
  package let mode: UInt32
  package let userID: UInt32
  package let groupID: UInt32
  /// The inode; together with the device, it identifies the file under any name.
  package let fileNumber: UInt64
  package let device: UInt64
  package let linkCount: UInt64
  /// When the file's bytes or its status last changed, in nanoseconds.
  package let changeTime: Int64
  /// When the file's bytes last changed, in nanoseconds.
  package let modificationTime: Int64

  /// Gets the status of the file that a path leads to; `nil` with `errno` set if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Gets the status of a path itself, which may be a symbolic link.
  package init?(unresolved path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Gets the status of an open file.
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

  /// Whether this is the same file as another one, possibly under another name.
  package func isSameFile(as other: FileStatus) -> Bool {
    fileNumber == other.fileNumber && device == other.device
  }

  /// Whether it has the same owner, group and permissions.
  func hasSameOwnership(as other: FileStatus) -> Bool {
    mode == other.mode && userID == other.userID && groupID == other.groupID
  }

  /// Applies this owner, group and mode to another file, as far as this user may.
  ///
  /// - Parameter mask: The permissions that the other file may have.
  /// - Returns: Whether that succeeded completely.
  func giveOwnership(toFileAt path: String, mask: UInt32 = 0o7777) -> Bool {
    let isOwned = lchown(path, userID, groupID) == 0
    return chmod(path, mode_t(mode & mask)) == 0 && isOwned
  }
}

/// An open file, which is closed when this object is released.
package final class OpenFile {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The status of the open file, whatever its names lead to now.
  var status: FileStatus? { FileStatus(descriptor: descriptor) }

  /// Copies the file's bytes to a new file, writes them to the disk, and compares the two.
  ///
  /// - Parameters:
  ///   - name: This file as the user named it, for messages.
  ///   - attributes: The metadata of the file.
  ///   - note: Called with the copy as soon as it is on the disk and before it is compared: nothing should happen between
  ///     the comparison and its use.
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
      guard let count = FileSystem.read(descriptor, into: &buffer, at: offset) else {
        throw FileSystem.failure(.inputOutput, name)
      }
      if count == 0 { break }
      try FileSystem.write(buffer, count: count, to: destination, named: path)
      offset += off_t(count)
    }
    try attributes.give(to: destination, named: path)
    // Last, or a power failure could lose the permissions.
    guard fsync(destination) == 0 else { throw FileSystem.failure(.inputOutput, path) }
    if let note {
      guard let copy = FileStatus(descriptor: destination) else { throw FileSystem.failure(.inputOutput, path) }
      try note(copy)
    }
    guard hasSameBytes(as: path) else {
      throw MigrationError(.inputOutput, path: path, detail: "the copy differs from the library")
    }
  }

  /// Whether another file has the same bytes.
  private func hasSameBytes(as path: String) -> Bool {
    let other = openRegularFile(path, O_RDONLY)
    guard other >= 0 else { return false }
    defer { close(other) }
    var (bytes, otherBytes) = ([UInt8](repeating: 0, count: 1 << 20), [UInt8](repeating: 0, count: 1 << 20))
    var offset: off_t = 0
    while true {
      guard let count = FileSystem.read(descriptor, into: &bytes, at: offset),
        let otherCount = FileSystem.read(other, into: &otherBytes, at: offset), count == otherCount,
        bytes.prefix(count) == otherBytes.prefix(count)
      else { return false }
      if count == 0 { return true }
      offset += off_t(count)
    }
  }
}

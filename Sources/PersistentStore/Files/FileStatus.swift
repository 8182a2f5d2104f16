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
      let time = status.st_ctimespec
    #else
      let time = status.st_ctim
    #endif
    changeTime = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ Int64(time.tv_nsec)
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

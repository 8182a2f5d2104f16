package import Diagnostics
internal import SystemC

/// What a file has besides its bytes: owner, group, permissions, access control list and extended attributes.
package struct FileAttributes {
  private let status: FileStatus
  private let accessList: AccessControlList?
  private let values: [String: [UInt8]]
  /// The names of those that may not be read.
  private var unreadable: [String] = []

  /// Reads what a file or folder has.
  package init(of path: String) throws(MigrationError) {
    // By its name: to close the file would end the locks that this process has on it.
    guard let status = FileStatus(unresolved: path) else { throw FileSystem.failure(.unreadable, path) }
    self.status = status
    var values: [String: [UInt8]] = [:]
    for name in try ExtendedAttributes.names(of: path) where !Self.attributesOfContents.contains(name) {
      if let value = try ExtendedAttributes.value(name, of: path) {
        values[name] = value
      } else {
        unreadable.append(name)
      }
    }
    accessList = values.removeValue(forKey: AccessControlList.attribute).flatMap { AccessControlList($0) }
    self.values = values
  }

  /// The owner.
  var userID: UInt32 { status.userID }

  /// What the kernel itself keeps about a file's bytes: of other bytes it would be untrue.
  private static let attributesOfContents: Set<String> = ["security.capability", "security.evm", "security.ima"]

  /// Gives another file all of it.
  ///
  /// At no instant has anybody more rights on the file than on the first one.
  ///
  /// - Returns: What it cannot have, for people.
  /// - Throws: `MigrationError` when the file system fails. That it knows no owners or attributes is no failure.
  @discardableResult
  func give(to descriptor: Int32, named path: String) throws(MigrationError) -> [String] {
    var lost = unreadable
    // First, while the file is still ours.
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      if try !ExtendedAttributes.set(name, to: value, of: descriptor, named: path) { lost.append(name) }
    }
    return try giveAccess(to: descriptor, named: path) + lost
  }

  /// Gives another file the owner, the group and who may read and write it, as `give` does.
  ///
  /// - Parameter isDocument: Whether it is a file to read, which nobody runs.
  @discardableResult
  private func giveAccess(
    to descriptor: Int32, named path: String, isDocument: Bool = false
  ) throws(MigrationError) -> [String] {
    var lost: [String] = []
    // Only root may give files away; anybody else may still hand them to a group of their own, so that comes first.
    try Self.check(fchown(descriptor, uid_t.max, status.groupID), path)
    try Self.check(fchown(descriptor, status.userID, gid_t.max), path)
    guard let now = FileStatus(descriptor: descriptor) else { throw FileSystem.failure(.inputOutput, path) }
    var (mode, accessList) = (status.mode, accessList)
    if isDocument { mode &= 0o666 }
    if now.groupID != status.groupID {
      // What the group may do, another group may not, unless everybody may.
      if accessList == nil { mode &= ~0o070 | mode << 3 }
      accessList?.limitGroup()
      lost.append("group")
    }
    if now.groupID != status.groupID || now.userID != status.userID { mode &= 0o1777 }
    if let accessList {
      let bytes = accessList.bytes
      if try !ExtendedAttributes.set(AccessControlList.attribute, to: bytes, of: descriptor, named: path) {
        mode = accessList.permissions(insteadOf: mode)
        lost.append("access control list")
      }
    } else {
      // That of the folder, which new files get.
      try ExtendedAttributes.remove(AccessControlList.attribute, of: descriptor, named: path)
    }
    try Self.check(fchmod(descriptor, mode_t(mode)), path)
    return lost
  }

  private static func check(_ result: Int32, _ path: String) throws(MigrationError) {
    guard result == 0 || [EPERM, EINVAL, EOPNOTSUPP, ENOSYS].contains(errno) else {
      throw FileSystem.failure(.inputOutput, path)
    }
  }
}

extension FileAttributes {
  /// Gives a complete file that tells of this one to those who may read this one, and makes sure that it is on the disk.
  package func giveAccess(toDocumentAt path: String) throws(MigrationError) {
    let descriptor = try FileSystem.openFile(path, O_RDWR, orThrow: .inputOutput)
    defer { close(descriptor) }
    try giveAccess(to: descriptor, named: path, isDocument: true)
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  /// Gives all of it to a folder.
  func give(toFolderAt path: String) throws(MigrationError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystem.failure(.inputOutput, path) }
    defer { close(descriptor) }
    try give(to: descriptor, named: path)
  }
}

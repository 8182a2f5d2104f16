package import MigrationDiagnostics
internal import SystemC

/// A file's metadata: owner, group, permissions, access control list and extended attributes.
package struct FileAttributes {
  private let status: FileStatus
  private let accessList: AccessControlList?
  private let values: [String: [UInt8]]
  /// The names of extended attributes that cannot be read.
  private var unreadable: [String] = []

  /// Reads the metadata of a file or folder.
  package init(of path: String) throws(MigrationError) {
    // By its name, because closing the file would release this process's locks on it.
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

  /// Attributes that the kernel derives from a file's bytes: they would be wrong for other bytes.
  private static let attributesOfContents: Set<String> = ["security.capability", "security.evm", "security.ima"]

  /// Applies the metadata to another file.
  ///
  /// At no time does any user have more access to that file than to the first one.
  ///
  /// - Returns: The parts that could not be applied, as text for people.
  /// - Throws: `MigrationError` if the file system fails, but not if it does not support owners or attributes.
  @discardableResult
  func give(to descriptor: Int32, named path: String) throws(MigrationError) -> [String] {
    var lost = unreadable
    // First, while the file still belongs to this user.
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      if try !ExtendedAttributes.set(name, to: value, of: descriptor, named: path) { lost.append(name) }
    }
    return try giveAccess(to: descriptor, named: path) + lost
  }

  /// Applies the owner, the group and the permissions to another file, as `give` does.
  ///
  /// - Parameter isDocument: Whether the file must not be executable.
  @discardableResult
  private func giveAccess(
    to descriptor: Int32, named path: String, isDocument: Bool = false
  ) throws(MigrationError) -> [String] {
    var lost: [String] = []
    // Only root may change the owner, but anybody may change to a group of their own, so that comes first.
    try Self.check(fchown(descriptor, uid_t.max, status.groupID), path)
    try Self.check(fchown(descriptor, status.userID, gid_t.max), path)
    guard let now = FileStatus(descriptor: descriptor) else { throw FileSystem.failure(.inputOutput, path) }
    var (mode, accessList) = (status.mode, accessList)
    if isDocument { mode &= 0o666 }
    if now.groupID != status.groupID {
      // Another group does not get the rights of the group, unless everybody has them.
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
      // New files get the list of the folder.
      try ExtendedAttributes.remove(AccessControlList.attribute, of: descriptor, named: path)
    }
    try Self.check(fchmod(descriptor, mode_t(mode)), path)
    return lost
  }

  /// Accepts that this user may not, or the file system cannot.
  static func check(_ result: Int32, _ path: String) throws(MigrationError) {
    guard result == 0 || [EPERM, EINVAL, EOPNOTSUPP, ENOSYS].contains(errno) else {
      throw FileSystem.failure(.inputOutput, path)
    }
  }
}

extension FileAttributes {
  /// Makes a complete file about this one readable for those who may read this one, and writes it to the disk.
  package func giveAccess(toDocumentAt path: String) throws(MigrationError) {
    let descriptor = try FileSystem.openFile(path, O_RDWR, orThrow: .inputOutput)
    defer { close(descriptor) }
    try giveAccess(to: descriptor, named: path, isDocument: true)
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  /// Applies the metadata to a folder.
  func give(toFolderAt path: String) throws(MigrationError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystem.failure(.inputOutput, path) }
    defer { close(descriptor) }
    try give(to: descriptor, named: path)
  }
}

/// The system calls for extended attributes.
enum ExtendedAttributes {
  /// The names of all attributes; none if the file system does not support them.
  static func names(of path: String) throws(MigrationError) -> [String] {
    guard let bytes = try value(path, { llistxattr(path, $0, $1) }) else { return [] }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of an attribute; `nil` if there is none, or it cannot be read.
  static func value(_ name: String, of path: String) throws(MigrationError) -> [UInt8]? {
    try value(path) { lgetxattr(path, name, $0, $1) }
  }

  /// Sets a value, unless the file has it already.
  ///
  /// - Returns: Whether the file has it now.
  static func set(
    _ name: String, to value: [UInt8], of descriptor: Int32, named path: String
  ) throws(MigrationError) -> Bool {
    if try self.value(path, { fgetxattr(descriptor, name, $0, $1) }) == value { return true }
    return try isDone(fsetxattr(descriptor, name, value, value.count, 0), path)
  }

  /// Removes an attribute, if it exists.
  static func remove(_ name: String, of descriptor: Int32, named path: String) throws(MigrationError) {
    _ = try isDone(fremovexattr(descriptor, name), path)
  }

  /// Gets a value of unknown size.
  private static func value(
    _ path: String, _ get: (UnsafeMutablePointer<CChar>?, Int) -> Int
  ) throws(MigrationError) -> [UInt8]? {
    while true {
      let size = get(nil, 0)
      guard try isDone(size, path) else { return nil }
      var bytes = [CChar](repeating: 0, count: size)
      let count = size == 0 ? 0 : get(&bytes, size)
      // It has grown in the meantime.
      if count < 0, errno == ERANGE { continue }
      guard try isDone(count, path) else { return nil }
      return bytes.prefix(count).map { UInt8(bitPattern: $0) }
    }
  }

  /// Whether a call has succeeded; only a failing disk is an error.
  private static func isDone(_ result: some BinaryInteger, _ path: String) throws(MigrationError) -> Bool {
    guard result < 0 else { return true }
    if [EIO, ENOMEM].contains(errno) { throw FileSystem.failure(.inputOutput, path) }
    return false
  }
}

#if canImport(Darwin)
  // The same calls with more parameters. Access control lists are not extended attributes here.
  private func llistxattr(_ path: String, _ names: UnsafeMutablePointer<CChar>?, _ size: Int) -> Int {
    listxattr(path, names, size, XATTR_NOFOLLOW)
  }
  private func lgetxattr(_ path: String, _ name: String, _ value: UnsafeMutableRawPointer?, _ size: Int) -> Int {
    getxattr(path, name, value, size, 0, XATTR_NOFOLLOW)
  }
  private func fgetxattr(_ file: Int32, _ name: String, _ value: UnsafeMutableRawPointer?, _ size: Int) -> Int {
    SystemC.fgetxattr(file, name, value, size, 0, 0)
  }
  private func fsetxattr(_ file: Int32, _ name: String, _ value: [UInt8], _ size: Int, _ flags: Int32) -> Int32 {
    SystemC.fsetxattr(file, name, value, size, 0, flags)
  }
  private func fremovexattr(_ file: Int32, _ name: String) -> Int32 { SystemC.fremovexattr(file, name, 0) }
#endif

/// A file's access control list in the format of Linux (`linux/posix_acl_xattr.h`).
struct AccessControlList {
  /// The extended attribute that holds it.
  static let attribute = "system.posix_acl_access"
  /// The extended attribute of a folder that holds the list of new files in it.
  static let defaultAttribute = "system.posix_acl_default"

  /// The number 2 in four bytes, then for each entry the tag and the rights in two bytes each, and an id in four.
  private(set) var bytes: [UInt8]

  private enum Tag: UInt8 {
    case owner = 0x01, user = 0x02, group = 0x04, namedGroup = 0x08, mask = 0x10, others = 0x20
  }

  /// Reads the attribute's value; `nil` if its format is unknown.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4, bytes.count % 8 == 4, bytes.starts(with: [2, 0, 0, 0]) else { return nil }
    self.bytes = bytes
  }

  /// Reads a list of a file or folder; `nil` if it has none, or none that can be read.
  init?(_ attribute: String, of path: String) {
    guard let bytes = try? ExtendedAttributes.value(attribute, of: path) else { return nil }
    self.init(bytes)
  }

  /// The permissions of a file with this list, as `ls` shows them.
  var mode: UInt32 {
    common(.owner) << 6 | (entries(.mask).isEmpty ? common(.group) : common(.mask)) << 3 | common(.others)
  }

  /// Whether the users and groups that it names are those of another list, with the same rights.
  func hasSameEntries(as other: AccessControlList) -> Bool {
    func named(_ list: AccessControlList) -> [ArraySlice<UInt8>] {
      list.entries(.user, .group, .namedGroup).map { list.bytes[$0..<$0 + 8] }
    }
    return named(self).elementsEqual(named(other))
  }

  private func entries(_ tags: Tag...) -> [Int] {
    stride(from: 4, to: bytes.count, by: 8).filter { index in tags.contains { $0.rawValue == bytes[index] } }
  }

  /// The rights that all entries with these tags have.
  private func common(_ tags: Tag...) -> UInt32 {
    tags.flatMap { entries($0) }.reduce(7) { $0 & UInt32(bytes[$1 + 2]) }
  }

  /// Limits the file's group to the rights that everybody has.
  mutating func limitGroup() {
    for index in entries(.group) { bytes[index + 2] &= UInt8(common(.others)) }
  }

  /// The permissions for a file that cannot have the list, so that no user gets more rights than the list gives.
  ///
  /// Without the list, the users that it names are in the file's group or among the others. For a file with a list, the
  /// group's three bits are not the group's rights, but the most that anybody in the list has.
  func permissions(insteadOf mode: UInt32) -> UInt32 {
    mode & ~0o077 | common(.group, .mask, .user, .namedGroup) << 3 & mode | common(.others, .user, .namedGroup) & mode
  }
}

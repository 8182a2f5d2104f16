internal import SystemC

extension Files {
  /// Gives a file an extended attribute.
  ///
  /// - Returns: False where the file system has none, or this user may not.
  public static func setAttribute(_ name: String, _ value: [UInt8], of path: String) -> Bool {
    #if os(Linux)
      return lsetxattr(path, name, value, value.count, 0) == 0
    #else
      return false
    #endif
  }

  /// The value of an extended attribute; `nil` where there is none.
  public static func attribute(_ name: String, of path: String) -> [UInt8]? {
    #if os(Linux)
      var value = [UInt8](repeating: 0, count: 1 << 16)
      let count = lgetxattr(path, name, &value, value.count)
      return count < 0 ? nil : Array(value.prefix(count))
    #else
      return nil
    #endif
  }

  /// The name of the attribute that holds an access control list.
  public static let accessList = "system.posix_acl_access"

  /// An access control list, with rights as in a mode: what the owner, one user, the group, the mask and others may do.
  public static func accessList(owner: UInt8, user: (id: UInt32, rights: UInt8), group: UInt8, others: UInt8) -> [UInt8]
  {
    func entry(_ tag: UInt8, _ rights: UInt8, _ id: UInt32 = .max) -> [UInt8] {
      [tag, 0, rights, 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
    }
    return [2, 0, 0, 0] + entry(0x01, owner) + entry(0x02, user.rights, user.id) + entry(0x04, group)
      + entry(0x10, user.rights | group) + entry(0x20, others)
  }

  /// The permissions of a file, and who it belongs to.
  public static func access(_ path: String) throws -> (mode: UInt32, userID: UInt32, groupID: UInt32) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Missing(path: path) }
    return (UInt32(status.st_mode) & 0o7777, status.st_uid, status.st_gid)
  }

  private struct Missing: Error {
    let path: String
  }
}

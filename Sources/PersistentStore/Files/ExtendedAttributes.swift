internal import Diagnostics
internal import SystemC

/// The system's calls for named values that a file has besides its bytes.
enum ExtendedAttributes {
  /// The names of all; none where the file system has no such values.
  static func names(of path: String) throws(MigrationError) -> [String] {
    guard let bytes = try value(path, { llistxattr(path, $0, $1) }) else { return [] }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of one; `nil` where there is none, or it may not be read.
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

  /// Removes a value; one that is not there is no failure.
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
      // It has grown since.
      if count < 0, errno == ERANGE { continue }
      guard try isDone(count, path) else { return nil }
      return bytes.prefix(count).map { UInt8(bitPattern: $0) }
    }
  }

  /// Whether a call has worked; only that the disk fails is an error.
  private static func isDone(_ result: some BinaryInteger, _ path: String) throws(MigrationError) -> Bool {
    guard result < 0 else { return true }
    if [EIO, ENOMEM].contains(errno) { throw FileSystem.failure(.inputOutput, path) }
    return false
  }
}

#if canImport(Darwin)
  // The same calls, which have more parameters there. Access control lists are not among these values.
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

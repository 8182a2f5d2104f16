package import Diagnostics
internal import SystemC

extension FileSystem {
  /// Writes a whole file, replacing what is there.
  package static func write(_ bytes: [UInt8], to path: String) throws(MigrationError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(.cannotCreate, path) }
    defer { close(descriptor) }
    try write(bytes, count: bytes.count, to: descriptor, named: path)
  }

  /// Writes bytes to what is no regular file: a pipe or a device, or a link to one.
  package static func writeToDevice(_ bytes: [UInt8], at path: String) throws(MigrationError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(.cannotCreate, path) }
    defer { close(descriptor) }
    try write(bytes, count: bytes.count, to: descriptor, named: path)
  }

  /// Fills a buffer from an open file, which may give its bytes in portions.
  ///
  /// - Returns: How many bytes there are, fewer than the buffer holds only at the end of the file; `nil` with `errno` set
  ///   when they cannot be read.
  static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Int? {
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

  /// Writes all of some bytes to an open file.
  package static func write(
    _ bytes: [UInt8], count: Int, to descriptor: Int32, named path: String
  ) throws(MigrationError) {
    var written = 0
    while written < count {
      let step = bytes.withUnsafeBytes { buffer in
        SystemC.write(descriptor, buffer.baseAddress?.advanced(by: written), count - written)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw failure(.inputOutput, path) }
      written += step
    }
  }

  /// Copies a file to a new one with the same permissions, and makes sure that it is on the disk, and the same.
  package static func copy(_ path: String, to other: String) throws(MigrationError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(.unreadable, path) }
    try OpenFile(descriptor: descriptor).copy(to: other, named: path)
  }

  /// Gives a file the permissions and, where allowed, the owner of another.
  ///
  /// - Throws: `MigrationError` when the file system fails. That it knows no owners or permissions is no failure.
  package static func copyOwnership(_ status: FileStatus, to path: String) throws(MigrationError) {
    // Only root may give files away; anybody else may still hand them to a group of their own, so that comes first.
    let results = [
      chown(path, uid_t.max, status.groupID) == 0 ? 0 : errno, chown(path, status.userID, gid_t.max) == 0 ? 0 : errno,
      chmod(path, mode_t(status.mode)) == 0 ? 0 : errno,
    ]
    let harmless: Set<Int32> = [0, EPERM, EINVAL, EOPNOTSUPP, ENOSYS]
    if let number = results.first(where: { !harmless.contains($0) }) {
      throw failure(.inputOutput, path, number: number)
    }
  }
}

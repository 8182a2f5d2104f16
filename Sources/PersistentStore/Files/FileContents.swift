internal import SystemC

/// Compares files without having them in memory.
package enum FileContents {
  /// Whether two files hold the same bytes.
  ///
  /// What cannot be read is like nothing else, and so is a symbolic link: what it leads to can be another file tomorrow.
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

  /// The number of the error because of which a file cannot be read to its end; `nil` when it can be.
  ///
  /// It is for a store that has failed: to close the file ends the locks of this process on it.
  static func readFailure(_ path: String) -> Int32? {
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var offset: off_t = 0
    while true {
      // Holes are passed over: a file can seem larger than all disks.
      offset = lseek(descriptor, offset, nextData)
      // Past the end, or on a file system that cannot tell.
      guard offset >= 0 else { return errno == EIO ? EIO : nil }
      guard let block = block(descriptor) else { return errno }
      if block.isEmpty { return nil }
      offset += off_t(block.count)
    }
  }

  /// What makes `lseek` go on to the next bytes that are there.
  #if canImport(Darwin)
    private static let nextData = SEEK_DATA
  #else
    // The C library names it for GNU programs only, and Swift's modules are none.
    private static let nextData: Int32 = 3
  #endif

  private static func block(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    return FileSystem.read(descriptor, into: &bytes).map { Array(bytes.prefix($0)) }
  }
}

internal import Diagnostics
internal import SystemC

extension FileSystem {
  /// Makes a folder; one that is there already is no failure.
  static func makeFolder(_ path: String) throws(MigrationError) {
    if mkdir(path, 0o700) == 0 { return }
    guard errno == EEXIST, FileStatus(unresolved: path)?.kind == .directory else {
      throw failure(.cannotCreate, path)
    }
  }

  /// Removes a folder if it is empty.
  ///
  /// - Returns: Whether it is gone.
  static func removeFolder(_ path: String) -> Bool { rmdir(path) == 0 }

  /// The names in a folder; `nil` with `errno` set when it cannot be listed.
  static func names(in path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

extension FileSystem {
  /// Reads a whole file.
  static func contents(of path: String) throws(MigrationError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw failure(.unreadable, path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = SystemC.read(descriptor, &block, block.count)
      guard count >= 0 else { throw failure(.unreadable, path) }
      if count == 0 { return bytes }
      bytes += block.prefix(count)
    }
  }
}

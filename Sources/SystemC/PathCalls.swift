// The calls that take paths, for paths as `String(pathBytes:)` has them. With the C library's own, Swift would pass the
// UTF-8 of the text, which is another path where the bytes of the path are not UTF-8.

package func open(_ path: String, _ flags: Int32) -> Int32 { path.withPath { open($0, flags) } }
package func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { path.withPath { open($0, flags, mode) } }

package func stat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 { path.withPath { stat($0, status) } }
package func lstat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
  path.withPath { lstat($0, status) }
}
package func access(_ path: String, _ mode: Int32) -> Int32 { path.withPath { access($0, mode) } }
package func statvfs(_ path: String, _ status: UnsafeMutablePointer<statvfs>) -> Int32 {
  path.withPath { statvfs($0, status) }
}

package func link(_ path: String, _ other: String) -> Int32 {
  path.withPath { path in other.withPath { link(path, $0) } }
}
package func rename(_ path: String, _ other: String) -> Int32 {
  path.withPath { path in other.withPath { rename(path, $0) } }
}
@discardableResult
package func unlink(_ path: String) -> Int32 { path.withPath { unlink($0) } }
package func mkdir(_ path: String, _ mode: mode_t) -> Int32 { path.withPath { mkdir($0, mode) } }
@discardableResult
package func rmdir(_ path: String) -> Int32 { path.withPath { rmdir($0) } }

package func truncate(_ path: String, _ size: off_t) -> Int32 { path.withPath { truncate($0, size) } }
package func chmod(_ path: String, _ mode: mode_t) -> Int32 { path.withPath { chmod($0, mode) } }
package func lchown(_ path: String, _ userID: uid_t, _ groupID: gid_t) -> Int32 {
  path.withPath { lchown($0, userID, groupID) }
}
#if !canImport(Darwin)
  package func llistxattr(_ path: String, _ names: UnsafeMutablePointer<CChar>?, _ size: Int) -> Int {
    path.withPath { llistxattr($0, names, size) }
  }
  package func lgetxattr(
    _ path: String, _ name: String, _ value: UnsafeMutableRawPointer?, _ size: Int
  ) -> Int {
    path.withPath { lgetxattr($0, name, value, size) }
  }
#endif

// What these give is easily taken for text. Without them, the C library's own would be called with the text of the path.
@available(*, deprecated, message: "realpath(_:) keeps the path byte for byte")
package func realpath(_ path: String, _ buffer: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
  path.withPath { realpath($0, buffer) }
}
@available(*, deprecated, message: "readlink(_:) keeps the path byte for byte")
package func readlink(_ path: String, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
  path.withPath { readlink($0, buffer, size) }
}
@available(*, deprecated, message: "names(inFolder:) keeps names byte for byte")
package func opendir(_ path: String) -> OpaquePointer? { path.withPath { opendir($0) } }

/// The path with every symbolic link resolved; `nil` with `errno` set when it cannot be followed.
package func realpath(_ path: String) -> String? {
  guard let resolved = path.withPath({ realpath($0, nil) }) else { return nil }
  defer { free(resolved) }
  return String(path: resolved)
}

/// What a symbolic link says; `nil` with `errno` set for what is none.
package func readlink(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = path.withPath { readlink($0, &bytes, bytes.count) }
  return count < 0 ? nil : String(pathBytes: bytes.prefix(count).map(UInt8.init(bitPattern:)))
}

/// The names in a folder; `nil` with `errno` set when it cannot be listed.
package func names(inFolder path: String) -> [String]? {
  guard let folder = path.withPath({ opendir($0) }) else { return nil }
  var names: [String] = []
  errno = 0
  while let entry = readdir(folder) {
    let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: capacity) { String(path: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
    errno = 0
  }
  // The end of the folder is no error.
  let number = errno
  closedir(folder)
  errno = number
  return number == 0 ? names : nil
}

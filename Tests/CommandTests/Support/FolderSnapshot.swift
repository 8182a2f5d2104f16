import Foundation
import Testing

/// What is in a folder: names, kinds, permissions, bytes and the times of the last change.
///
/// Taking one closes the files that it has read, which ends locks that this process holds on them: not to be used while
/// a test holds a lock.
struct FolderSnapshot: Equatable, CustomTestStringConvertible {
  struct Entry: Equatable {
    var mode: UInt32
    var size: Int
    var fileNumber: UInt64
    var modifiedSeconds: Int
    var modifiedNanoseconds: Int
    var bytes: [UInt8]
  }

  let entries: [String: Entry]

  init(_ path: String) throws {
    var entries: [String: Entry] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0 else { throw SystemFailure(call: "lstat") }
      let isFile = status.st_mode & S_IFMT == S_IFREG
      entries[name] = Entry(
        mode: status.st_mode, size: Int(status.st_size), fileNumber: UInt64(status.st_ino),
        modifiedSeconds: status.st_mtim.tv_sec, modifiedNanoseconds: status.st_mtim.tv_nsec,
        bytes: isFile ? try contents(of: "\(path)/\(name)") : [])
    }
    self.entries = entries
  }

  var testDescription: String {
    entries.sorted { $0.key < $1.key }.map { name, entry in
      var hasher = Hasher()
      hasher.combine(entry.bytes)
      return "\(name): \(String(entry.mode, radix: 8)) \(entry.size) bytes, file \(entry.fileNumber), "
        + "\(entry.modifiedSeconds).\(entry.modifiedNanoseconds), \(hasher.finalize())"
    }.joined(separator: "\n")
  }
}

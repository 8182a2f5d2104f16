internal import Foundation

/// What is in a folder: names, kinds, permissions, bytes and the times of the last change.
///
/// Taking one closes the files that it has read, which ends locks that this process holds on them: not to be used while
/// a test holds a lock.
public struct FolderSnapshot: Equatable, Sendable, CustomStringConvertible {
  private struct Entry: Equatable {
    var mode: UInt32
    var size: Int
    var fileNumber: UInt64
    var modifiedSeconds: Int
    var modifiedNanoseconds: Int
    var bytes: [UInt8]
  }

  private let entries: [String: Entry]

  /// Reads a folder.
  public init(_ path: String) throws {
    var entries: [String: Entry] = [:]
    for name in try Files.listing(path) {
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0 else { throw CocoaError(.fileReadUnknown) }
      let isFile = status.st_mode & S_IFMT == S_IFREG
      entries[name] = Entry(
        mode: UInt32(status.st_mode), size: Int(status.st_size), fileNumber: UInt64(status.st_ino),
        modifiedSeconds: status.st_mtim.tv_sec, modifiedNanoseconds: status.st_mtim.tv_nsec,
        bytes: isFile ? (try? Files.bytes("\(path)/\(name)")) ?? [] : [])
    }
    self.entries = entries
  }

  /// The bytes of every file by its name; folders have none.
  public var contents: [String: [UInt8]] { entries.mapValues(\.bytes) }

  /// One line for each file.
  public var description: String {
    entries.sorted { $0.key < $1.key }.map { name, entry in
      "\(name): \(String(entry.mode, radix: 8)) \(entry.size) bytes, file \(entry.fileNumber), "
        + "\(entry.modifiedSeconds).\(entry.modifiedNanoseconds), hash \(Files.checksum(entry.bytes))"
    }.joined(separator: "\n")
  }
}

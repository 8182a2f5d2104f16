import Foundation
import TestSupport

/// The contents of a folder in memory, for comparisons and copies.
struct FolderImage: Equatable, Sendable {
  /// A file, which can have several names.
  struct File: Equatable, Sendable {
    var bytes: [UInt8]
    var mode: Int
  }

  /// Permissions by relative path; the empty path is the folder itself.
  var folders: [String: Int] = [:]
  /// By file number.
  var files: [UInt64: File] = [:]
  /// File numbers by relative path.
  var names: [String: UInt64] = [:]
  /// Targets of symbolic links by relative path.
  var links: [String: String] = [:]
  /// File numbers of folders by relative path.
  var folderNumbers: [String: UInt64] = [:]

  init() {}

  init(_ root: String) throws { try read(root, "") }

  private mutating func read(_ root: String, _ relative: String) throws {
    let path = relative.isEmpty ? root : "\(root)/\(relative)"
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemFailure(call: "lstat \(path)") }
    let (number, mode) = (UInt64(status.st_ino), Int(status.st_mode & 0o7777))
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      (folders[relative], folderNumbers[relative]) = (mode, number)
      for name in try Files.listing(path) { try read(root, relative.isEmpty ? name : "\(relative)/\(name)") }
    case S_IFLNK: links[relative] = try FileManager.default.destinationOfSymbolicLink(atPath: path)
    case S_IFIFO: names[relative] = number
    default:
      names[relative] = number
      if files[number] == nil { files[number] = File(bytes: try RawFile.read(path), mode: mode) }
    }
  }

  /// Writes everything to an empty folder.
  func write(to root: String) throws {
    let path = { (relative: String) in relative.isEmpty ? root : "\(root)/\(relative)" }
    for relative in folders.keys.sorted() where !relative.isEmpty { mkdir(path(relative), 0o755) }
    var made: [UInt64: String] = [:]
    for (relative, number) in names.sorted(by: { $0.key < $1.key }) {
      guard let file = files[number] else { continue }
      if let first = made[number] {
        guard link(first, path(relative)) == 0 else { throw SystemFailure(call: "link \(relative)") }
      } else {
        try RawFile.write(file.bytes, mode: file.mode, to: path(relative))
        made[number] = path(relative)
      }
    }
    for (relative, target) in links { try Files.link(path(relative), to: target) }
    for (relative, mode) in folders where !relative.isEmpty { chmod(path(relative), mode_t(mode)) }
  }

  /// Returns the bytes of the file with a name.
  func bytes(_ name: String) -> [UInt8]? { names[name].flatMap { files[$0]?.bytes } }

  /// Returns the permissions of the file with a name.
  func mode(_ name: String) -> Int? { names[name].flatMap { files[$0]?.mode } }

  /// Everything that has a name, sorted.
  var listing: [String] { (folders.keys.filter { !$0.isEmpty } + names.keys + links.keys).sorted() }
}

/// Reads and writes whole files with little overhead, because a sweep does so very often.
enum RawFile {
  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(call: "open \(path)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure(call: "fstat \(path)") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard Foundation.read(descriptor, &bytes, bytes.count) == bytes.count else {
      throw SystemFailure(call: "read \(path)")
    }
    return bytes
  }

  static func write(_ bytes: [UInt8], mode: Int, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(call: "open \(path)") }
    defer { close(descriptor) }
    guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count, fchmod(descriptor, mode_t(mode)) == 0 else {
      throw SystemFailure(call: "write \(path)")
    }
  }
}

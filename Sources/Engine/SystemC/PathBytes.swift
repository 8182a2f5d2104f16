// A path of the operating system is any sequence of bytes except NUL. It is not necessarily UTF-8, but a `String` can
// hold nothing else: it would repair the other bytes and so name a different file. Each byte that is not part of valid
// UTF-8 is therefore represented by one scalar at the end of the last private plane, U+10FF00 + the byte. A name that
// really contains one of these scalars is encoded byte by byte in the same way. No two paths have the same text, and
// every text maps back to its own path.
extension String {
  /// Creates a path, or a part of one, from bytes of the operating system.
  package init(pathBytes: some Collection<UInt8>) {
    if !pathBytes.contains(PathByte.lead), let text = String(validating: pathBytes, as: UTF8.self) {
      self = text
      return
    }
    var scalars = UnicodeScalarView()
    var rest = Array(pathBytes)[...]
    while !rest.isEmpty {
      var (iterator, parser) = (rest.makeIterator(), UTF8.ForwardParser())
      var count = 1
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        let scalar = UTF8.decode(encoded)
        count = encoded.count
        scalars.append(
          contentsOf: PathByte(scalar) == nil ? [scalar] : encoded.map { PathByte(value: $0).scalar })
      case .error(let length):
        count = length
        scalars.append(contentsOf: rest.prefix(length).map { PathByte(value: $0).scalar })
      case .emptyInput: break
      }
      rest = rest.dropFirst(count)
    }
    self.init(scalars)
  }

  /// Creates a path, or a part of one, from a NUL-terminated string.
  package init(path: UnsafePointer<CChar>) {
    self.init(pathBytes: UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }

  /// The path in the operating system's bytes.
  package var pathBytes: [UInt8] {
    guard utf8.contains(PathByte.lead) else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in PathByte(scalar).map { [$0.value] } ?? Array(String(scalar).utf8) }
  }

  /// Passes the path to a call of the operating system.
  func withPath<Result>(_ call: (UnsafePointer<CChar>) -> Result) -> Result {
    guard utf8.contains(PathByte.lead) else { return withCString(call) }
    return (pathBytes.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map(call) ?? "".withCString(call)
    }
  }
}

extension CommandLine {
  /// The words that the process was started with, like `arguments`, but byte for byte.
  package static var exactArguments: [String] {
    #if os(Linux)
      // Swift reads them from /proc, which a sandbox or a system that is starting may not have.
      if argc == 0 { return initialArguments }
    #endif
    return (0..<Int(argc)).compactMap { index in unsafeArgv[index].map { String(path: $0) } }
  }

  #if os(Linux)
    /// The words that lie in front of the environment on the initial stack: a count, the words, and a null pointer
    /// (System V ABI, "Initial Process Stack").
    ///
    /// Nothing in this program changes the environment, which would move it.
    private static let initialArguments: [String] = {
      let known: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
      guard let environment = known else { return [] }
      let end = UnsafeMutableRawPointer(environment).assumingMemoryBound(to: Int.self) - 1
      guard end.pointee == 0 else { return [] }
      var count = 0
      // No pointer is as small as the number of words behind it.
      while end[-1 - count] != count { count += 1 }
      return (0..<count).compactMap { index in environment[index - count - 1].map { String(path: $0) } }
    }()
  #endif
}

extension String {
  /// Text containing paths, with their bytes that are not UTF-8 made readable: `\xE9`.
  ///
  /// A literal backslash in front of such a byte, or of text that looks like one, is doubled. No two texts look the
  /// same.
  package var spellingPathBytes: String {
    guard utf8.contains(PathByte.lead) || utf8.contains(UInt8(ascii: "\\")) else { return self }
    var spelled = UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.first {
      let backslashes = rest.prefix { $0 == "\\" }
      rest = rest.dropFirst(backslashes.count)
      let byte = rest.first.flatMap(PathByte.init(_:))
      let isDoubled = byte != nil || !backslashes.isEmpty && PathByte(spelling: rest) != nil
      for _ in 0..<(isDoubled ? 2 : 1) { spelled.append(contentsOf: backslashes) }
      if let byte {
        spelled.append(contentsOf: byte.spelling.unicodeScalars)
        rest.removeFirst()
      } else if backslashes.isEmpty {
        spelled.append(scalar)
        rest.removeFirst()
      }
    }
    return String(spelled)
  }

  /// Reads the output of `spellingPathBytes`.
  package init(spellingOfPathBytes text: String) {
    var scalars = UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      let backslashes = rest.prefix { $0 == "\\" }
      rest = rest.dropFirst(backslashes.count)
      if !backslashes.isEmpty, let byte = PathByte(spelling: rest) {
        scalars.append(contentsOf: backslashes.prefix(backslashes.count / 2))
        guard backslashes.count % 2 == 1 else { continue }
        scalars.append(byte.scalar)
        rest = rest.dropFirst(3)
      } else if backslashes.isEmpty {
        scalars.append(scalar)
        rest.removeFirst()
      } else {
        scalars.append(contentsOf: backslashes)
      }
    }
    self.init(scalars)
  }
}

/// A byte of a path that is not part of valid UTF-8.
private struct PathByte {
  /// The first UTF-8 byte of every scalar that represents such a byte.
  static let lead: UInt8 = 0xF4

  let value: UInt8

  init(value: UInt8) {
    self.value = value
  }

  init?(_ scalar: Unicode.Scalar) {
    guard scalar.value >= 0x10FF80 else { return nil }
    value = UInt8(truncatingIfNeeded: scalar.value)
  }

  /// Reads `xE9` at the start of a text.
  init?(spelling: Substring.UnicodeScalarView) {
    let digits = spelling.dropFirst().prefix(2)
    guard spelling.first == "x", digits.count == 2,
      digits.allSatisfy({ "0123456789ABCDEF".unicodeScalars.contains($0) }),
      let value = UInt8(String(digits), radix: 16), value >= 0x80
    else { return nil }
    self.value = value
  }

  var scalar: Unicode.Scalar { Unicode.Scalar(0x10FF00 + UInt32(value)) ?? "\u{FFFD}" }

  var spelling: String { "\\x" + String(value, radix: 16, uppercase: true) }
}

// The calls that take paths, for paths in the form of `String(pathBytes:)`. To the C library's own functions, Swift
// would pass the UTF-8 of the text, which is a different path if the path's bytes are not UTF-8.

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

// The results of these functions are easily mistaken for text. Without these overloads, the C library's own would be
// called with the text of the path.
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

/// Returns the path with every symbolic link resolved; `nil`, with `errno` set, if it cannot be resolved.
package func realpath(_ path: String) -> String? {
  guard let resolved = path.withPath({ realpath($0, nil) }) else { return nil }
  defer { free(resolved) }
  return String(path: resolved)
}

/// Returns the target of a symbolic link; `nil`, with `errno` set, if it is not a symbolic link.
package func readlink(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = path.withPath { readlink($0, &bytes, bytes.count) }
  return count < 0 ? nil : String(pathBytes: bytes.prefix(count).map(UInt8.init(bitPattern:)))
}

/// Returns the names in a folder; `nil`, with `errno` set, if it cannot be listed.
package func names(inFolder path: String) -> [String]? { entries(inFolder: path)?.map(\.name) }

/// The kinds of entries of a folder that a search through folders tells apart.
package enum EntryKind: Sendable {
  case folder
  case link
  case other
}

/// Returns the names in a folder, with what each is itself, which costs no look at it; `nil`, with `errno` set, if it
/// cannot be listed.
package func entries(inFolder path: String) -> [(name: String, kind: EntryKind)]? {
  guard let folder = path.withPath({ opendir($0) }) else { return nil }
  var names: [(name: String, kind: EntryKind)] = []
  errno = 0
  while let entry = readdir(folder) {
    let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: capacity) { String(path: $0) }
    }
    if name != ".", name != ".." {
      let kind: EntryKind =
        switch entry.pointee.d_type {
        case UInt8(DT_DIR): .folder
        case UInt8(DT_LNK): .link
        case UInt8(DT_UNKNOWN): entryKind("\(path)/\(name)")
        default: .other
        }
      names.append((name, kind))
    }
    errno = 0
  }
  // The end of the folder is not an error.
  let number = errno
  closedir(folder)
  errno = number
  return number == 0 ? names : nil
}

/// Returns what a path itself is, for file systems that do not tell it of a folder's entries.
private func entryKind(_ path: String) -> EntryKind {
  var status = stat()
  guard path.withPath({ lstat($0, &status) }) == 0 else { return .other }
  return switch status.st_mode & S_IFMT {
  case S_IFDIR: .folder
  case S_IFLNK: .link
  default: .other
  }
}

// Exports the platform's C library under one name, so that no other file has to distinguish platforms.

#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Musl)
  @_exported public import Musl
  @_exported public import CTracksLibC
#else
  @_exported public import Glibc
  @_exported public import CTracksLibC
#endif

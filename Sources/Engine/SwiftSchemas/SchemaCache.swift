internal import Foundation
internal import SystemC

/// A folder of results that are made once: each has the hash of everything that it depends on in its name.
///
/// An entry is made under a hidden name and renamed when it is complete, so that two processes may make the same one. It
/// holds a digest of its own files; one that does not match is made again.
struct SchemaCache {
  let root: String
  let digest: @Sendable ([UInt8]) -> [UInt8]

  private static let digestName = "digest"

  /// Takes the folder of the user's caches (XDG Base Directory Specification).
  init(digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    let variable = { (name: String) in getenv(name).map { String(path: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let caches = variable("XDG_CACHE_HOME") ?? variable("HOME").map { "\($0)/.cache" } ?? "/tmp/.cache-\(getuid())"
    root = "\(caches)/tracks-migrate"
    self.digest = digest
  }

  /// A name for everything that a result depends on.
  func key(_ parts: [[UInt8]]) -> String {
    var message: [UInt8] = []
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { message += $0 }
      message += part
    }
    return digest(message).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The path of an entry, if it is there and whole.
  func existing(_ name: String) -> String? {
    let path = "\(root)/\(name)"
    guard let expected = try? SwiftSources.read("\(path)/\(Self.digestName)"), expected == contents(of: path) else {
      return nil
    }
    return path
  }

  /// The path of an entry, which is made if it is not there.
  ///
  /// - Parameter make: Fills a new folder.
  func entry(
    _ name: String, make: (_ folder: String) throws(SwiftSchemaError) -> Void
  ) throws(SwiftSchemaError) -> String {
    if let path = existing(name) { return path }
    let path = "\(root)/\(name)"
    try withFolder { folder throws(SwiftSchemaError) in
      try make(folder)
      try write(contents(of: folder), to: "\(folder)/\(Self.digestName)")
      // An entry that is not whole makes room. One that another process has made meanwhile is as good as this one.
      if existing(name) == nil, access(path, F_OK) == 0 { _ = rename(path, "\(folder)/broken") }
      if rename(folder, path) != 0, existing(name) == nil { throw failure(errno) }
    }
    return path
  }

  /// Calls a function with a new folder, which is removed afterwards unless it has another name then.
  func withFolder(_ body: (_ folder: String) throws(SwiftSchemaError) -> Void) throws(SwiftSchemaError) {
    try writing { try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true) }
    removeLeftovers()
    var template = Array("\(root)/\(Self.prefix)\(getpid())-XXXXXX".pathBytes.map(CChar.init(bitPattern:))) + [0]
    guard mkdtemp(&template) != nil else { throw failure(errno) }
    let folder = String(pathBytes: template.dropLast().map(UInt8.init(bitPattern:)))
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  /// Removes an entry.
  func remove(_ name: String) { try? FileManager.default.removeItem(atPath: "\(root)/\(name)") }

  /// Writes a file of an entry.
  func write(_ bytes: [UInt8], to path: String) throws(SwiftSchemaError) {
    try writing { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
  }

  private static let prefix = ".making-"

  /// Removes what processes have left that were killed.
  private func removeLeftovers() {
    for name in names(inFolder: root) ?? [] where name.hasPrefix(Self.prefix) {
      guard let process = pid_t(name.dropFirst(Self.prefix.count).prefix { $0 != "-" }) else { continue }
      if kill(process, 0) != 0, errno == ESRCH { try? FileManager.default.removeItem(atPath: "\(root)/\(name)") }
    }
  }

  /// The digest of all files of a folder, as text.
  private func contents(of folder: String) -> [UInt8] {
    let files = (FileManager.default.subpaths(atPath: folder) ?? []).sorted().filter { $0 != Self.digestName }
    let parts = files.compactMap { file in
      (try? SwiftSources.read("\(folder)/\(file)")).map { [Array(file.utf8), $0] }
    }
    return Array(key(parts.flatMap { $0 }).utf8)
  }

  private func writing(_ body: () throws -> Void) throws(SwiftSchemaError) {
    do { try body() } catch { throw .unwritableCache(path: root, reason: Self.reason(error)) }
  }

  private func failure(_ number: Int32) -> SwiftSchemaError {
    .unwritableCache(path: root, reason: String(cString: strerror(number)))
  }

  private static func reason(_ error: any Error) -> String {
    var cause: NSError? = error as NSError
    while let found = cause {
      if found.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(clamping: found.code))) }
      cause = found.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return "it cannot be created"
  }
}

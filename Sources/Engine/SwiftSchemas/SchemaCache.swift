internal import Foundation
internal import SystemC

/// A folder of results that are made once: each has the hash of everything that it depends on in its name.
///
/// An entry is made under a hidden name and renamed when it is complete, so that two processes may make the same one. It
/// holds a digest of its own files; one that does not match is made again. Anyone can write such a digest, and entries are
/// programs that are run: a folder that another user may change is refused.
struct SchemaCache {
  let root: String
  let digest: @Sendable ([UInt8]) -> [UInt8]

  private static let digestName = "digest"

  /// Takes the folder of the user's caches (XDG Base Directory Specification).
  ///
  /// `HOME` may be another user's, as `sudo` and containers leave it.
  init(digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    let variable = { (name: String) in getenv(name).map { String(path: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let name = "tracks-migrate"
    let home = variable("HOME").map { "\($0)/.cache/\(name)" }
    root =
      variable("XDG_CACHE_HOME").map { "\($0)/\(name)" }
      ?? home.flatMap { Self.sharedFolder(onWayTo: $0) == nil ? $0 : nil } ?? "/tmp/.cache-\(geteuid())/\(name)"
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
    guard Self.sharedFolder(onWayTo: root) == nil,
      let expected = try? SwiftSources.read("\(path)/\(Self.digestName)"), expected == contents(of: path)
    else { return nil }
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
      // Another process has made it meanwhile, or it is not whole and makes room.
      guard rename(folder, path) != 0, existing(name) == nil else { return }
      let broken = "\(folder)-broken"
      if rename(path, broken) == 0 { try? FileManager.default.removeItem(atPath: broken) }
      guard rename(folder, path) != 0 else { return }
      let number = errno
      if existing(name) == nil { throw failure(number) }
    }
    return path
  }

  /// Calls a function with a new folder, which is removed afterwards unless it has another name then.
  func withFolder(_ body: (_ folder: String) throws(SwiftSchemaError) -> Void) throws(SwiftSchemaError) {
    try createRoot()
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

  /// Creates the folder, and those that it is in, with the permissions that the specification asks for.
  private func createRoot() throws(SwiftSchemaError) {
    try requireOwnFolders()
    var folder = ""
    for part in root.split(separator: "/") {
      folder += "/\(part)"
      guard access(folder, F_OK) == 0 || mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure(errno) }
    }
    try requireOwnFolders()
  }

  private func requireOwnFolders() throws(SwiftSchemaError) {
    guard let folder = Self.sharedFolder(onWayTo: root) else { return }
    throw .unusableCache(path: root, reason: "another user may change '\(folder)', and programs in the cache are run")
  }

  /// The first folder on the way to a path, or at it, in which another user may put or replace something.
  ///
  /// The superuser is trusted, and so is the user's own group: many systems have one for each user.
  private static func sharedFolder(onWayTo path: String) -> String? {
    // The links on the way, and the folders that they lead to.
    for way in [path, realpath(path)].compactMap(\.self) {
      var folder = ""
      let parts = way.split(separator: "/")
      for (index, part) in parts.enumerated() {
        folder += "/\(part)"
        var status = stat()
        guard lstat(folder, &status) == 0 else { break }
        let isWritable =
          status.st_mode & S_IFMT == S_IFDIR
          && (status.st_mode & 0o002 != 0 || status.st_mode & 0o020 != 0 && status.st_gid != getegid())
        // As in `/tmp`, users may only replace what is their own there.
        let isSticky = status.st_mode & 0o1000 != 0 && index < parts.count - 1
        if ![0, geteuid()].contains(status.st_uid) || isWritable && !isSticky { return folder }
      }
    }
    return nil
  }

  /// Removes what processes have left that were killed.
  ///
  /// A process of another machine or container that shares the folder has no number here; but it does not take a day.
  private func removeLeftovers() {
    for name in names(inFolder: root) ?? [] where name.hasPrefix(Self.prefix) {
      guard let process = pid_t(name.dropFirst(Self.prefix.count).prefix { $0 != "-" }) else { continue }
      let folder = "\(root)/\(name)"
      var status = stat()
      guard lstat(folder, &status) == 0, kill(process, 0) != 0, errno == ESRCH else { continue }
      #if canImport(Darwin)
        let changed = status.st_mtimespec.tv_sec
      #else
        let changed = status.st_mtim.tv_sec
      #endif
      if changed < time(nil) - 86_400 { try? FileManager.default.removeItem(atPath: folder) }
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
    do { try body() } catch { throw .unusableCache(path: root, reason: Self.reason(error)) }
  }

  private func failure(_ number: Int32) -> SwiftSchemaError {
    .unusableCache(path: root, reason: String(cString: strerror(number)))
  }

  private static func reason(_ error: any Error) -> String {
    var cause: NSError? = error as NSError
    while let found = cause {
      if found.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(clamping: found.code))) }
      cause = found.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return "a file cannot be written"
  }
}

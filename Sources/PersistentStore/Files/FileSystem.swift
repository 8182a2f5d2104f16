package import Diagnostics
internal import SystemC

/// The few operations on files whose order and durability the safety of a migration rests on.
package enum FileSystem {
  /// The path with every symbolic link resolved, so that the target of a link is replaced and not the link.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder that holds a file, and the file's name.
  package static func split(_ path: String) -> (folder: String, name: String) {
    // Not by characters: a combining mark after the slash would make another character of it.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.utf8.index(after: slash)...]))
  }

  /// Another name in the folder of a file.
  package static func sibling(of path: String, named name: String) -> String {
    let folder = split(path).folder
    return folder == "/" ? "/\(name)" : path.utf8.contains(UInt8(ascii: "/")) ? "\(folder)/\(name)" : name
  }

  /// Whether there is something under this name, be it a dangling link.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Removes a file; one that is not there is no failure.
  package static func remove(_ path: String) {
    unlink(path)
  }

  /// Makes sure that a file's bytes are on the disk.
  package static func synchronize(_ path: String) throws(MigrationError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(.inputOutput, path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(.inputOutput, path) }
  }

  /// Makes sure that the names in a file's folder are on the disk.
  package static func synchronizeFolder(of path: String) throws(MigrationError) {
    let folder = split(path).folder
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // One may write to a folder that one may not list; and some file systems cannot sync folders.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw failure(.inputOutput, folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure(.inputOutput, folder) }
  }

  /// Gives a file a second name that must not exist yet.
  ///
  /// - Returns: Whether it could be done; false when the name is taken.
  package static func addLink(to path: String, named other: String) throws(MigrationError) -> Bool {
    if link(path, other) == 0 { return true }
    if errno == EEXIST { return false }
    throw failure(.cannotCreate, other)
  }

  /// Renames a file, replacing what has the new name in one step.
  package static func move(_ path: String, replacing other: String) throws(MigrationError) {
    guard rename(path, other) == 0 else { throw failure(.cannotReplace, other) }
  }

  /// Renames a file to a name that nothing may have yet.
  ///
  /// - Returns: Whether it could be done; false when the name is taken.
  package static func moveWithoutReplacing(_ path: String, to other: String) throws(MigrationError) -> Bool {
    do throws(MigrationError) {
      guard try addLink(to: path, named: other) else { return false }
    } catch let error where error.code == .cannotCreate && !exists(other) {
      // A file system without second names: nothing better is left than to look first.
      try move(path, replacing: other)
      return true
    }
    remove(path)
    return true
  }

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

  /// Copies a file's bytes to a new file, and makes sure that they are on the disk.
  ///
  /// - Returns: The file that was read, still open. Closing it ends every lock that this process has on the file, those
  ///   of SQLite included (`fcntl` locks belong to the process), so it has to be kept for as long as the locks matter.
  @discardableResult
  package static func copy(_ path: String, to other: String) throws(MigrationError) -> OpenFile {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure(.unreadable, path) }
    let file = OpenFile(descriptor: source)
    let destination = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard destination >= 0 else { throw failure(.cannotCreate, other) }
    defer { close(destination) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count >= 0 else { throw failure(.inputOutput, path) }
      if count == 0 { break }
      try write(buffer, count: count, to: destination, named: other)
    }
    guard fsync(destination) == 0 else { throw failure(.inputOutput, other) }
    if let status = FileStatus(descriptor: source) { copyOwnership(status, to: other) }
    return file
  }

  /// Gives a file the permissions and, where allowed, the owner of another.
  package static func copyOwnership(_ status: FileStatus, to path: String) {
    // Only root may give files away; anybody else may still hand them to a group of their own, so that comes first.
    _ = chown(path, uid_t.max, status.groupID)
    _ = chown(path, status.userID, gid_t.max)
    _ = chmod(path, mode_t(status.mode))
  }

  /// An error with the operating system's words for `errno`.
  package static func failure(_ code: MigrationError.Code, _ path: String) -> MigrationError {
    let number = errno
    let detail = String(cString: strerror(number))
    switch number {
    case ENOSPC, EDQUOT: return MigrationError(.diskFull, path: path, detail: detail)
    case ENOMEM: return MigrationError(.outOfMemory, path: path, detail: detail)
    case EIO: return MigrationError(.inputOutput, path: path, detail: detail)
    default: return MigrationError(code, path: path, detail: detail)
    }
  }
}

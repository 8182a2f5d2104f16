package import MigrationDiagnostics
internal import SystemC

/// The file operations whose order and durability the safety of a migration depends on.
package enum FileSystem {
  /// The path with every symbolic link resolved, so that the target of a link is replaced and not the link; `nil` with
  /// `errno` set if it does not exist, or if another program has put the link there.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path) else { return nil }
    guard !isStrangersLink(path) else {
      errno = EACCES
      return nil
    }
    return resolved
  }

  /// Whether a path leads through a symbolic link that another user has put into a world-writable folder, such as `/tmp`.
  ///
  /// The kernel does not follow such links (`fs.protected_symlinks`), but it still resolves them on request, and the
  /// protection can be turned off.
  package static func isStrangersLink(_ path: String) -> Bool {
    var path = path
    // The kernel's own limit.
    for _ in 0..<40 {
      guard let link = FileStatus(unresolved: path), link.kind == .link, let target = target(ofLink: path),
        let folder = FileStatus(split(path).folder)
      else { return false }
      let isForAll = folder.mode & 0o1002 == 0o1002
      if isForAll, link.userID != geteuid(), link.userID != folder.userID { return true }
      path = target.utf8.first == UInt8(ascii: "/") ? target : sibling(of: path, named: target)
    }
    return false
  }

  /// The target of a symbolic link; `nil` if it is not a link.
  static func target(ofLink path: String) -> String? { readlink(path) }

  /// The place of a path, and those of the targets of the links at it, each with its folder resolved.
  ///
  /// It ends where a folder cannot be resolved.
  static func trail(of path: String) -> [(spelling: String, place: String)] {
    var trail: [(spelling: String, place: String)] = []
    var next: String? = path
    // The kernel's own limit of links.
    while let link = next, trail.count < 40 {
      let (spelledFolder, name) = split(link)
      guard let folder = resolved(spelledFolder) else { break }
      // A path that ends in a slash is that of its folder.
      trail.append((link, name.isEmpty ? folder : sibling(of: folder + "/x", named: name)))
      next = target(ofLink: link).map { $0.utf8.first == UInt8(ascii: "/") ? $0 : sibling(of: link, named: $0) }
    }
    return trail
  }

  /// Whether a path leads to a file that a process has open, such as a redirected stream, by its number.
  ///
  /// That is `/dev/stdin`, `/dev/fd/3` or `/proc/7/fd/3`, and a link to one, but not `/proc/7/cwd/file`.
  static func isDescriptor(_ path: String) -> Bool {
    guard FileStatus(unresolved: path)?.kind == .link else { return path.hasPrefix("/dev/fd/") }
    return trail(of: path).contains { _, place in
      let (folder, name) = split(place)
      return Int32(name) != nil && split(folder).name == "fd" && ["/proc/", "/dev/"].contains { folder.hasPrefix($0) }
    }
  }

  /// The folder that holds a file, and the file's name.
  package static func split(_ path: String) -> (folder: String, name: String) {
    // Not by characters: a slash and a combining mark are one character.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.utf8.index(after: slash)...]))
  }

  /// Another name in the folder of a file.
  package static func sibling(of path: String, named name: String) -> String {
    let folder = split(path).folder
    return folder == "/" ? "/\(name)" : path.utf8.contains(UInt8(ascii: "/")) ? "\(folder)/\(name)" : name
  }

  /// A path next to a store, spelled like the user's path of the store unless there is a link in between.
  ///
  /// - Parameters:
  ///   - target: The resolved path of the store.
  ///   - named: The store, as the user named it.
  static func displayPath(_ file: String, beside target: String, named path: String) -> String {
    let (folder, name) = split(path)
    guard let resolved = resolved(folder), let rest = suffix(of: file, after: target),
      areSame(sibling(of: resolved + "/x", named: name), target)
    else { return file }
    return path + rest
  }

  /// The rest of a path after a prefix; `nil` if it does not have the prefix.
  ///
  /// It compares bytes, like the operating system: for a `String`, two spellings of an accented letter are equal.
  package static func suffix(of path: String, after beginning: String) -> Substring? {
    guard path.utf8.starts(with: beginning.utf8) else { return nil }
    return Substring(path.utf8.dropFirst(beginning.utf8.count))
  }

  /// Whether two paths, or names, are the same bytes.
  package static func areSame(_ path: String, _ other: String) -> Bool {
    path.utf8.elementsEqual(other.utf8)
  }

  /// Whether something has this name, even a dangling link.
  ///
  /// - Throws: `MigrationError` if that cannot be determined.
  package static func isThere(_ path: String) throws(MigrationError) -> Bool {
    if FileStatus(unresolved: path) != nil { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure(.unreadable, path) }
    return false
  }

  /// Whether something has, or may have, this name: a file that cannot be accessed is not missing.
  package static func exists(_ path: String) -> Bool { (try? isThere(path)) ?? true }

  /// Whether a path leads to a given file.
  ///
  /// - Throws: `MigrationError` if that cannot be determined.
  static func leads(_ path: String, to file: FileStatus, followingLinks: Bool = true) throws(MigrationError) -> Bool {
    if let found = followingLinks ? FileStatus(path) : FileStatus(unresolved: path) {
      return found.isSameFile(as: file)
    }
    guard errno == ENOENT || errno == ENOTDIR || errno == ELOOP else { throw failure(.inputOutput, path) }
    return false
  }

  /// The folder that a file is or will be in, with every symbolic link resolved.
  ///
  /// - Parameter code: The error code if there is none.
  package static func resolvedFolder(
    of path: String, else code: MigrationError.Code
  ) throws(MigrationError) -> String {
    let folder = split(path).folder
    if let resolved = resolved(folder) {
      guard let kind = FileStatus(resolved)?.kind, kind != .directory else { return resolved }
      throw MigrationError(code, path: path, detail: "'\(folder)' is a file, not a folder")
    }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure(code, path) }
    throw MigrationError(code, path: path, detail: "there is no folder '\(folder)'")
  }

  /// Removes a file, if possible.
  ///
  /// Use it for hidden files, which the next run removes, and for files that are recreated when they are needed.
  package static func remove(_ path: String) {
    unlink(path)
  }

  /// Removes a file that must not stay, if it exists.
  static func remove(_ path: String, orThrow code: MigrationError.Code) throws(MigrationError) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw failure(code, path)
  }

  /// Writes a file's bytes to the disk.
  package static func synchronize(_ path: String) throws(MigrationError) {
    let descriptor = try openFile(path, O_RDONLY, orThrow: .inputOutput)
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(.inputOutput, path) }
  }

  /// Lets the system begin to write a file's bytes to the disk, so that `synchronize` has less to wait for.
  ///
  /// It promises nothing: what fails here is reported by the sync.
  static func startWriting(_ descriptor: Int32) {
    #if os(Linux)
      _ = sync_file_range(descriptor, 0, 0, UInt32(SYNC_FILE_RANGE_WRITE))
    #endif
  }

  /// Writes the names in a file's folder to the disk.
  package static func synchronizeFolder(of path: String) throws(MigrationError) {
    let folder = split(path).folder
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder may be writable but not readable, and some file systems cannot sync folders.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw failure(.inputOutput, folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure(.inputOutput, folder) }
  }

  /// Does the same for a result that is in place and cannot be undone.
  ///
  /// - Parameter name: The result as the user named it.
  /// - Returns: A warning if it failed.
  static func unsynchronized(_ path: String, _ name: String) -> MigrationError? {
    var failure: MigrationError?
    // A disk that has failed once may succeed the next time.
    for _ in 1...3 {
      do throws(MigrationError) {
        try synchronizeFolder(of: path)
        return nil
      } catch {
        failure = error
      }
    }
    return failure?.about(name, as: .notSynchronized)
  }

  /// Creates a hard link with a new name.
  ///
  /// - Returns: Whether that succeeded; false if the name is taken.
  package static func addLink(to path: String, named other: String) throws(MigrationError) -> Bool {
    if link(path, other) == 0 { return true }
    if errno == EEXIST { return false }
    throw failure(.cannotCreate, other)
  }

  /// Renames a file, atomically replacing the file with the new name.
  package static func move(_ path: String, replacing other: String) throws(MigrationError) {
    guard rename(path, other) != 0 else { return }
    let number = errno
    var error = failure(.cannotReplace, other, number: number)
    if number == EPERM, error.advice == nil {
      error.advice = fixedAttributeAdvice(path).map { "No data was changed. \($0)" }
    }
    throw error
  }

  /// Renames a file to a new name without replacing anything.
  ///
  /// - Returns: Whether that succeeded; false if the name is taken.
  package static func moveWithoutReplacing(_ path: String, to other: String) throws(MigrationError) -> Bool {
    do throws(MigrationError) {
      guard try addLink(to: path, named: other) else { return false }
    } catch let error where error.code == .cannotCreate {
      // Without hard links, the best that can be done is to check first.
      guard try !isThere(other) else { throw error }
      try move(path, replacing: other)
      return true
    }
    // If it stays, it is a hard link to the result (`StagingFile.removeSecondName`).
    remove(path)
    return true
  }

  /// An error with the operating system's message for `errno`, and advice.
  package static func failure(
    _ code: MigrationError.Code, _ path: String, number: Int32 = errno
  ) -> MigrationError {
    let detail = openingFailure(number)
    let kind: MigrationError.Code =
      switch number {
      case ENOSPC, EDQUOT: .diskFull
      case ENOMEM: .outOfMemory
      case EINTR where EndRequest.isMade: .interrupted
      case EIO, EMFILE, ENFILE, EFBIG: .inputOutput
      case ENOLCK: .noLocks
      default: code
      }
    var error = MigrationError(kind, path: path, detail: kind == .interrupted ? nil : detail)
    error.advice = advice(number, code, path).map { "No data was changed. \($0)" }
    return error
  }

  private static func advice(_ number: Int32, _ code: MigrationError.Code, _ path: String) -> String? {
    let isWriting = code == .cannotCreate || code == .cannotReplace
    switch number {
    case EDQUOT: return "Your disk quota is used up: free some of your own space and run this again."
    case EMFILE, ENFILE: return "Allow more open files (ulimit -n) and run this again."
    case EFBIG:
      return
        "The new file is larger than this process may write (ulimit -f) or than its file system can hold: raise the "
        + "limit, or use another file system."
    case EROFS where isWriting:
      return "Its file system is mounted read-only: remount it for writing, or use a file on another one."
    case EPERM where isWriting: return fixedAttributeAdvice(path)
    // What the error's code advises by itself fits these.
    case EACCES, EPERM, EIO: return nil
    case ENOENT where code != .unreadable: return nil
    default:
      return openingAdvice(number, path)
        ?? (code == .unreadable ? "Check the file and its disk, and run this again." : nil)
    }
  }

  /// Advice about a file or folder whose attributes keep even its owner from changing it; `nil` if there are none.
  static func fixedAttributeAdvice(_ path: String) -> String? {
    // Opening the file would end a lease that this process may hold on it.
    if access(path, W_OK) != 0, errno == EPERM {
      return "'\(path)' is immutable; let it be changed with: chattr -i \(ErrorMessage.shellPath(path))"
    }
    let folder = split(path).folder
    let flags = attributeFlags(ofFolder: folder)
    if flags & 0x10 != 0 {
      return "The folder '\(folder)' is immutable; let it be changed with: chattr -i \(ErrorMessage.shellPath(folder))"
    }
    guard flags & 0x20 != 0 else { return nil }
    return "The folder '\(folder)' is append-only, so that no file in it can be renamed or removed; allow that with: "
      + "chattr -a \(ErrorMessage.shellPath(folder))"
  }

  /// The attributes of a folder, as `lsattr` shows them: 0x10 immutable, 0x20 append-only.
  private static func attributeFlags(ofFolder path: String) -> Int {
    #if os(Linux)
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { return 0 }
      defer { close(descriptor) }
      var flags = 0
      // FS_IOC_GETFLAGS, a macro that Swift does not see.
      return ioctl(descriptor, 0x8008_6601, &flags) == 0 ? flags : 0
    #else
      return 0
    #endif
  }
}

extension FileSystem {
  /// Creates a folder that no other user can access, unless it already exists.
  ///
  /// - Parameter owner: A user other than this one whose folder is accepted: a stranger's could contain anything.
  /// - Returns: Whether it is new.
  static func makeFolder(_ path: String, orOneOf owner: UInt32) throws(MigrationError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST, let status = FileStatus(unresolved: path) else { throw failure(.cannotCreate, path) }
    guard status.kind == .directory, [geteuid(), owner].contains(status.userID) else { throw obstacle(path) }
    return false
  }

  /// Creates the folders that a file is to be in, with the permissions that new folders have, and makes them last.
  ///
  /// - Parameter source: The folder whose names they repeat, which limits their permissions.
  package static func makeFolders(of path: String, like source: String) throws(MigrationError) {
    let folder = split(path).folder
    // A stranger's link is not ours to follow; the file itself is made with the same care.
    guard FileStatus(folder) == nil else { return }
    if folder != split(folder).folder { try makeFolders(of: folder, like: source) }
    if mkdir(folder, 0o700) == 0 {
      try NewFileAccess(from: [source]).give(toFileAt: folder)
    } else if errno != EEXIST {
      throw failure(.cannotCreate, folder)
    }
    try synchronizeFolder(of: folder)
  }

  /// Removes a folder if it is empty.
  ///
  /// - Returns: Whether it is gone.
  static func removeFolder(_ path: String) -> Bool { rmdir(path) == 0 }

  /// The names in a folder; `nil` with `errno` set if it cannot be listed.
  package static func names(in path: String) -> [String]? {
    SystemC.names(inFolder: path)
  }

  // MARK: - Locks

  /// Checks that the file system supports locks.
  ///
  /// If locks are never available, as on a file server without a lock service, SQLite assumes that another program
  /// holds the lock, and waits.
  ///
  /// - Parameter path: The file as the user named it, for messages.
  static func requireLocks(_ descriptor: Int32, named path: String) throws(MigrationError) {
    // A shared lock after the bytes that SQLite locks: it does not affect others, and ends when the file is closed.
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000 + 0x1000
    lock.l_len = 1
    guard fcntl(descriptor, F_SETLK, &lock) != 0, errno == ENOLCK else { return }
    throw failure(.noLocks, path)
  }
}

package import MigrationDiagnostics
internal import SystemC

/// The few operations on files whose order and durability the safety of a migration rests on.
package enum FileSystem {
  /// The path with every symbolic link resolved, so that the target of a link is replaced and not the link; `nil` with
  /// `errno` set where there is none, or where somebody else has put the link there.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path) else { return nil }
    guard !isStrangersLink(path) else {
      errno = EACCES
      return nil
    }
    return resolved
  }

  /// Whether a path leads through a symbolic link that another user has put into a folder where everybody may put files,
  /// such as `/tmp`.
  ///
  /// The kernel does not follow one (`fs.protected_symlinks`); but whoever asks what a link says is told, and systems can
  /// be set up to follow them.
  package static func isStrangersLink(_ path: String) -> Bool {
    var path = path
    // As many as the kernel follows.
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

  /// What a symbolic link says; `nil` for what is none.
  static func target(ofLink path: String) -> String? { readlink(path) }

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

  /// A path beside a store in the form in which the user named the store, where no link is between.
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

  /// What follows the beginning of a path; `nil` for a path that begins otherwise.
  ///
  /// By bytes, as the operating system has it: to a `String`, two ways to write one accented letter are the same.
  package static func suffix(of path: String, after beginning: String) -> Substring? {
    guard path.utf8.starts(with: beginning.utf8) else { return nil }
    return Substring(path.utf8.dropFirst(beginning.utf8.count))
  }

  /// Whether two paths, or names, are the same bytes.
  static func areSame(_ path: String, _ other: String) -> Bool {
    path.utf8.elementsEqual(other.utf8)
  }

  /// Whether there is something under this name, be it a dangling link.
  ///
  /// - Throws: `MigrationError` when nobody can tell.
  package static func isThere(_ path: String) throws(MigrationError) -> Bool {
    if FileStatus(unresolved: path) != nil { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure(.unreadable, path) }
    return false
  }

  /// Whether there is something under this name, or may be: what cannot be looked at is not missing.
  package static func exists(_ path: String) -> Bool { (try? isThere(path)) ?? true }

  /// Whether a path leads to a file, whatever other names that has.
  ///
  /// - Throws: `MigrationError` when nobody can tell.
  static func leads(_ path: String, to file: FileStatus, followingLinks: Bool = true) throws(MigrationError) -> Bool {
    if let found = followingLinks ? FileStatus(path) : FileStatus(unresolved: path) {
      return found.isSameFile(as: file)
    }
    guard errno == ENOENT || errno == ENOTDIR || errno == ELOOP else { throw failure(.inputOutput, path) }
    return false
  }

  /// The folder that a file is or will be in, with every symbolic link resolved.
  ///
  /// - Parameter code: What is wrong when there is none.
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

  /// Removes a file that does no harm where it cannot be removed.
  ///
  /// Such are hidden ones, which the next run removes, and those that whoever needs them makes anew. One that is not there
  /// is no failure.
  package static func remove(_ path: String) {
    unlink(path)
  }

  /// Removes a file that must not stay; one that is not there is no failure.
  static func remove(_ path: String, orThrow code: MigrationError.Code) throws(MigrationError) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw failure(code, path)
  }

  /// Makes sure that a file's bytes are on the disk.
  package static func synchronize(_ path: String) throws(MigrationError) {
    let descriptor = try openFile(path, O_RDONLY, orThrow: .inputOutput)
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

  /// Makes sure of the same for a result that is in place, which a failure cannot undo.
  ///
  /// - Parameter name: The result as the user named it.
  /// - Returns: The warning that nobody can be sure of it.
  static func unsynchronized(_ path: String, _ name: String) -> MigrationError? {
    var failure: MigrationError?
    // A disk that has failed once may not fail again.
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
    guard rename(path, other) != 0 else { return }
    let number = errno
    var error = failure(.cannotReplace, other, number: number)
    if number == EPERM, error.advice == nil {
      error.advice = fixedAttributeAdvice(path).map { "No data was changed. \($0)" }
    }
    throw error
  }

  /// Renames a file to a name that nothing may have yet.
  ///
  /// - Returns: Whether it could be done; false when the name is taken.
  package static func moveWithoutReplacing(_ path: String, to other: String) throws(MigrationError) -> Bool {
    do throws(MigrationError) {
      guard try addLink(to: path, named: other) else { return false }
    } catch let error where error.code == .cannotCreate {
      // A file system without second names: nothing better is left than to look first.
      guard try !isThere(other) else { throw error }
      try move(path, replacing: other)
      return true
    }
    // Where it stays, it is a second name of the result (`StagingFile.removeSecondName`).
    remove(path)
    return true
  }

  /// An error with the operating system's words for `errno`, and with what helps against that.
  package static func failure(
    _ code: MigrationError.Code, _ path: String, number: Int32 = errno
  ) -> MigrationError {
    let detail = String(cString: strerror(number))
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
    case ELOOP: return "It is a symbolic link that leads back to itself: remove it, or name another file."
    case ENAMETOOLONG: return "Choose a shorter name: files that are made next to it have longer names."
    case EROFS where isWriting:
      return "Its file system is mounted read-only: remount it for writing, or use a file on another one."
    case EPERM where isWriting: return fixedAttributeAdvice(path)
    default: return nil
    }
  }

  /// What helps where a file, or the folder that it is in, has an attribute that keeps even its owner from changing it;
  /// `nil` where none is found.
  static func fixedAttributeAdvice(_ path: String) -> String? {
    // No file is opened: that would end the lease that this process may hold on it.
    if access(path, W_OK) != 0, errno == EPERM {
      return "'\(path)' is immutable; let it be changed with: chattr -i \(ErrorMessage.shellWord(path))"
    }
    let folder = split(path).folder
    let flags = attributeFlags(ofFolder: folder)
    if flags & 0x10 != 0 {
      return "The folder '\(folder)' is immutable; let it be changed with: chattr -i \(ErrorMessage.shellWord(folder))"
    }
    guard flags & 0x20 != 0 else { return nil }
    return "The folder '\(folder)' is append-only, so that no file in it can be renamed or removed; allow that with: "
      + "chattr -a \(ErrorMessage.shellWord(folder))"
  }

  /// What `lsattr` shows of a folder: 0x10 immutable, 0x20 append-only.
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
  /// Makes a folder that nobody else can look into; one that is there already is no failure.
  ///
  /// - Parameter owner: Whose folder it may be besides this user's: what is in anybody else's could be anything.
  /// - Returns: Whether it is new.
  static func makeFolder(_ path: String, orOneOf owner: UInt32) throws(MigrationError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST, let status = FileStatus(unresolved: path) else { throw failure(.cannotCreate, path) }
    guard status.kind == .directory, [geteuid(), owner].contains(status.userID) else { throw obstacle(path) }
    return false
  }

  /// Removes a folder if it is empty.
  ///
  /// - Returns: Whether it is gone.
  static func removeFolder(_ path: String) -> Bool { rmdir(path) == 0 }

  /// The names in a folder; `nil` with `errno` set when it cannot be listed.
  package static func names(in path: String) -> [String]? {
    SystemC.names(inFolder: path)
  }

  // MARK: - Locks

  /// Makes sure that there are locks where an open file lies.
  ///
  /// SQLite takes a lock that nobody can ever have, as on a file server without a lock service, for one that somebody
  /// else has, and waits for it.
  ///
  /// - Parameter path: The file as the user named it, for messages.
  static func requireLocks(_ descriptor: Int32, named path: String) throws(MigrationError) {
    // Shared, and behind the bytes that SQLite locks: it is in nobody's way, and ends when the file is closed.
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000 + 0x1000
    lock.l_len = 1
    guard fcntl(descriptor, F_SETLK, &lock) != 0, errno == ENOLCK else { return }
    throw failure(.noLocks, path)
  }
}

package import MigrationDiagnostics
internal import SystemC

/// The permissions of new files and folders.
///
/// A new file takes the umask, or the default access control list of its folder, as a file of any other program does. But
/// it is never open to more people than any of the files that its contents come from: a library that is made from a
/// private feed is private.
package struct NewFileAccess {
  fileprivate struct Source {
    let status: FileStatus
    let list: AccessControlList?
  }

  fileprivate let sources: [Source]

  /// Describes files whose contents come from these files and folders; `-` is standard input.
  ///
  /// What is not a file, such as a pipe or a built-in preset, says nothing about permissions.
  package init(from paths: [String]) { sources = paths.flatMap { Self.sources($0) } }

  private static func sources(_ path: String, depth: Int = 0) -> [Source] {
    guard let status = path == "-" ? FileStatus(descriptor: STDIN_FILENO) : FileStatus(path),
      [.regular, .directory].contains(status.kind)
    else { return [] }
    let resolved = path == "-" ? nil : FileSystem.resolved(path)
    let source = Source(
      status: status, list: resolved.flatMap { AccessControlList(AccessControlList.attribute, of: $0) })
    if status.kind == .regular, depth == 0, let resolved { return [source] + companions(ofStoreAt: resolved) }
    // A model is a folder of folders.
    guard status.kind == .directory, depth < 3, StoreFileNames.isModelFolder(path) else { return [source] }
    return [source]
      + (FileSystem.names(in: path) ?? []).flatMap { Self.sources("\(path)/\($0)", depth: depth + 1) }
  }

  /// What a store's content comes from besides its file: the log, the journal and the external data files.
  private static func companions(ofStoreAt path: String) -> [Source] {
    let folder = ExternalDataFolder(ofStoreAt: path)
    // Each of them is a file of its own, whatever its name is the beginning of.
    return ["\(path)-wal", "\(path)-journal", folder.path, folder.dataPath].flatMap { sources($0, depth: 1) }
      + ((try? folder.names()) ?? []).flatMap { sources(folder.filePath($0), depth: 1) }
  }

  /// Gives a new file or folder, which only this user can use so far, its permissions, and writes it to the disk.
  ///
  /// - Parameter owner: A file whose owner gets the new one, if this user may give files away.
  package func give(toFileAt path: String, ofOwnerOf owner: String? = nil) throws(MigrationError) {
    let descriptor = try Self.open(path)
    defer { close(descriptor) }
    guard let file = FileStatus(descriptor: descriptor) else { throw FileSystem.failure(.inputOutput, path) }
    if geteuid() == 0, let owner = owner.flatMap({ FileStatus($0) }) {
      try FileAttributes.check(fchown(descriptor, owner.userID, owner.groupID), path)
    }
    let list = AccessControlList(AccessControlList.defaultAttribute, of: FileSystem.split(path).folder)
    // With an inherited list, the group's bits are the most that anybody in it has.
    let mode = (list?.mode ?? 0o777 & ~Self.umask) & (file.kind == .directory ? 0o777 : 0o666)
    // A folder in one that hands its group on does so too.
    let inherited = file.kind == .directory ? file.mode & 0o2000 : 0
    try FileAttributes.check(fchmod(descriptor, mode_t(limited(mode, descriptor, path) | inherited)), path)
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  /// Takes the permissions from a new file or folder that its sources, and the umask, do not allow.
  package func limit(_ path: String) throws(MigrationError) {
    let descriptor = try Self.open(path)
    defer { close(descriptor) }
    try limit(descriptor, named: path)
  }

  private static func open(_ path: String) throws(MigrationError) -> Int32 {
    let descriptor = SystemC.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileSystem.failure(.inputOutput, path) }
    return descriptor
  }

  /// The same for an open file.
  package func limit(_ descriptor: Int32, named path: String) throws(MigrationError) {
    guard let mode = FileStatus(descriptor: descriptor)?.mode else { throw FileSystem.failure(.inputOutput, path) }
    let limited = limited(mode, descriptor, path)
    guard limited != mode else { return }
    try FileAttributes.check(fchmod(descriptor, mode_t(limited)), path)
  }

  private func limited(_ mode: UInt32, _ descriptor: Int32, _ path: String) -> UInt32 {
    guard let file = FileStatus(descriptor: descriptor) else { return mode & ~0o077 }
    let list = AccessControlList(AccessControlList.attribute, of: path)
    var mode = mode
    if list == nil {
      let inherited = AccessControlList(AccessControlList.defaultAttribute, of: FileSystem.split(path).folder)
      // Without its list, a file's group has no more than the group of the list.
      mode &= inherited.map { $0.permissions(insteadOf: $0.mode) | 0o7700 } ?? ~Self.umask
    }
    return sources.reduce(mode) { $0 & $1.mask(for: file, with: list) }
  }

  /// The permissions that new files of this process lack.
  ///
  /// They can only be read by setting them: to the most private ones, for as long as that takes.
  private static let umask: UInt32 = {
    let mask = SystemC.umask(0o077)
    _ = SystemC.umask(mask)
    return UInt32(mask) & 0o077
  }()
}

extension NewFileAccess.Source {
  /// The permissions that a file made from this one may have.
  fileprivate func mask(for file: FileStatus, with list: AccessControlList?) -> UInt32 {
    let own = self.list?.permissions(insteadOf: status.mode) ?? status.mode
    let others = rights(own, file)
    let isGroupKnown =
      if let list { self.list?.hasSameEntries(as: list) == true } else { status.groupID == file.groupID }
    let group = isGroupKnown ? rights((list == nil ? own : status.mode) >> 3, file) : others
    return ~0o077 | group << 3 | others
  }

  /// The rights of a class of users: those who can enter a folder can read the files in it.
  ///
  /// Those who can read a file can enter the folder that is made from it.
  private func rights(_ bits: UInt32, _ file: FileStatus) -> UInt32 {
    if status.kind != .directory, file.kind == .directory {
      return bits & 0o4 == 0 ? bits & 0o7 : bits & 0o7 | 0o1
    }
    guard status.kind == .directory, file.kind != .directory else { return bits & 0o7 }
    return bits & 0o1 == 0 ? 0 : 0o7
  }
}

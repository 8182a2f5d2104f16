package import MigrationDiagnostics
internal import SystemC

/// A file that a person requested and that is never visible in part: it is first written under a temporary name and
/// then renamed.
///
/// A pipe or a device is written to directly: renaming would replace it with a file.
package struct AtomicFile {
  /// The path as the user named it, for messages.
  package let path: String
  /// The final path, with every symbolic link resolved.
  package let target: String
  /// The temporary path; `nil` for a pipe or a device.
  package let stagedPath: String?
  /// Who may read it before it appears.
  private let mode: mode_t

  /// Determines where a file goes.
  ///
  /// - Parameters:
  ///   - path: The path as the user named it.
  ///   - libraries: Libraries whose files, including backups, must not be replaced.
  ///   - isCompanion: Whether the name is derived from the library's instead of chosen by the user. Then links are not
  ///     followed: somebody else may have created one.
  ///   - isPrivate: Whether only those who may read the library may read the file.
  ///   - temporarySuffix: The suffix of the temporary file's name.
  /// - Throws: `MigrationError` with `cannotCreate` if the file cannot be created there.
  package init(
    _ path: String, besides libraries: [String], isCompanion: Bool = false, isPrivate: Bool = true,
    temporarySuffix: String
  ) throws(MigrationError) {
    self.path = path
    mode = isPrivate ? 0o600 : 0o644
    let (folder, name) = FileSystem.split(path)
    if isCompanion { try Self.requireReplaceable(path) }
    guard !FileSystem.isStrangersLink(path) else {
      throw Self.error("it is a symbolic link of another user", path)
    }
    let kind = isCompanion ? nil : FileStatus(path)?.kind
    guard kind != .directory else { throw Self.refusal("it is a folder", path) }
    guard kind == nil || kind == .regular else {
      (target, stagedPath) = (path, nil)
      return
    }
    let resolvedFolder = try FileSystem.resolvedFolder(of: path, else: .cannotCreate)
    guard !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: path, detail: "there is no folder '\(folder)'")
    }
    let place = FileSystem.sibling(of: resolvedFolder + "/x", named: name)
    // A dangling link has no file to replace, so the link itself is replaced.
    target = isCompanion ? place : FileSystem.resolved(path) ?? place
    stagedPath = FileSystem.sibling(
      of: target, named: ".\(FileSystem.split(target).name).tracks-migrate.\(temporarySuffix)")
    try requireNoPart(of: libraries)
    let resolvedLibraries = libraries.map { FileSystem.resolved($0) ?? $0 }
    if let reason = StoreFileNames.reservation(target, besides: resolvedLibraries) { throw Self.refusal(reason, path) }
  }

  /// Checks that neither a file of a library nor any other database would be replaced.
  private func requireNoPart(of libraries: [String]) throws(MigrationError) {
    for library in libraries {
      let resolved = FileSystem.resolved(library) ?? library
      if StoreFileNames.isPart(target, of: resolved) { throw Self.refusal("this name belongs to '\(library)'", path) }
      guard let status = FileStatus(unresolved: target), status.linkCount > 1 else { continue }
      for suffix in ["", "-wal", "-shm", "-journal"]
      where FileStatus(unresolved: resolved + suffix)?.isSameFile(as: status) == true {
        throw Self.refusal("it is another name (hard link) of '\(library)\(suffix)'", path)
      }
    }
    // Possibly a backup, or another library.
    if (try? StoreFile(target)) != nil { throw Self.refusal("there is a SQLite database of this name", path) }
  }

  /// Checks that the file would not replace the statistics of a library's migration.
  package func requireNoReport(ofLibraryAt library: String) throws(MigrationError) {
    let report = (FileSystem.resolved(library) ?? library) + ".migration.json"
    guard [report, FileSystem.resolved(report) ?? report].contains(where: { FileSystem.areSame($0, target) }) else {
      return
    }
    throw Self.refusal("it holds the statistics of the migration of '\(library)'", path)
  }

  private static func refusal(_ detail: String, _ path: String) -> MigrationError {
    var error = MigrationError(.cannotCreate, path: path, detail: detail)
    error.advice = "Nothing was changed. Name another file."
    return error
  }

  /// Checks that an existing file with the name of a library's companion is an older companion, or a link of this user,
  /// which is itself replaced.
  private static func requireReplaceable(_ path: String) throws(MigrationError) {
    guard try FileSystem.isThere(path), let status = FileStatus(unresolved: path) else { return }
    let detail: String
    switch status.kind {
    case .regular: return
    case .link where status.userID == geteuid(): return
    case .link: detail = "it is a symbolic link of another user (\(status.userID))"
    case .directory: detail = "it is a folder"
    default: detail = "it is not a regular file"
    }
    throw error(detail, path)
  }

  private static func error(_ detail: String, _ path: String) -> MigrationError {
    var error = MigrationError(.cannotCreate, path: path, detail: detail)
    error.advice = "Nothing was changed. Remove it, or name another file."
    return error
  }

  /// Checks whether the file can be written, before there is anything to write.
  package func reserve() throws(MigrationError) {
    guard let stagedPath else { return }
    try named { () throws(MigrationError) in
      try FileSystem.requireNoObstacle(StoreReplacement.Companion.earlierPath(forFileStagedAt: stagedPath))
    }
    try stage([])
  }

  /// Writes the whole file, without making it visible yet.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - isCancelled: Called while waiting for a reader of a pipe; returning true ends the wait.
  package func stage(_ bytes: [UInt8], isCancelled: () -> Bool = { EndRequest.isMade }) throws(MigrationError) {
    try named { () throws(MigrationError) in
      guard let stagedPath else {
        return try FileSystem.writeToDevice(bytes, at: target, isCancelled: isCancelled)
      }
      let descriptor = try FileSystem.createFile(stagedPath, mode: mode)
      defer { close(descriptor) }
      try FileSystem.write(bytes, count: bytes.count, to: descriptor, named: stagedPath)
      guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, stagedPath) }
    }
  }

  /// Makes the file visible.
  ///
  /// - Parameter library: The library whose permissions the file gets, if any.
  package func publish(likeLibraryAt library: String? = nil) throws(MigrationError) {
    guard let stagedPath else { return }
    try named { () throws(MigrationError) in
      if let library {
        try FileAttributes(of: FileSystem.resolved(library) ?? library).giveAccess(toDocumentAt: stagedPath)
      }
      try FileSystem.move(stagedPath, replacing: target)
    }
  }

  /// Reports errors with the path as the user named it.
  private func named(_ work: () throws(MigrationError) -> Void) throws(MigrationError) {
    do throws(MigrationError) {
      try work()
    } catch {
      throw error.about(path)
    }
  }

  /// Removes the temporary file.
  package func discard() {
    if let stagedPath { try? FileSystem.removeLeftover(stagedPath) }
  }
}

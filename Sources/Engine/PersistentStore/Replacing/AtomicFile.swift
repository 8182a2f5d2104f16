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

  /// Determines where a file goes.
  ///
  /// - Parameters:
  ///   - path: The path as the user named it.
  ///   - isCompanion: Whether the name is derived from the library's instead of chosen by the user. Then links are not
  ///     followed: another user may have created one.
  ///   - temporarySuffix: The suffix of the temporary file's name.
  /// - Throws: `MigrationError` with `cannotCreate` if the file cannot be created there.
  package init(
    _ path: String, isCompanion: Bool = false, temporarySuffix: String
  ) throws(MigrationError) {
    self.path = path
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

  /// Waits for other runs that write the same file, and keeps them out until the lock is discarded.
  ///
  /// All runs use the same temporary name, so that the next one removes what a killed one has left.
  ///
  /// - Parameter isRequired: Whether a file system without locks is an error, since what is there is read first.
  /// - Returns: `nil` if there is no lock: several may write to a pipe or a device.
  package func lock(isRequired: Bool = false) throws(MigrationError) -> StagingFile? {
    guard stagedPath != nil else { return nil }
    do throws(MigrationError) {
      return try StagingFile.waiting(for: target)
    } catch {
      if error.code == .noLocks, !isRequired { return nil }
      throw error.subject.path == target ? error.about(path) : error
    }
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
      let descriptor = try FileSystem.createFile(stagedPath)
      defer { close(descriptor) }
      try FileSystem.write(bytes, count: bytes.count, to: descriptor, named: stagedPath)
      guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, stagedPath) }
    }
  }

  /// Makes the file visible.
  ///
  /// - Parameter sources: The files that its contents come from, which limit its permissions; the owner of the first one
  ///   gets it.
  package func publish(from sources: [String]) throws(MigrationError) {
    guard let stagedPath else { return }
    try named { () throws(MigrationError) in
      try NewFileAccess(from: sources).give(toFileAt: stagedPath, ofOwnerOf: sources.first)
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

  /// Removes what a killed run has left, unless another one is active.
  package func discardLeftovers() {
    guard stagedPath != nil, FileSystem.exists(StagingFile.path(for: target)),
      let lock = try? StagingFile(for: target, named: path, isStore: false)
    else { return }
    discard()
    lock.discard()
  }
}

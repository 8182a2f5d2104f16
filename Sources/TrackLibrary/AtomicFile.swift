public import Migration
public import MigrationDiagnostics
internal import PersistentStore
internal import SystemC

/// A file that a person requested and that is never visible in part: it is first written under a temporary name and
/// then renamed.
///
/// Anything other than a file, such as a pipe or a device, is written to directly: renaming would replace it with a
/// file.
public struct AtomicFile {
  /// The path as the user named it, for messages.
  public let path: String
  /// The final path of the file, with every symbolic link resolved.
  package let target: String
  /// The path where it is written before it appears; `nil` if it is not a file.
  let stagedPath: String?
  /// The permissions before it appears.
  private let mode: mode_t

  /// Determines where a file goes.
  ///
  /// - Parameters:
  ///   - path: The path as the user named it.
  ///   - libraries: Libraries whose own files, including backups, this file must not replace.
  ///   - isCompanion: Whether the name is derived from the library's rather than chosen by the user. Symbolic links are
  ///     then not followed, because someone else may have created them.
  ///   - isPrivate: Whether the file is for those who may read the library, rather than for everyone.
  ///   - temporarySuffix: The suffix of the temporary file's name.
  /// - Throws: `MigrationError` with `cannotCreate` if the file cannot be created there.
  public init(
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

  /// Checks that the report of a library's migration would not be replaced by something else.
  public func requireNoReport(ofLibraryAt library: String) throws(MigrationError) {
    let report = MigrationReport.path(forLibraryAt: FileSystem.resolved(library) ?? library)
    guard target == report || target == FileSystem.resolved(report) else { return }
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

  /// Checks that the file can be written before there is anything to write.
  public func reserve() throws(MigrationError) {
    guard let stagedPath else { return }
    try named { () throws(MigrationError) in
      try FileSystem.requireNoObstacle(StoreReplacement.Companion.earlierPath(forFileStagedAt: stagedPath))
    }
    try stage([])
  }

  /// Writes the whole file, without making it visible yet.
  ///
  /// - Parameters:
  ///   - bytes: The complete contents.
  ///   - cancellation: Ends the wait for a process that reads from a pipe.
  public func stage(_ bytes: [UInt8], _ cancellation: MigrationCancellation? = nil) throws(MigrationError) {
    try named { () throws(MigrationError) in
      guard let stagedPath else {
        return try FileSystem.writeToDevice(bytes, at: target) { cancellation?.isCancelled == true }
      }
      let descriptor = try FileSystem.createFile(stagedPath, mode: mode)
      defer { close(descriptor) }
      try FileSystem.write(bytes, count: bytes.count, to: descriptor, named: stagedPath)
      guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, stagedPath) }
    }
  }

  /// Makes the file visible.
  ///
  /// - Parameter library: The library that the file is about, if only those who may read the library may read it.
  public func publish(likeLibraryAt library: String? = nil) throws(MigrationError) {
    guard let stagedPath else { return }
    try named { () throws(MigrationError) in
      if let library {
        try FileAttributes(of: FileSystem.resolved(library) ?? library).giveAccess(toDocumentAt: stagedPath)
      }
      try FileSystem.move(stagedPath, replacing: target)
    }
  }

  /// Names the file in errors as the user did.
  private func named(_ work: () throws(MigrationError) -> Void) throws(MigrationError) {
    do throws(MigrationError) {
      try work()
    } catch {
      throw error.about(path)
    }
  }

  /// Removes a file that has not been published.
  public func discard() {
    if let stagedPath { try? FileSystem.removeLeftover(stagedPath) }
  }
}

package import MigrationDiagnostics

/// Replaces the old store with a complete new one, or gives that a new name.
///
/// At all times, the library's path leads to the complete old or the complete new store: the backup becomes a hard link to
/// the old one, then the new one takes the library's name atomically (`rename`). The folder is synced after each step, so
/// that a power failure keeps the order.
package struct StoreReplacement {
  /// A file that appears together with the new store, or that disappears with the old one.
  ///
  /// If that fails it is removed, and the file that it replaced is restored.
  package struct Companion {
    package let stagedPath: String
    package let path: String
    package let mayReplace: Bool
    /// Whether nothing takes the place of the file.
    package private(set) var isRemoval = false
    /// The temporary name of the file that it replaces, until nothing can fail any more.
    package var earlierPath: String { Self.earlierPath(forFileStagedAt: stagedPath) }

    package static func earlierPath(forFileStagedAt path: String) -> String { path + ".earlier" }

    /// Returns the companion that removes a file.
    ///
    /// - Parameter path: The hidden path whose ``earlierPath`` the file has until nothing can fail any more.
    package static func removal(of file: String, keptAs path: String) -> Companion {
      var companion = Companion(stagedPath: path, path: file, mayReplace: true)
      companion.isRemoval = true
      return companion
    }

    package init(stagedPath: String, path: String, mayReplace: Bool) {
      self.stagedPath = stagedPath
      self.path = path
      self.mayReplace = mayReplace
    }
  }

  package let staging: StagingFile
  package let companions: [Companion]
  /// Limits new files, besides the permissions of the library.
  private let access: NewFileAccess

  package init(
    staging: StagingFile, companions: [Companion], access: NewFileAccess = NewFileAccess(from: [])
  ) {
    (self.staging, self.companions, self.access) = (staging, companions, access)
  }

  /// Replaces a library, and releases it even if that fails.
  ///
  /// - Parameters:
  ///   - writeLock: The lock that has taken the library over.
  ///   - backupPath: A free name for the old library, or `nil` to keep no backup.
  /// - Returns: Warnings about steps after the replacement that failed.
  @discardableResult
  package func replace(
    _ library: StoreFile, heldBy writeLock: StoreWriteLock, backupPath: String?
  ) throws(MigrationError) -> [MigrationError] {
    defer { writeLock.letGo() }
    let old = try writeLock.wholeFile()
    let status = old.currentStatus
    // The current ones: permissions may have been removed during the work.
    try staging.takeAttributes(of: library)
    var placed = PlacedFiles()
    do throws(MigrationError) {
      try old.requireAlone()
      if let backupPath {
        placed.add(
          try Backup.make(of: old, at: library.resolvedPath, named: backupPath, by: staging), at: backupPath)
      }
      try publishCompanions(like: library, &placed)
      try FileSystem.synchronizeFolder(of: library.resolvedPath)
      // Locks belong to files, not to names: another program may have put a file in the library's place.
      try old.requireAlone()
      try FileSystem.move(staging.path, replacing: library.resolvedPath)
    } catch {
      let error = placed.takeBack(after: error)
      // An error about a taken name is about that name; all others are about the library.
      if error.code == .outputExists { throw error }
      throw error.about(library.path)
    }
    // The new library is in place: from here on nothing can be undone.
    defer { placed.discardEarlierFiles() }
    var warnings: [MigrationError] = []
    if let status, let now = old.currentStatus, !now.hasSameOwnership(as: status) {
      // No lock prevents this. A program that changed the old library too late meant the new one too. The backup may be
      // a copy.
      let files = [library.resolvedPath, backupPath].compactMap(\.self).map { ($0, 0o7777 as UInt32) }
      for (path, mask) in files + companions.filter({ !$0.isRemoval }).map({ ($0.path, 0o666) })
      where !now.giveOwnership(toFileAt: path, mask: mask) {
        warnings.append(FileSystem.failure(.inputOutput, path).about(path, as: .permissionsNotKept))
      }
    }
    return warnings
      + [
        old.retire(backup: backupPath, by: staging), FileSystem.unsynchronized(library.resolvedPath, library.path),
      ].compactMap(\.self)
  }

  /// Gives the new store a free name.
  ///
  /// - Returns: Warnings about steps after that that failed.
  @discardableResult
  package func publish(as output: String, like source: StoreFile) throws(MigrationError) -> [MigrationError] {
    try staging.takeAttributes(of: source)
    try access.limit(staging.path)
    var placed = PlacedFiles()
    do throws(MigrationError) {
      try publishCompanions(like: source, &placed)
      // Everything before the new name must be on the disk first.
      try FileSystem.synchronizeFolder(of: output)
      guard try FileSystem.moveWithoutReplacing(staging.path, to: output) else {
        throw MigrationError(.outputExists, path: output)
      }
    } catch {
      throw placed.takeBack(after: error)
    }
    // The result is in place: from here on nothing can be undone.
    placed.discardEarlierFiles()
    return [FileSystem.unsynchronized(output, output)].compactMap(\.self)
  }

  /// Lets the companions appear beside a store that stays as it is.
  func publishCompanions(of store: StoreFile) throws(MigrationError) {
    var placed = PlacedFiles()
    do throws(MigrationError) {
      try publishCompanions(like: store, &placed)
      try FileSystem.synchronizeFolder(of: store.resolvedPath)
    } catch {
      throw placed.takeBack(after: error)
    }
    placed.discardEarlierFiles()
  }

  private func publishCompanions(like store: StoreFile, _ placed: inout PlacedFiles) throws(MigrationError) {
    guard !companions.isEmpty else { return }
    let attributes = try FileAttributes(of: store.resolvedPath)
    // Files that replace those of an earlier run come last, so that an earlier failure does not affect those.
    for companion in companions.filter({ !$0.mayReplace }) + companions.filter(\.mayReplace) {
      if companion.isRemoval {
        try FileSystem.removeLeftover(companion.earlierPath)
        guard try FileSystem.isThere(companion.path) else { continue }
        try FileSystem.move(companion.path, replacing: companion.earlierPath)
        placed.add(nil, at: companion.path, replacing: companion.earlierPath)
        continue
      }
      // Only those who may read the library may read files about it.
      try attributes.giveAccess(toDocumentAt: companion.stagedPath)
      try access.limit(companion.stagedPath)
      guard let staged = FileStatus(unresolved: companion.stagedPath) else {
        throw FileSystem.failure(.inputOutput, companion.stagedPath)
      }
      if companion.mayReplace, try FileSystem.isThere(companion.path) {
        try replace(with: companion)
        placed.add(staged, at: companion.path, replacing: companion.earlierPath)
      } else {
        guard try FileSystem.moveWithoutReplacing(companion.stagedPath, to: companion.path) else {
          throw MigrationError(.outputExists, path: companion.path)
        }
        placed.add(staged, at: companion.path)
      }
    }
  }

  /// Replaces a file of an earlier run, which is kept under another name.
  private func replace(with companion: Companion) throws(MigrationError) {
    let (path, earlierPath) = (companion.path, companion.earlierPath)
    try FileSystem.removeLeftover(earlierPath)
    do throws(MigrationError) {
      guard try FileSystem.addLink(to: path, named: earlierPath) else {
        throw MigrationError(.outputExists, path: earlierPath)
      }
    } catch let error where error.code == .cannotCreate {
      // A file system without hard links.
      try FileSystem.move(path, replacing: earlierPath)
    }
    do throws(MigrationError) {
      try FileSystem.move(companion.stagedPath, replacing: path)
    } catch {
      var error = error
      do throws(MigrationError) {
        if try !FileSystem.isThere(path) { try FileSystem.move(earlierPath, replacing: path) }
        FileSystem.remove(earlierPath)
      } catch _ {
        error.remarks.append("what '\(path)' was before is '\(earlierPath)' now")
      }
      throw error
    }
  }
}

/// The files that a run has published so far, which are removed if it fails.
///
/// Another program may have taken a name since, so each file is compared with the one that was put there, and another
/// program's file stays. Only between that check and the removal can no program be kept from the name.
struct PlacedFiles {
  private struct Placement {
    let path: String
    /// The published file; `nil` if the name is free now.
    let file: FileStatus?
    /// The path of the file that had the name before.
    let earlierPath: String?
  }

  private var placements: [Placement] = []

  /// Records a published file.
  ///
  /// - Parameter earlierPath: Another name of the file that it has replaced.
  mutating func add(_ file: FileStatus?, at path: String, replacing earlierPath: String? = nil) {
    placements.append(Placement(path: path, file: file, earlierPath: earlierPath))
  }

  /// Removes all of them, in reverse order.
  ///
  /// - Returns: The error that caused this, with remarks about files that could not be removed.
  func takeBack(after error: MigrationError) -> MigrationError {
    var error = error
    for placement in placements.reversed() {
      do throws(MigrationError) {
        if let remark = try Self.takeBack(placement) { error.remarks.append(remark) }
      } catch let failure {
        let reason = failure.detail ?? ErrorMessage(failure).problem
        error.remarks.append(
          placement.earlierPath.map { "what '\(placement.path)' was before is '\($0)' now (\(reason))" }
            ?? "'\(placement.path)' could not be removed (\(reason))")
      }
    }
    return error
  }

  private static func takeBack(_ placement: Placement) throws(MigrationError) -> String? {
    let path = placement.path
    let isGone = try !FileSystem.isThere(path)
    let isOurs = try placement.file.map { file throws(MigrationError) in
      try FileSystem.leads(path, to: file, followingLinks: false)
    }
    guard isGone || isOurs == true else {
      if let earlierPath = placement.earlierPath { FileSystem.remove(earlierPath) }
      return "'\(path)' is another program's file by now and was left alone"
    }
    guard let earlierPath = placement.earlierPath else {
      try FileSystem.remove(path, orThrow: .inputOutput)
      return nil
    }
    try FileSystem.move(earlierPath, replacing: path)
    try FileSystem.synchronizeFolder(of: path)
    return nil
  }

  /// Removes the replaced files, once nothing will be undone.
  func discardEarlierFiles() {
    for path in placements.compactMap(\.earlierPath) { FileSystem.remove(path) }
  }
}

/// Gives a backup the name of its library, which gets another name or is removed.
///
/// Both are single files that no other program can open.
struct BackupSwap {
  let place: RestorationPlace
  let backup: StoreFile
  let backupGuard: StoreWriteLock
  /// The current library; `nil` if there is none.
  let library: StoreFile?
  let libraryGuard: StoreWriteLock?
  /// A free name for the current library, or `nil` to remove it.
  let replacedPath: String?
  let staging: StagingFile
  /// The files that go with the two; the caller moves them after the swap.
  let moves: [UndoLog.Move]

  /// Swaps the files, and releases them even if that fails.
  ///
  /// The undo log stays until the caller has done the rest.
  ///
  /// - Returns: Warnings about steps after that that failed.
  func run() throws(MigrationError) -> [MigrationError] {
    defer {
      backupGuard.letGo()
      libraryGuard?.letGo()
    }
    let restored = try backupGuard.wholeFile()
    let replaced = try libraryGuard?.wholeFile()
    var shared: [ExternalDataLinks] = []
    var placed = PlacedFiles()
    let undoLog = UndoLog(staging)
    do throws(MigrationError) {
      try requireAlone(restored, replaced)
      guard let status = restored.currentStatus else { throw FileSystem.failure(.inputOutput, backup.resolvedPath) }
      let restoration = UndoLog.Restoration(backupPath: backup.resolvedPath, replacedPath: replacedPath)
      let later: [UndoLog.Entry] = [.restoration(restoration, of: status)] + moves.map { UndoLog.Entry.move($0) }
      try undoLog.begin(
        library?.status,
        UndoLog.Entry.backup(of: library?.status ?? backup.status, at: replacedPath)
          + UndoLog.Entry.values(of: backup.resolvedPath, withStoreAt: place.target)
          + UndoLog.Entry.values(of: place.target, withStoreAt: replacedPath)
          + later)
      // External data files are never modified. Each store gets links to all that it may need.
      shared.append(try share(from: backup.resolvedPath, with: place.target))
      if let replacedPath {
        shared.append(try share(from: place.target, with: replacedPath))
        if let replaced {
          placed.add(
            try Backup.make(of: replaced, at: place.target, named: replacedPath, by: staging), at: replacedPath)
        }
      }
      try FileSystem.synchronizeFolder(of: place.target)
      try requireAlone(restored, replaced)
      try exchange()
    } catch {
      let error = placed.takeBack(after: error)
      for files in shared.reversed() { files.takeBack() }
      undoLog.discard()
      if error.code == .outputExists { throw error }
      throw error.about(place.path)
    }
    // The backup has the name: from here on nothing can be undone.
    return [replaced?.retire(backup: replacedPath, by: staging), FileSystem.unsynchronized(place.target, place.path)]
      .compactMap(\.self)
  }

  private func exchange() throws(MigrationError) {
    if library != nil { return try FileSystem.move(backup.resolvedPath, replacing: place.target) }
    guard try FileSystem.moveWithoutReplacing(backup.resolvedPath, to: place.target) else {
      throw MigrationError(.outputExists, path: place.path)
    }
  }

  /// Locks belong to files, not to names: another program may have put a file in the place of one.
  private func requireAlone(_ restored: ExclusiveFile, _ replaced: ExclusiveFile?) throws(MigrationError) {
    try restored.requireAlone()
    try replaced?.requireAlone()
    guard replaced == nil, try FileSystem.isThere(place.target) else { return }
    throw MigrationError(.changedMeanwhile, path: place.path)
  }

  private func share(from store: String, with other: String) throws(MigrationError) -> ExternalDataLinks {
    let folder = ExternalDataFolder(ofStoreAt: store)
    return try ExternalDataLinks(folder.names(), of: folder, withStoreAt: other, by: staging)
  }
}

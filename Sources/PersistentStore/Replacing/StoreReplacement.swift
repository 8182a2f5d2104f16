package import Diagnostics

/// Puts a complete new store in the place of the old one, or under a new name.
///
/// At every instant the library's path leads to the whole old store or to the whole new one: the old one gets the
/// backup as its second name, then the new one takes the library's name in one step (`rename`). The folder is synced
/// after each, so that a power cut keeps the order.
package struct StoreReplacement {
  /// A file that appears together with the new store; one that is new is taken back if that fails.
  package struct Companion {
    package let stagedPath: String
    package let path: String
    package let mayReplace: Bool

    package init(stagedPath: String, path: String, mayReplace: Bool) {
      self.stagedPath = stagedPath
      self.path = path
      self.mayReplace = mayReplace
    }
  }

  package let staging: StagingFile
  package let companions: [Companion]

  package init(staging: StagingFile, companions: [Companion]) {
    self.staging = staging
    self.companions = companions
  }

  /// Replaces a library, and lets others have it, whatever comes of that.
  ///
  /// - Parameters:
  ///   - sourceGuard: What has taken the library over.
  ///   - backupPath: A free name for the old library, or `nil` to keep no backup.
  package func replace(
    _ library: StoreFile, heldBy sourceGuard: SourceGuard, backupPath: String?
  ) throws(MigrationError) {
    defer { sourceGuard.letGo() }
    let old = try sourceGuard.wholeFile()
    let status = old.currentStatus
    // As they are now: somebody may have taken rights away during the work.
    try staging.takeAttributes(of: library)
    var undo: [String] = []
    do throws(MigrationError) {
      try old.requireAlone()
      if let backupPath {
        try Backup.make(of: old, at: library.resolvedPath, named: backupPath, by: staging)
        undo.append(backupPath)
      }
      try publishCompanions(like: library, &undo)
      try FileSystem.synchronizeFolder(of: library.resolvedPath)
      // Locks belong to files, not to names: somebody may have put another file in the library's place.
      try old.requireAlone()
      try FileSystem.move(staging.path, replacing: library.resolvedPath)
    } catch {
      for path in undo { FileSystem.remove(path) }
      // A name that is taken is about that name; everything else is about the library.
      if error.code == .outputExists { throw error }
      throw error.about(library.path)
    }
    // The new library is in place: from here on nothing could be undone.
    if let status, let now = old.currentStatus, !now.hasSameOwnership(as: status) {
      // No lock keeps anybody from that. Who came too late for the old library meant what has its name now.
      // The backup may be a copy.
      for path in [library.resolvedPath, backupPath].compactMap(\.self) { now.giveOwnership(toFileAt: path) }
      for companion in companions { now.giveOwnership(toFileAt: companion.path, mask: 0o666) }
    }
    old.retire(backup: backupPath, by: staging)
    try? FileSystem.synchronizeFolder(of: library.resolvedPath)
  }

  /// Gives the new store a name that nothing may have yet.
  package func publish(as output: String, like source: StoreFile) throws(MigrationError) {
    try staging.takeAttributes(of: source)
    var undo: [String] = []
    do throws(MigrationError) {
      try publishCompanions(like: source, &undo)
      // What comes before the new name must be on the disk before it.
      try FileSystem.synchronizeFolder(of: output)
      guard try FileSystem.moveWithoutReplacing(staging.path, to: output) else {
        throw MigrationError(.outputExists, path: output)
      }
    } catch {
      for path in undo { FileSystem.remove(path) }
      throw error
    }
    // The result is in place: from here on nothing could be undone.
    try? FileSystem.synchronizeFolder(of: output)
  }

  private func publishCompanions(like store: StoreFile, _ undo: inout [String]) throws(MigrationError) {
    guard !companions.isEmpty else { return }
    let attributes = try FileAttributes(of: store.resolvedPath)
    // What replaces a file of an earlier run comes last: what fails before leaves that as it is.
    for companion in companions.filter({ !$0.mayReplace }) + companions.filter(\.mayReplace) {
      // What is told of a library is for those who may read the library.
      try attributes.giveAccess(toDocumentAt: companion.stagedPath)
      let existed = try FileSystem.isThere(companion.path)
      if companion.mayReplace {
        try FileSystem.move(companion.stagedPath, replacing: companion.path)
      } else if try !FileSystem.moveWithoutReplacing(companion.stagedPath, to: companion.path) {
        throw MigrationError(.outputExists, path: companion.path)
      }
      if !existed { undo.append(companion.path) }
    }
  }
}

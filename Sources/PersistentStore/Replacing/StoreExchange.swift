internal import Diagnostics

/// Gives a backup the name of its library, which gets another name or none.
///
/// Both are whole files that nobody else can open.
struct StoreExchange {
  let place: RestorationPlace
  let backup: StoreFile
  let backupGuard: SourceGuard
  /// What has the name now; `nil` when nothing has.
  let library: StoreFile?
  let libraryGuard: SourceGuard?
  /// A free name for that, or `nil` to keep it no longer.
  let replacedPath: String?
  let staging: StagingFile

  /// Exchanges the files, and lets others have them, whatever comes of that.
  func run() throws(MigrationError) {
    defer {
      backupGuard.letGo()
      libraryGuard?.letGo()
    }
    let restored = try backupGuard.wholeFile()
    let replaced = try libraryGuard?.wholeFile()
    var shared: [SharedFiles] = []
    var isKept = false
    do throws(MigrationError) {
      try requireAlone(restored, replaced)
      // Files of large values are never written to again. Each store gets names for all that it may want.
      shared.append(try share(from: backup.resolvedPath, with: place.target))
      if let replacedPath {
        shared.append(try share(from: place.target, with: replacedPath))
        if let replaced {
          try Backup.make(of: replaced, at: place.target, named: replacedPath, by: staging)
          isKept = true
        }
      }
      try FileSystem.synchronizeFolder(of: place.target)
      try requireAlone(restored, replaced)
      try exchange()
    } catch {
      if isKept, let replacedPath { FileSystem.remove(replacedPath) }
      for files in shared.reversed() { files.takeBack() }
      if error.code == .outputExists { throw error }
      throw error.about(place.path)
    }
    // The backup has the name: from here on nothing could be undone.
    replaced?.retire(backup: replacedPath, by: staging)
    try? FileSystem.synchronizeFolder(of: place.target)
  }

  private func exchange() throws(MigrationError) {
    if library != nil { return try FileSystem.move(backup.resolvedPath, replacing: place.target) }
    guard try FileSystem.moveWithoutReplacing(backup.resolvedPath, to: place.target) else {
      throw MigrationError(.outputExists, path: place.path)
    }
  }

  /// Locks belong to files, not to names: somebody may have put another file in the place of one.
  private func requireAlone(_ restored: ExclusiveFile, _ replaced: ExclusiveFile?) throws(MigrationError) {
    try restored.requireAlone()
    try replaced?.requireAlone()
    guard replaced == nil, try FileSystem.isThere(place.target) else { return }
    throw MigrationError(.changedMeanwhile, path: place.path)
  }

  private func share(from store: String, with other: String) throws(MigrationError) -> SharedFiles {
    let folder = SupportFolder(ofStoreAt: store)
    return try SharedFiles(folder.names(), of: folder, withStoreAt: other, by: staging)
  }
}

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
  ///
  /// - Returns: What could not be made sure of afterwards.
  func run() throws(MigrationError) -> [MigrationError] {
    defer {
      backupGuard.letGo()
      libraryGuard?.letGo()
    }
    let restored = try backupGuard.wholeFile()
    let replaced = try libraryGuard?.wholeFile()
    var shared: [SharedFiles] = []
    var placed = PlacedFiles()
    do throws(MigrationError) {
      try requireAlone(restored, replaced)
      // Files of large values are never written to again. Each store gets names for all that it may want.
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
      if error.code == .outputExists { throw error }
      throw error.about(place.path)
    }
    // The backup has the name: from here on nothing could be undone.
    return [replaced?.retire(backup: replacedPath, by: staging), FileSystem.unsynchronized(place.target, place.path)]
      .compactMap(\.self)
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

internal import Diagnostics

/// Files of large values that another store is given second names for, before it appears itself.
struct SharedFiles {
  private let folder: SupportFolder
  private let source: SupportFolder
  /// What is to be removed if the store does not appear.
  private var added: [String] = []
  private var isFolderAdded = false

  init(
    _ names: [String], of source: SupportFolder, withStoreAt path: String, by staging: StagingFile
  ) throws(MigrationError) {
    folder = SupportFolder(ofStoreAt: path)
    self.source = source
    guard !FileSystem.areSame(folder.path, source.path) else { return }
    guard try folder.isThere() else {
      let staged = SupportFolder(stagedBy: staging)
      try staged.add(names, from: source)
      // Not made where there is nothing to share.
      guard try staged.isThere() else { return }
      (added, isFolderAdded) = (names, true)
      do throws(MigrationError) {
        try staged.publish(as: folder)
      } catch {
        // It may have its new name already.
        if !staged.exists { takeBack() }
        throw error
      }
      return
    }
    // A run that died here has left the folder, or a store of that name has gone without its hidden folder. The files are
    // named by UUIDs, so what is there already is the same file, or somebody has put it there.
    var there: Set<String> = []
    for name in names where try folder.contains(name) {
      there.insert(name)
      guard FileContents.areEqual(folder.filePath(name), source.filePath(name)) else {
        throw MigrationError(.outputExists, path: folder.filePath(name))
      }
    }
    added = names.filter { !there.contains($0) }
    do throws(MigrationError) {
      try folder.add(added, from: source)
    } catch {
      takeBack()
      throw error
    }
  }

  /// Removes what was added, and nothing that somebody else has put there since.
  func takeBack() {
    for name in added where FileContents.areEqual(folder.filePath(name), source.filePath(name)) {
      FileSystem.remove(folder.filePath(name))
    }
    if isFolderAdded { folder.removeIfEmpty() }
  }
}

internal import Diagnostics

/// Files of large values that another store is given second names for, before it appears itself.
struct SharedFiles {
  private let folder: SupportFolder
  /// What is to be removed if the store does not appear; `nil` where that is the whole folder.
  private var added: [String]?

  init(
    _ names: [String], of source: SupportFolder, withStoreAt path: String, by staging: StagingFile
  ) throws(MigrationError) {
    folder = SupportFolder(ofStoreAt: path)
    guard !FileSystem.areSame(folder.path, source.path) else {
      added = []
      return
    }
    guard try folder.isThere() else {
      let staged = SupportFolder(stagedBy: staging)
      try staged.add(names, from: source)
      // Not made where there is nothing to share.
      let isMade = try staged.isThere()
      added = isMade ? nil : []
      guard isMade else { return }
      do throws(MigrationError) {
        try staged.publish(as: folder)
      } catch {
        // It may have its new name already.
        if !staged.exists { folder.discard() }
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
      try folder.add(added ?? [], from: source)
    } catch {
      takeBack()
      throw error
    }
  }

  func takeBack() {
    guard let added else { return folder.discard() }
    for name in added { FileSystem.remove(folder.filePath(name)) }
  }
}

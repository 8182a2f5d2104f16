package import Diagnostics

extension StoreRewrite {
  /// Lets the result appear, with its companions and with the files of its large values.
  ///
  /// A store that is replaced keeps its name, and with it the folder of those files: nothing in there is ever written
  /// to again, so old and new store can share them. The backup has another name, and gets a folder of its own.
  ///
  /// - Parameter schema: The layout of the result.
  package func publish(
    _ store: LockedStore, filesOf schema: StoreSchema, companions: [StoreReplacement.Companion], backupPath: String?
  ) throws(MigrationError) {
    let folder = SupportFolder(ofStoreAt: store.file.resolvedPath)
    guard outputPath != nil, folder.exists else {
      try publish(store, companions: companions, backupPath: backupPath)
      if let backupPath, folder.exists { shareFiles(of: folder, withBackupAt: backupPath) }
      return
    }
    let published = try publishFiles(of: folder, schema)
    do throws(MigrationError) {
      try publish(store, companions: companions, backupPath: backupPath)
    } catch {
      published?.discard()
      throw error
    }
  }

  /// Puts the files that a new store names beside it, before it appears itself.
  private func publishFiles(of folder: SupportFolder, _ schema: StoreSchema) throws(MigrationError) -> SupportFolder? {
    let store = try StoreReader(path: staging.path)
    let names = try store.externalFiles(in: schema).map(\.fileName)
    try store.close()
    let staged = SupportFolder(stagedBy: staging)
    try staged.add(names, from: folder)
    guard staged.exists else { return nil }
    let published = SupportFolder(ofStoreAt: target)
    try staged.publish(as: published)
    return published
  }

  /// Gives the backup second names for the files of the old store.
  ///
  /// They are where they were, whether this works or not; so a failure ends nothing.
  private func shareFiles(of folder: SupportFolder, withBackupAt path: String) {
    _ = try? SupportFolder(ofStoreAt: path).add(folder.names, from: folder)
  }
}

internal import DataModel
internal import Diagnostics
internal import PersistentStore

extension StoreMigrationRun {
  /// Lets the new store appear, with its rejects and with the files of its large values.
  ///
  /// A store that is replaced keeps its name, and with it the folder of those files: nothing in there is ever written to
  /// again, so old and new store can share them. The backup has another name, and gets a folder of its own.
  func publish(
    _ locked: StoreRewrite.LockedStore, _ model: ManagedObjectModel, rejects: (staged: String, path: String?),
    backupPath: String?
  ) throws(MigrationError) {
    var companions: [StoreReplacement.Companion] = []
    if let path = rejects.path, !FileSystem.exists(path) {
      companions.append(StoreReplacement.Companion(stagedPath: rejects.staged, path: path, mayReplace: false))
    }
    let folder = SupportFolder(ofStoreAt: locked.file.resolvedPath)
    guard migration.outputPath != nil, folder.exists else {
      try rewrite.publish(locked, companions: companions, backupPath: backupPath)
      if let backupPath, folder.exists { shareFiles(of: folder, withBackupAt: backupPath) }
      return FileSystem.remove(rejects.staged)
    }
    let published = try publishFiles(of: folder, model)
    do throws(MigrationError) {
      try rewrite.publish(locked, companions: companions, backupPath: backupPath)
    } catch {
      published?.discard()
      throw error
    }
    FileSystem.remove(rejects.staged)
  }

  /// Puts the files that a new store names beside it, before it appears itself.
  private func publishFiles(of folder: SupportFolder, _ model: ManagedObjectModel) throws(MigrationError)
    -> SupportFolder?
  {
    let store = try StoreReader(path: rewrite.staging.path)
    let names = try store.externalFiles(in: StoreSchema(model)).map(\.fileName)
    try store.close()
    let staged = SupportFolder(stagedBy: rewrite.staging)
    try staged.add(names, from: folder)
    guard staged.exists else { return nil }
    let published = SupportFolder(ofStoreAt: rewrite.target)
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

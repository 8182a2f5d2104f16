internal import DataModel
internal import Diagnostics
internal import PersistentStore

extension StoreMigrationRun {
  /// Lets the new store appear, with its rejects and with the files of its large values.
  func publish(
    _ locked: StoreRewrite.LockedStore, _ model: ManagedObjectModel, rejects: (staged: String, path: String?),
    backupPath: String?
  ) throws(MigrationError) {
    var companions: [StoreReplacement.Companion] = []
    if let path = rejects.path, !FileSystem.exists(path) {
      companions.append(StoreReplacement.Companion(stagedPath: rejects.staged, path: path, mayReplace: false))
    }
    try rewrite.publish(locked, filesOf: StoreSchema(model), companions: companions, backupPath: backupPath)
    FileSystem.remove(rejects.staged)
  }
}

internal import DataModel
internal import Diagnostics
internal import PersistentStore

extension StoreMigrationRun {
  /// Lets the new store appear, with its rejects and with the files of its large values.
  ///
  /// - Parameters:
  ///   - rejects: The file in which rejects are gathered.
  ///   - kept: The name that they get, and whether they have it already; `nil` where there are none.
  /// - Returns: What could not be made sure of afterwards.
  func publish(
    _ locked: StoreRewrite.LockedStore, _ model: ManagedObjectModel, rejects: String,
    _ kept: (path: String, isThere: Bool)?, backupPath: String?
  ) throws(MigrationError) -> [MigrationError] {
    var companions: [StoreReplacement.Companion] = []
    if let kept, !kept.isThere {
      companions.append(StoreReplacement.Companion(stagedPath: rejects, path: kept.path, mayReplace: false))
    }
    let warnings = try rewrite.publish(
      locked, filesOf: StoreSchema(model), companions: companions, backupPath: backupPath)
    FileSystem.remove(rejects)
    return warnings
  }
}

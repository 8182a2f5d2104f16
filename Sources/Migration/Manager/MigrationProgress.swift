/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
  /// The entity whose instances are being migrated.
  public let entityName: String
  /// The number of instances that have been migrated.
  public let completedCount: Int
  /// The number of instances that there are.
  public let totalCount: Int
  /// The hop that is being made, from 1.
  public private(set) var step = 1
  /// The number of hops.
  public private(set) var stepCount = 1

  init(entityName: String, completedCount: Int, totalCount: Int) {
    self.entityName = entityName
    self.completedCount = completedCount
    self.totalCount = totalCount
  }

  func placed(inStep step: Int, of stepCount: Int) -> MigrationProgress {
    var progress = self
    (progress.step, progress.stepCount) = (step, stepCount)
    return progress
  }
}

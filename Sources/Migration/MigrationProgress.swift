/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
  /// The entity whose instances are being migrated.
  public let entityName: String
  /// The number of instances that have been migrated.
  public let completedCount: Int
  /// The number of instances that there are.
  public let totalCount: Int
}

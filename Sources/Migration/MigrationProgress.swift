/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
  /// The entity whose instances are being migrated.
  public let entityName: String
  public let completedCount: Int
  public let totalCount: Int
}

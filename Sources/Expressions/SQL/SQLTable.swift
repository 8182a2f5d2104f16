/// The table of an entity.
public struct SQLTable: Sendable, Hashable {
  /// The entity whose keys a path through this table is made of.
  public let entity: String
  /// The table, which entities of one hierarchy share.
  public let name: String
  /// The column of the primary key.
  public let primaryKey: String

  /// Describes a table.
  ///
  /// - Parameters:
  ///   - entity: The entity whose keys a path through this table is made of.
  ///   - name: The table, which entities of one hierarchy share.
  ///   - primaryKey: The column of the primary key.
  public init(entity: String, name: String, primaryKey: String = "Z_PK") {
    self.entity = entity
    self.name = name
    self.primaryKey = primaryKey
  }
}

/// What may help to guess what a store's entities were like.
public struct VersionHashHints: Sendable {
  /// An attribute that a store may have had: a column that no attribute of the model explains.
  public struct Column: Sendable, Hashable {
    /// The possible names of the attribute; a column tells its name in capitals only.
    public let names: [String]
    /// The types that are stored in such a column.
    public let types: [AttributeType]

    /// Creates a hint.
    public init(names: [String], types: [AttributeType]) {
      self.names = names
      self.types = types
    }
  }

  /// Other versions of the model.
  public var otherModels: [ManagedObjectModel]
  /// The unexplained columns of the tables, by the names of the entities that they may belong to.
  public var columns: [String: [Column]]

  /// The properties that the tables have no columns for, by the names of the entities that declare them.
  public var propertiesWithoutColumn: [String: Set<String>]

  /// Creates hints.
  public init(
    otherModels: [ManagedObjectModel] = [], columns: [String: [Column]] = [:],
    propertiesWithoutColumn: [String: Set<String>] = [:]
  ) {
    self.otherModels = otherModels
    self.columns = columns
    self.propertiesWithoutColumn = propertiesWithoutColumn
  }
}

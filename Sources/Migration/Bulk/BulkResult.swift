/// What a plan has written.
public struct BulkResult: Sendable, Hashable {
  /// What became of the rows of one mapping.
  public struct MappingCount: Sendable, Hashable {
    /// The name of the mapping.
    public let mappingName: String
    /// The source entity.
    public let sourceEntity: String
    /// The destination entity.
    public let destinationEntity: String
    /// The instances of the source entity.
    public let sourceInstances: Int
    /// Those that were carried over.
    public let destinationInstances: Int
  }

  /// The instances, in the order of the mappings.
  public internal(set) var mappings: [MappingCount] = []
  /// The rows of each join table.
  public internal(set) var joinTableRows: [String: Int] = [:]
  /// The links that are kept as keys, by relationship: `Track.album`.
  public internal(set) var keyLinks: [String: Int] = [:]
}

public import DataModel

/// How the instances of one model become instances of another: a list of entity mappings, in their order.
public struct MappingModel: Sendable, Hashable {
  /// The entity mappings.
  ///
  /// Their order is the order of the work, which custom policies may rely on.
  public var entityMappings: [EntityMapping]

  /// Creates a mapping model.
  public init(entityMappings: [EntityMapping]) {
    self.entityMappings = entityMappings
  }

  /// The entity mapping of this name.
  public func entityMapping(named name: String) -> EntityMapping? {
    entityMappings.first { $0.name == name }
  }

  /// Whether this mapping model was made for these two versions.
  ///
  /// As in Core Data, the version hashes in the entity mappings decide; a mapping without hashes fits any version that
  /// has its entities.
  public func isCompatible(withSource source: ManagedObjectModel, destination: ManagedObjectModel) -> Bool {
    entityMappings.allSatisfy { mapping in
      Self.fits(mapping.sourceEntityName, mapping.sourceEntityVersionHash, source)
        && Self.fits(mapping.destinationEntityName, mapping.destinationEntityVersionHash, destination)
    }
  }

  private static func fits(_ name: String?, _ hash: VersionHash?, _ model: ManagedObjectModel) -> Bool {
    guard let name else { return true }
    guard let entity = model.entity(named: name) else { return false }
    return hash == nil || hash == entity.versionHash
  }
}

public import DataModel
public import Expressions

/// How the instances of one entity become instances of another.
public struct EntityMapping: Sendable, Hashable {
  /// What is done with the instances.
  ///
  /// The raw values are those of `NSEntityMappingType`.
  public enum MappingType: Int, Sendable, Hashable {
    case undefined = 0
    /// A policy decides.
    case custom = 1
    /// The entity is new: nothing to migrate.
    case add = 2
    /// The entity is gone: its instances are dropped.
    case remove = 3
    /// The instances are carried over unchanged.
    case copy = 4
    /// The instances are carried over with property mappings.
    case transform = 5
  }

  /// The name, by which expressions and policies refer to this mapping; by default `TrackToTrack`.
  public var name: String
  /// What is done with the instances.
  public var mappingType: MappingType
  /// The source entity; nothing where the destination is new.
  public var sourceEntityName: String?
  /// The version of the source entity that this was made for.
  public var sourceEntityVersionHash: VersionHash?
  /// The destination entity; nothing where the source is dropped.
  public var destinationEntityName: String?
  /// The version of the destination entity that this was made for.
  public var destinationEntityVersionHash: VersionHash?
  /// Where the values of attributes come from.
  public var attributeMappings: [PropertyMapping]
  /// Where the destinations of relationships come from.
  public var relationshipMappings: [PropertyMapping]
  /// Which instances of the source entity are migrated; without one, all.
  ///
  /// Xcode's "Filter Predicate".
  public var filterPredicate: Predicate?
  /// The class of the policy, or `nil` for the default one.
  public var entityMigrationPolicyClassName: String?
  /// Free notes for the policy.
  public var userInfo: [String: String]

  /// Creates an entity mapping.
  public init(
    name: String? = nil,
    mappingType: MappingType,
    source: EntityDescription?,
    destination: EntityDescription?,
    attributeMappings: [PropertyMapping] = [],
    relationshipMappings: [PropertyMapping] = [],
    filterPredicate: Predicate? = nil,
    entityMigrationPolicyClassName: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    let names = [source?.name, destination?.name].compactMap { $0 }
    self.name = name ?? names.joined(separator: "To")
    self.mappingType = mappingType
    sourceEntityName = source?.name
    sourceEntityVersionHash = source?.versionHash
    destinationEntityName = destination?.name
    destinationEntityVersionHash = destination?.versionHash
    self.attributeMappings = attributeMappings
    self.relationshipMappings = relationshipMappings
    self.filterPredicate = filterPredicate
    self.entityMigrationPolicyClassName = entityMigrationPolicyClassName
    self.userInfo = userInfo
  }

  /// Creates the mapping that Xcode suggests: attributes of the same name are copied.
  public static func suggested(
    from source: EntityDescription, to destination: EntityDescription, policy: String? = nil
  ) -> EntityMapping {
    let sourceNames = Set(source.attributes.map(\.name))
    return EntityMapping(
      mappingType: policy == nil ? .transform : .custom, source: source, destination: destination,
      attributeMappings: destination.attributes.filter { !$0.isTransient }.map { attribute in
        PropertyMapping(
          name: attribute.name, valueExpression: sourceNames.contains(attribute.name) ? .source(attribute.name) : nil)
      },
      entityMigrationPolicyClassName: policy)
  }
}

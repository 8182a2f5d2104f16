public import CoreDataExpressions
public import DataModel

/// A mapping of the instances of one model to instances of another: an ordered list of entity mappings.
public struct MappingModel: Sendable, Hashable {
  /// The entity mappings.
  ///
  /// They are performed in this order, and custom policies may rely on it.
  public var entityMappings: [EntityMapping]

  /// Creates a mapping model.
  public init(entityMappings: [EntityMapping]) {
    self.entityMappings = entityMappings
  }

  /// The entity mapping of this name.
  public func entityMapping(named name: String) -> EntityMapping? {
    entityMappings.first { $0.name == name }
  }

  /// Returns whether this mapping model was made for these two versions.
  ///
  /// As in Core Data, the version hashes in the entity mappings decide; a mapping without hashes matches any version
  /// that has its entities.
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

/// A mapping of the instances of one entity to instances of another.
public struct EntityMapping: Sendable, Hashable {
  /// The kinds of entity mapping.
  ///
  /// The raw values are those of `NSEntityMappingType`.
  public enum MappingType: Int, Sendable, Hashable {
    case undefined = 0
    /// A policy decides.
    case custom = 1
    /// The entity is new: nothing to migrate.
    case add = 2
    /// The entity was removed: its instances are dropped.
    case remove = 3
    /// The instances are copied unchanged.
    case copy = 4
    /// The instances are copied with property mappings.
    case transform = 5
  }

  /// The name, by which expressions and policies refer to this mapping. (default: such as `TrackToTrack`)
  public var name: String
  /// The kind of the mapping.
  public var mappingType: MappingType
  /// The source entity; `nil` if the destination entity is new.
  public var sourceEntityName: String?
  /// The version hash of the source entity that this mapping was made for.
  public var sourceEntityVersionHash: VersionHash?
  /// The destination entity; `nil` if the source entity is dropped.
  public var destinationEntityName: String?
  /// The version hash of the destination entity that this mapping was made for.
  public var destinationEntityVersionHash: VersionHash?
  /// The mappings of attributes.
  public var attributeMappings: [PropertyMapping]
  /// The mappings of relationships.
  public var relationshipMappings: [PropertyMapping]
  /// Selects the source instances to migrate; `nil` selects all.
  ///
  /// Xcode calls it "Filter Predicate".
  public var filterPredicate: Predicate?
  /// The class of the policy, or `nil` for the default one.
  public var entityMigrationPolicyClassName: String? {
    didSet { entityMigrationPolicyClassName = Self.customPolicy(entityMigrationPolicyClassName) }
  }
  /// Arbitrary information for the policy.
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
    self.entityMigrationPolicyClassName = Self.customPolicy(entityMigrationPolicyClassName)
    self.userInfo = userInfo
  }

  /// The class of a policy; `nil` for that of all policies, which is the default one.
  static func customPolicy(_ className: String?) -> String? {
    ["NSEntityMigrationPolicy", "CoreData.NSEntityMigrationPolicy"].contains(className) ? nil : className
  }

  /// Returns the mapping that Xcode suggests: attributes of the same name are copied.
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

/// A mapping of the value of one destination property.
public struct PropertyMapping: Sendable, Hashable {
  /// The name of the destination property.
  public var name: String
  /// The expression that computes the value; without one, an attribute has its default and a relationship is empty.
  public var valueExpression: Expression?

  /// Creates a property mapping.
  public init(name: String, valueExpression: Expression?) {
    self.name = name
    self.valueExpression = valueExpression
  }
}

public import DataModel

/// Something that is odd about the file of a mapping model, or about how it fits its models.
public struct MappingModelFinding: Sendable, Hashable {
  /// One of the two models that a mapping model leads between.
  public enum Side: String, Sendable, Hashable {
    case source
    case destination
  }

  /// What is odd.
  public enum Kind: Sendable, Hashable {
    // Remains of what was deleted in Xcode's editor.
    /// The mapping model does not list this entity mapping.
    case orphanEntityMapping
    /// No entity mapping lists this property mapping.
    case orphanPropertyMapping
    /// Other entity mappings that nobody lists have this number too.
    case orphanNumberClash(Int)

    // What does not matter to the migration, or is decided in a stable way.
    /// Other entity mappings have the same number; their order in the file decides.
    case numberClash(Int, others: [String])
    /// There is no number; such an entity mapping comes last.
    case missingNumber
    /// The file has an object of a kind that is not known.
    case unknownObject(type: String)
    /// An object has an attribute or relationship that is not known.
    case unknownAttribute(String)
    /// An attribute is said to be of another type than Xcode writes.
    case unexpectedType(attribute: String, type: String, expected: String)
    /// The type of the entity mapping is not known, so that it follows from the entities.
    case unknownMappingType(String)
    /// Two mappings are for the same property; the last one counts.
    case duplicateProperty
    /// A value of the user info is no text and is described instead.
    case userInfoDescribed(key: String, value: String)

    // How the mapping model and its models fit.
    /// No mapping is for this property: an attribute has its default, and a relationship is empty.
    case unmentionedProperty
    /// The destination entity has no such property, so that its mapping is left out.
    case unknownProperty(nearest: String?)
    /// The value comes from a source property of another name that has the same renaming identifier.
    case renamedProperty(source: String)
    /// No entity mapping makes instances of the destination, so that the relationship is empty.
    case noDestinationInstances(entity: String)

    // What must not be ignored.
    /// Several entity mappings have this name.
    case duplicateEntityMapping
    /// The entity mapping names no entity.
    case noEntities
    /// The expression cannot be read.
    case unreadableExpression(String)
    /// The filter predicate cannot be read.
    case unreadableFilterPredicate(String)
    /// The user info cannot be read.
    case unreadableUserInfo(String)
    /// A model has no such entity.
    case missingEntity(String, Side, nearest: String?)
    /// The file was made for another version of an entity.
    case versionHashMismatch(entity: String, Side, file: VersionHash, model: VersionHash)
    /// There is no entity mapping of the name that a relationship mapping refers to.
    case unknownEntityMapping(String, nearest: String?)
    /// A relationship mapping has a key path, but it cannot be found out which entity mapping it means.
    case unclearEntityMapping
  }

  /// The name of the entity mapping, if it is about one.
  public var entityMappingName: String?
  /// The name of the destination property, if it is about one.
  public var propertyName: String?
  /// What is odd.
  public var kind: Kind

  init(_ kind: Kind, mapping: String? = nil, property: String? = nil) {
    entityMappingName = mapping
    propertyName = property
    self.kind = kind
  }

  /// Whether a migration with the mapping model would lose data or end in the middle, so that it must not begin.
  public var isBlocking: Bool {
    switch kind {
    case .duplicateEntityMapping, .noEntities, .unreadableExpression, .unreadableFilterPredicate, .unreadableUserInfo,
      .missingEntity, .versionHashMismatch, .unknownEntityMapping, .unclearEntityMapping:
      true
    default: false
    }
  }
}

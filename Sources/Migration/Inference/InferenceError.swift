public import DataModel

/// Why no mapping model can be inferred between two versions of a model: all reasons at once.
public struct InferenceError: Error, Sendable, Hashable {
  /// The reasons, sorted by entity and property; at least one.
  ///
  /// What subentities inherit is told once, of the entity that hands it down, unless that is abstract.
  public let reasons: [Reason]

  init(reasons: [Reason]) {
    self.reasons = reasons
  }

  /// One reason, as facts; the sentences are in `description`.
  public struct Reason: Sendable, Hashable {
    /// The entity, as the destination names it.
    public var entity: String
    /// The attribute or relationship, as the destination names it; nothing where the entity itself is the matter.
    public var property: String?
    /// What is the matter.
    public var kind: Kind
    /// The property of the source that this may be under a new name, without having its renaming identifier.
    public var likelyOldName: String?

    init(_ entity: String, _ property: String? = nil, _ kind: Kind, likelyOldName: String? = nil) {
      self.entity = entity
      self.property = property
      self.kind = kind
      self.likelyOldName = likelyOldName
    }
  }

  /// A change that cannot be inferred.
  public enum Kind: Sendable, Hashable {
    /// A new attribute is required and has no default value, which existing instances would need.
    case attributeNeedsDefault
    /// A new relationship is required, and nothing says where it leads for existing instances.
    case relationshipNeedsDestination
    /// The type of an attribute changes into one that does not hold all its values.
    case incompatibleTypes(source: AttributeType, destination: AttributeType)
    /// Nothing is known of how values of this type are stored.
    case unsupportedType(AttributeType)
    /// The default value, which instances without a value would get, cannot be written as an expression.
    case defaultNotExpressible
    /// One of several destinations would have to be chosen, and no inverse says which.
    case toManyBecomesToOne
    /// The relationship leads to instances of an entity that is outside its new destination.
    case destinationOutside(entity: String, destination: String)
    /// Entities of several hierarchies come to share one; the list has the topmost entities of the source.
    case mergedHierarchies(sourceRoots: [String])
    /// The entity becomes abstract: its instances could not exist any more.
    case becomesAbstract
    /// Names and renaming identifiers allow several pairings of entities, or of properties of one entity.
    case ambiguousRenaming(sources: [String], destinations: [String])
  }
}

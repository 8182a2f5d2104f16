/// Something that the author of a model should know of an inferred mapping model.
public struct InferenceFinding: Sendable, Hashable {
  /// The entity: of what is removed the name in the source, otherwise the name in the destination.
  public var entity: String
  /// The attribute or relationship; nothing where the entity itself is meant.
  public var property: String?
  /// What is found.
  public var kind: Kind

  init(_ entity: String, _ property: String? = nil, _ kind: Kind) {
    self.entity = entity
    self.property = property
    self.kind = kind
  }

  /// What is found.
  public enum Kind: Sendable, Hashable {
    /// The entity is removed, and all its instances.
    ///
    /// Named is what appears in its place and looks like it, which only a renaming identifier would make the same.
    case entityRemoved(likelyNewName: String?)
    /// The attribute is removed, and all its values.
    case attributeRemoved(likelyNewName: String?)
    /// The relationship is removed, and all its links.
    case relationshipRemoved(likelyNewName: String?)
    /// The destinations of the relationship have no order any more.
    case orderRemoved
    /// The renaming identifier matches nothing in the source; the name decided instead.
    case unknownIdentifier(String)
    /// Whole numbers beyond ±2⁵³ lose their last digits.
    case precisionMayBeLost
    /// The new attribute has a text for a default value that is none of its type: instances get no value.
    case unreadableDefault(String)
    /// What was optional is required and has no default value: the migration fails if an instance has none.
    case valueMayBeMissing
    /// Instances that agree in these properties make the migration fail.
    case uniquenessConstraintAdded([String])
    /// The entities that the relationship led to are removed, and all its links.
    case destinationRemoved(entity: String)
    /// The inverse is to-one and new: the migration fails or drops links if several instances lead to the same one.
    case linksMayConflict(inverse: String)
    /// The inverse was to-many and is to-one: of several instances that lead to the same one, the last keeps its link.
    case inverseBecomesToOne(inverse: String)
    /// The relationship has no inverse any more, so that the store keeps one instance that leads to each destination.
    case linksMayBeDropped
  }

  /// Whether data that the source may hold is not in the destination.
  public var isLoss: Bool {
    switch kind {
    case .entityRemoved, .attributeRemoved, .relationshipRemoved: true
    case .orderRemoved, .destinationRemoved, .precisionMayBeLost, .inverseBecomesToOne, .linksMayBeDropped: true
    case .unknownIdentifier, .unreadableDefault, .valueMayBeMissing, .uniquenessConstraintAdded, .linksMayConflict:
      false
    }
  }
}

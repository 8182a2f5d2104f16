/// How an entity differs in two models.
public struct EntityDifference: Sendable, Hashable {
  /// The name in the old model; `nil` for a new entity.
  public let oldName: String?
  /// The name in the new model; `nil` for an entity that is gone.
  public let newName: String?
  /// The version hash in the old model.
  public let oldHash: VersionHash?
  /// The version hash in the new model.
  public let newHash: VersionHash?
  /// What changed in the entity itself; what it inherits is told of its ancestors.
  public let changes: [ModelChange]

  /// The name in the new model, or else in the old one.
  public var name: String { newName ?? oldName ?? "" }

  /// Whether a store of the old model holds the entity otherwise than the new model wants it.
  public var hasOtherHash: Bool { oldHash != newHash }

  /// Whether the version hashes differ only because an ancestor changed.
  public var isInherited: Bool { hasOtherHash && !changes.contains(where: \.affectsVersionHash) }
}

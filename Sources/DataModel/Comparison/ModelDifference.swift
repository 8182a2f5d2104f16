/// How two models differ, entity by entity and property by property.
///
/// Entities and properties are matched by their renaming identifiers and names. What only Xcode's editor and its code
/// generation use is not compared.
public struct ModelDifference: Sendable, Hashable {
  /// How closely models are compared.
  public enum Precision: Sendable, Hashable {
    /// Everything that two models say which come from Xcode's files, or from code.
    case source
    /// What is left when one of them was compiled: no validation rules, and no indexes that only repeat a property.
    case compiled
  }

  /// What changed in the model as a whole: version identifiers, configurations and fetch requests.
  public let modelChanges: [ModelChange]
  /// The entities that differ, in the order of their names.
  public let entities: [EntityDifference]

  /// Compares two models.
  public init(from old: ManagedObjectModel, to new: ManagedObjectModel, precision: Precision = .source) {
    let match = RenamingMatch(old: old.entities, new: new.entities)
    let renamings = Renamings(entities: match.pairs, in: new)
    modelChanges = ModelComparison(old: old, new: new, renamings: renamings).changes
    let removed = match.removed.map { entity in
      EntityDifference(
        oldName: entity.name, newName: nil, oldHash: entity.versionHash, newHash: nil,
        changes: [ModelChange(entityName: entity.name, subject: .entity, kind: .removed, affectsVersionHash: true)])
    }
    let added = match.added.map { entity in
      EntityDifference(
        oldName: nil, newName: entity.name, oldHash: nil, newHash: entity.versionHash,
        changes: [ModelChange(entityName: entity.name, subject: .entity, kind: .added, affectsVersionHash: true)])
    }
    let changed = match.pairs.map { pair in
      EntityDifference(
        oldName: pair.old.name, newName: pair.new.name, oldHash: pair.old.versionHash, newHash: pair.new.versionHash,
        changes: EntityComparison.changes(pair.old, pair.new, renamings, precision))
    }
    entities = (removed + added + changed.filter { $0.hasOtherHash || !$0.changes.isEmpty })
      .sorted { left, right in
        left.name == right.name ? left.newName == nil && right.newName != nil : left.name.precedesByBytes(right.name)
      }
  }

  /// All changes, those of the model as a whole first.
  public var changes: [ModelChange] { modelChanges + entities.flatMap(\.changes) }

  /// Whether the models say the same.
  public var isEmpty: Bool { modelChanges.isEmpty && entities.isEmpty }

  /// Whether a store of the old model must be migrated before it can be opened with the new one.
  public var hasOtherHashes: Bool { entities.contains(where: \.hasOtherHash) }
}

package import DataModel
internal import MappingModels

/// Compares the parts of two models that belong to no entity.
private struct ModelComparison {
  let old: ManagedObjectModel
  let new: ManagedObjectModel
  let renamings: Renamings

  var changes: [ModelChange] { identifierChanges + configurationChanges + fetchRequestChanges }

  private var identifierChanges: [ModelChange] {
    guard old.versionIdentifiers.sorted() != new.versionIdentifiers.sorted() else { return [] }
    return [
      change(
        .model,
        .changed(.versionIdentifiers, from: Self.text(old.versionIdentifiers), to: Self.text(new.versionIdentifiers)))
    ]
  }

  private var configurationChanges: [ModelChange] {
    let names = Set(old.configurations.keys).union(new.configurations.keys).sorted { $0.precedesByBytes($1) }
    return names.compactMap { name in
      switch (old.configurations[name]?.sorted(), new.configurations[name]?.sorted()) {
      case (nil, _): change(.configuration(name), .added)
      case (_, nil): change(.configuration(name), .removed)
      case (let before?, let after?):
        before == after
          ? nil
          : change(
            .configuration(name), .changed(.members, from: Self.text(before), to: Self.text(after)),
            followsRenaming: before.map(renamings.entity).sorted() == after)
      }
    }
  }

  private var fetchRequestChanges: [ModelChange] {
    let before = Dictionary(old.fetchRequestTemplates.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.fetchRequestTemplates.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let names = Set(before.keys).union(after.keys).sorted { $0.precedesByBytes($1) }
    return names.flatMap { name -> [ModelChange] in
      guard let old = before[name] else { return [change(.fetchRequest(name), .added)] }
      guard let new = after[name] else { return [change(.fetchRequest(name), .removed)] }
      var changes: [ModelChange] = []
      if old.entityName != new.entityName {
        changes.append(
          change(
            .fetchRequest(name), .changed(.fetchedEntity, from: old.entityName, to: new.entityName),
            followsRenaming: renamings.entity(old.entityName) == new.entityName))
      }
      if old.predicate != new.predicate {
        changes.append(change(.fetchRequest(name), .changed(.predicate, from: old.predicate, to: new.predicate)))
      }
      return changes
    }
  }

  private func change(
    _ subject: ModelChange.Subject, _ kind: ModelChange.Kind, followsRenaming: Bool = false
  ) -> ModelChange {
    ModelChange(
      entityName: nil, subject: subject, kind: kind, affectsVersionHash: false, followsRenaming: followsRenaming)
  }

  private static func text(_ names: [String]) -> String? {
    names.isEmpty ? nil : names.joined(separator: ", ")
  }
}

/// The differences of an entity between two models.
package struct EntityDifference: Sendable, Hashable {
  /// The name in the old model; `nil` for a new entity.
  package let oldName: String?
  /// The name in the new model; `nil` for an entity that is gone.
  package let newName: String?
  /// The version hash in the old model.
  package let oldHash: VersionHash?
  /// The version hash in the new model.
  package let newHash: VersionHash?
  /// The changes of the entity itself; inherited changes are listed with its ancestors.
  package let changes: [ModelChange]

  /// The name in the new model, or else in the old one.
  package var name: String { newName ?? oldName ?? "" }

  /// Whether the version hashes differ, so that the entity's rows must be migrated.
  package var hasOtherHash: Bool { oldHash != newHash }

  /// Whether the version hashes differ only because an ancestor changed.
  package var isInherited: Bool { hasOtherHash && !changes.contains(where: \.affectsVersionHash) }
}

/// The differences between two models, entity by entity and property by property.
///
/// Entities and properties are matched by their renaming identifiers and names. Settings that only Xcode's editor and
/// code generation use are not compared.
package struct ModelDifference: Sendable, Hashable {
  /// The precision of a comparison of models.
  package enum Precision: Sendable, Hashable {
    /// Everything, for models from Xcode's source files or from code.
    case source
    /// For compiled models: without validation rules and indexes that only repeat a property.
    case compiled
  }

  /// The changes of version identifiers, configurations and fetch requests.
  package let modelChanges: [ModelChange]
  /// The entities that differ, sorted by name.
  package let entities: [EntityDifference]

  /// Compares two models.
  package init(from old: ManagedObjectModel, to new: ManagedObjectModel, precision: Precision = .source) {
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

  /// All changes, beginning with those of the whole model.
  package var changes: [ModelChange] { modelChanges + entities.flatMap(\.changes) }

  /// Whether the models do not differ.
  package var isEmpty: Bool { modelChanges.isEmpty && entities.isEmpty }

  /// Whether a store of the old model must be migrated before it can be opened with the new one.
  package var hasOtherHashes: Bool { entities.contains(where: \.hasOtherHash) }
}

/// One difference between two models.
///
/// A change holds only facts; the code that presents it writes the text.
package struct ModelChange: Sendable, Hashable {
  /// The subjects of changes.
  package enum Subject: Sendable, Hashable {
    case model
    case configuration(String)
    case fetchRequest(String)
    case entity
    case attribute(String)
    case relationship(String)
    case fetchedProperty(String)
    case fetchIndex(String)
  }

  /// The kinds of changes.
  package enum Kind: Sendable, Hashable {
    case added
    case removed
    /// It has another name, and its renaming identifier is the old one.
    case renamed(from: String)
    /// The values are as Xcode writes them; `nil` means no value.
    case changed(ModelAspect, from: String?, to: String?)
  }

  /// The entity's name in the new model, or in the old one if it is removed; `nil` for changes of the whole model.
  package let entityName: String?
  /// The subject of the change.
  package let subject: Subject
  /// The kind of the change.
  package let kind: Kind
  /// Whether the change alone gives the entity another version hash, so that a store must be migrated.
  package let affectsVersionHash: Bool
  /// Whether the change only follows from the renaming of something else.
  package let followsRenaming: Bool

  /// Creates a change.
  package init(
    entityName: String?, subject: Subject, kind: Kind, affectsVersionHash: Bool, followsRenaming: Bool = false
  ) {
    self.entityName = entityName
    self.subject = subject
    self.kind = kind
    self.affectsVersionHash = affectsVersionHash
    self.followsRenaming = followsRenaming
  }
}

extension ModelChange.Subject {
  /// The name of the property, index, configuration or fetch request.
  package var name: String? {
    switch self {
    case .model, .entity: nil
    case .configuration(let name), .fetchRequest(let name), .attribute(let name), .relationship(let name),
      .fetchedProperty(let name), .fetchIndex(let name):
      name
    }
  }
}

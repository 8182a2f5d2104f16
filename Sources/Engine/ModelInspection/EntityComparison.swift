internal import DataModel
internal import MappingModels

/// Compares an entity in two models, property by property.
struct EntityComparison {
  private let old: EntityDescription
  private let new: EntityDescription
  private let renamings: Renamings
  private let precision: ModelDifference.Precision
  private var changes: [ModelChange] = []

  /// The changes, those of the entity itself first.
  static func changes(
    _ old: EntityDescription, _ new: EntityDescription, _ renamings: Renamings, _ precision: ModelDifference.Precision
  ) -> [ModelChange] {
    var comparison = EntityComparison(old: old, new: new, renamings: renamings, precision: precision)
    comparison.compareEntities()
    comparison.compareAttributes()
    comparison.compareComposites()
    comparison.compareRelationships()
    comparison.compareFetchedProperties()
    comparison.compareIndexes()
    return comparison.changes
  }

  private mutating func add(
    _ subject: ModelChange.Subject, _ kind: ModelChange.Kind, _ affectsVersionHash: Bool,
    followsRenaming: Bool = false
  ) {
    changes.append(
      ModelChange(
        entityName: new.name, subject: subject, kind: kind, affectsVersionHash: affectsVersionHash,
        followsRenaming: followsRenaming))
  }

  private mutating func compareEntities() {
    if !Optional(old.name).hasSameBytes(as: new.name) { add(.entity, .renamed(from: old.name), true) }
    var aspects = ComparedAspect<EntityDescription>.all
    if old.hasSameClass(as: new) { aspects.removeAll { $0.aspect == .managedObjectClassName } }
    compare(old, renamings.translated(old, to: new.name), new, aspects, .entity, hash: \.ownHashMessage)
  }

  private mutating func compareAttributes() {
    let stored = new.attributes.filter { !$0.isTransient }.map(\.declaredName) + new.relationships.map(\.name)
    compare(
      old.ownAttributes, new.ownAttributes, ComparedAspect.all(precision), ModelChange.Subject.attribute,
      translated: { $0 }, hash: \.storedHash
    ) { old, new in
      if old.isTransient { return false }
      guard old.isDerived || old.compositeName != nil && old.elementName == new.elementName else { return true }
      // The names of derived attributes and composites do not enter the version hash, but their places among the others
      // do.
      let (before, after) = (old.declaredName, new.declaredName)
      return stored.contains { $0.precedesByBytes(before) != $0.precedesByBytes(after) && $0 != after }
    }
  }

  /// The changes of their elements do not tell whether composites themselves are required.
  private mutating func compareComposites() {
    for (old, new) in RenamingMatch(old: old.ownComposites, new: new.ownComposites).pairs {
      compare(old, old, new, [ComparedAspect(.isOptional, \.isOptional)], .attribute(new.name), hash: \.storedHash)
    }
  }

  private mutating func compareRelationships() {
    let (renamings, entityName) = (renamings, old.name)
    compare(
      old.ownRelationships, new.ownRelationships, ComparedAspect.all, ModelChange.Subject.relationship,
      translated: { renamings.translated($0) }, hash: { $0.storedHash(declaredBy: entityName) })
  }

  private mutating func compareFetchedProperties() {
    let renamings = renamings
    compare(
      old.ownFetchedProperties, new.ownFetchedProperties, ComparedAspect.all, ModelChange.Subject.fetchedProperty,
      translated: { renamings.translated($0) }, hash: { _ in nil })
  }

  /// Compares properties of one kind.
  ///
  /// - Parameters:
  ///   - hash: What a property contributes to the version hash of its entity; `nil` if nothing.
  ///   - isRenamingHashed: Whether a new name changes the version hash; by default, that of every hashed property does.
  private mutating func compare<Property: Renamable>(
    _ old: [Property], _ new: [Property], _ aspects: [ComparedAspect<Property>],
    _ subject: (String) -> ModelChange.Subject, translated: (Property) -> Property, hash: (Property) -> [UInt8]?,
    isRenamingHashed: ((Property, Property) -> Bool)? = nil
  ) {
    let match = RenamingMatch(old: old, new: new)
    for property in match.removed { add(subject(property.name), .removed, hash(property) != nil) }
    for (old, new) in match.pairs {
      if !Optional(old.name).hasSameBytes(as: new.name) {
        add(subject(new.name), .renamed(from: old.name), isRenamingHashed?(old, new) ?? (hash(old) != nil))
      }
      compare(old, translated(old), new, aspects, subject(new.name), hash: hash)
    }
    for property in match.added { add(subject(property.name), .added, hash(property) != nil) }
  }

  private mutating func compare<Element>(
    _ old: Element, _ translated: Element, _ new: Element, _ aspects: [ComparedAspect<Element>],
    _ subject: ModelChange.Subject, hash: (Element) -> [UInt8]?
  ) {
    for aspect in aspects {
      aspect.compare(old, translated: translated, new, hash: hash) { add(subject, $0, $1, followsRenaming: $2) }
    }
  }

  private mutating func compareIndexes() {
    let (oldIndexes, newIndexes) = (indexes(old), indexes(new))
    for name in oldIndexes.keys.sorted(by: { $0.precedesByBytes($1) }) where newIndexes[name] == nil {
      add(.fetchIndex(name), .removed, false)
    }
    for (name, index) in newIndexes.sorted(by: { $0.key.precedesByBytes($1.key) }) {
      guard let oldIndex = oldIndexes[name] else {
        add(.fetchIndex(name), .added, false)
        continue
      }
      let translated = renamings.translated(oldIndex, ofEntityNamed: new.name)
      compare(oldIndex, translated, index, ComparedAspect.all, .fetchIndex(name), hash: { _ in nil })
    }
  }

  private func indexes(_ entity: EntityDescription) -> [String: FetchIndexDescription] {
    let indexes = entity.fetchIndexes.filter { precision == .source || !$0.isNamedAfterItsProperty }
    return Dictionary(indexes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension FetchIndexDescription {
  /// Whether Core Data may have added this index, for one with another name, when it compiled the model.
  fileprivate var isNamedAfterItsProperty: Bool { elements.count == 1 && elements[0].propertyName == name }
}

/// An entity that is changed to see which version hash results.
struct HashTrial {
  var entity: EntityDescription
  var properties: PropertyHashes
  var superentityHash: VersionHash?

  var hash: VersionHash { entity.computeVersionHash(properties, superentityHash: superentityHash) }

  /// The same under another name, which is also the destination of its relationships to itself.
  func renamed(to name: String) -> HashTrial {
    var renamed = self
    renamed.entity.name = name
    for var relationship in entity.ownRelationships where relationship.destinationEntityName == entity.name {
      relationship.destinationEntityName = name
      renamed.properties[relationship.name] = relationship.storedHash(declaredBy: name)
    }
    return renamed
  }
}

/// One way in which a store's entity may differ from the model's.
struct HashCandidate {
  /// The part that it changes; two candidates for the same part exclude each other.
  let slot: String
  /// Whether it is common enough to be tried in combination with others.
  let isLikely: Bool
  /// The changes from the store to the model.
  let changes: [ModelChange]
  let apply: (inout HashTrial) -> Void
}

package import DataModel

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
    comparison.compareRelationships()
    comparison.compareFetchedProperties()
    comparison.compareIndexes()
    return comparison.changes
  }

  private init(
    old: EntityDescription, new: EntityDescription, renamings: Renamings, precision: ModelDifference.Precision
  ) {
    self.old = old
    self.new = new
    self.renamings = renamings
    self.precision = precision
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
    let translated = renamings.translated(old, to: new.name)
    for aspect in ComparedAspect<EntityDescription>.all {
      if aspect.aspect == .managedObjectClassName, old.hasSameClass(as: new) { continue }
      aspect.compare(old, translated: translated, new, hash: \.ownHashMessage) {
        add(.entity, $0, $1, followsRenaming: $2)
      }
    }
  }

  private mutating func compareAttributes() {
    let match = RenamingMatch(old: old.ownAttributes, new: new.ownAttributes)
    let aspects = ComparedAspect<AttributeDescription>.all(precision)
    func hash(_ attribute: AttributeDescription) -> [UInt8]? { attribute.isTransient ? nil : attribute.hash }
    for attribute in match.removed { add(.attribute(attribute.name), .removed, !attribute.isTransient) }
    for pair in match.pairs {
      let subject = ModelChange.Subject.attribute(pair.new.name)
      if !Optional(pair.old.name).hasSameBytes(as: pair.new.name) {
        add(subject, .renamed(from: pair.old.name), isRenamingHashed(pair.old, pair.new))
      }
      for aspect in aspects {
        aspect.compare(pair.old, translated: pair.old, pair.new, hash: hash) {
          add(subject, $0, $1, followsRenaming: $2)
        }
      }
    }
    for attribute in match.added { add(.attribute(attribute.name), .added, !attribute.isTransient) }
  }

  /// The name of a derived attribute does not enter the version hash, but its place among the others does.
  private func isRenamingHashed(_ old: AttributeDescription, _ new: AttributeDescription) -> Bool {
    if old.isTransient { return false }
    guard old.isDerived else { return true }
    let others = self.new.attributes.filter { !$0.isTransient }.map(\.name) + self.new.relationships.map(\.name)
    return others.contains { $0.precedesByBytes(old.name) != $0.precedesByBytes(new.name) && $0 != new.name }
  }

  private mutating func compareRelationships() {
    let match = RenamingMatch(old: old.ownRelationships, new: new.ownRelationships)
    let entityName = old.name
    func hash(_ relationship: RelationshipDescription) -> [UInt8]? {
      relationship.isTransient ? nil : relationship.hash(declaredBy: entityName)
    }
    for relationship in match.removed { add(.relationship(relationship.name), .removed, !relationship.isTransient) }
    for pair in match.pairs {
      let subject = ModelChange.Subject.relationship(pair.new.name)
      if !Optional(pair.old.name).hasSameBytes(as: pair.new.name) {
        add(subject, .renamed(from: pair.old.name), !pair.old.isTransient)
      }
      let translated = renamings.translated(pair.old)
      for aspect in ComparedAspect<RelationshipDescription>.all {
        aspect.compare(pair.old, translated: translated, pair.new, hash: hash) {
          add(subject, $0, $1, followsRenaming: $2)
        }
      }
    }
    for relationship in match.added { add(.relationship(relationship.name), .added, !relationship.isTransient) }
  }

  private mutating func compareFetchedProperties() {
    let match = RenamingMatch(old: old.ownFetchedProperties, new: new.ownFetchedProperties)
    for property in match.removed { add(.fetchedProperty(property.name), .removed, false) }
    for pair in match.pairs {
      let subject = ModelChange.Subject.fetchedProperty(pair.new.name)
      if !Optional(pair.old.name).hasSameBytes(as: pair.new.name) { add(subject, .renamed(from: pair.old.name), false) }
      let translated = renamings.translated(pair.old)
      for aspect in ComparedAspect<FetchedPropertyDescription>.all {
        aspect.compare(pair.old, translated: translated, pair.new, hash: { _ in nil }) {
          add(subject, $0, $1, followsRenaming: $2)
        }
      }
    }
    for property in match.added { add(.fetchedProperty(property.name), .added, false) }
  }

  private mutating func compareIndexes() {
    let (oldIndexes, newIndexes) = (indexes(old), indexes(new))
    for index in oldIndexes.values.sorted(by: { $0.name.precedesByBytes($1.name) }) where newIndexes[index.name] == nil
    {
      add(.fetchIndex(index.name), .removed, false)
    }
    for index in newIndexes.values.sorted(by: { $0.name.precedesByBytes($1.name) }) {
      guard let oldIndex = oldIndexes[index.name] else {
        add(.fetchIndex(index.name), .added, false)
        continue
      }
      let translated = renamings.translated(oldIndex, ofEntityNamed: new.name)
      for aspect in ComparedAspect<FetchIndexDescription>.all {
        aspect.compare(oldIndex, translated: translated, index, hash: { _ in nil }) {
          add(.fetchIndex(index.name), $0, $1, followsRenaming: $2)
        }
      }
    }
  }

  private func indexes(_ entity: EntityDescription) -> [String: FetchIndexDescription] {
    let indexes = entity.fetchIndexes.filter { precision == .source || !$0.isNamedAfterItsProperty }
    return Dictionary(indexes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension FetchIndexDescription {
  /// Whether this can be an index that Core Data adds to one of another name when it compiles a model.
  fileprivate var isNamedAfterItsProperty: Bool { elements.count == 1 && elements[0].propertyName == name }
}

/// An entity that is altered to see which version hash comes out.
struct HashTrial {
  var entity: EntityDescription
  var properties: PropertyHashes
  var superentityHash: VersionHash?

  var hash: VersionHash { entity.computeVersionHash(properties, superentityHash: superentityHash) }

  /// The same under another name, to which its relationships to itself lead too.
  func renamed(to name: String) -> HashTrial {
    var renamed = self
    renamed.entity.name = name
    for var relationship in entity.ownRelationships where relationship.destinationEntityName == entity.name {
      relationship.destinationEntityName = name
      renamed.properties[relationship.name] = relationship.isTransient ? nil : relationship.hash(declaredBy: name)
    }
    return renamed
  }
}

/// A way in which the entity of a store may differ from that of the model.
struct HashCandidate {
  /// What it alters; two candidates for the same thing exclude each other.
  let slot: String
  /// Whether it is common enough to be tried together with others.
  let isLikely: Bool
  /// What leads from the store to the model.
  let changes: [ModelChange]
  let apply: (inout HashTrial) -> Void
}

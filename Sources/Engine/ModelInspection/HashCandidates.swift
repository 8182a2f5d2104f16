internal import DataModel
internal import MappingModels

/// Lists the ways in which a store's entity may differ from the model's, likely ones first.
struct HashCandidates {
  let trial: HashTrial
  let entities: [String: EntityDescription]
  let entityNames: [String]
  private let storeHashes: [String: VersionHash]
  let columns: [VersionHashHints.Column]
  /// The entity in other versions of the model.
  let others: [EntityDescription]
  let modifiers: [String?]

  init(
    for trial: HashTrial, in entities: [String: EntityDescription], storeHashes: [String: VersionHash],
    hints: VersionHashHints, modifiers: [String?]
  ) {
    self.trial = trial
    self.entities = entities
    entityNames = Set(entities.keys).union(storeHashes.keys).sorted { $0.precedesByBytes($1) }
    self.storeHashes = storeHashes
    self.modifiers = modifiers
    columns = hints.columns[trial.entity.name] ?? []
    others = hints.otherModels.prefix(20).compactMap { $0.entity(named: trial.entity.name) }
  }

  var entity: EntityDescription { trial.entity }

  var all: [HashCandidate] {
    let all = [
      attributeCandidates, relationshipCandidates, absentCandidates, columnCandidates, entityCandidates,
      constraintCandidates, superentityCandidates,
    ].flatMap { $0.filter { !$0.changes.isEmpty } }
    return all.filter(\.isLikely) + all.filter { !$0.isLikely }
  }

  /// A hostile model may have any number of properties and entities; only the first ones are tried.
  static let propertyLimit = 300
  private static let entityLimit = 200

  /// All modifiers used in any version, and none.
  static func modifiers(in models: [ManagedObjectModel]) -> [String?] {
    let used = models.flatMap(\.entities).flatMap { entity -> [String?] in
      [entity.versionHashModifier] + entity.ownDeclaredAttributes.map(\.versionHashModifier)
        + entity.ownRelationships.map(\.versionHashModifier)
    }
    return [nil] + Set(used.compactMap(\.self)).sorted { $0.precedesByBytes($1) }.prefix(50).map { $0 }
  }
}

// MARK: - The entity itself
extension HashCandidates {
  private var entityCandidates: [HashCandidate] {
    let isAbstract = entity.isAbstract
    let abstract = HashCandidate(
      slot: "is abstract", isLikely: true,
      changes: [
        change(.entity, .changed(.isAbstract, from: isAbstract ? "NO" : "YES", to: isAbstract ? "YES" : "NO"))
      ]
    ) { $0.entity.isAbstract = !isAbstract }
    return [abstract]
      + modifiers.filter { $0 != entity.versionHashModifier }.map { modifier in
        HashCandidate(
          slot: "version hash modifier", isLikely: true,
          changes: [change(.entity, .changed(.versionHashModifier, from: modifier, to: entity.versionHashModifier))]
        ) { $0.entity.versionHashModifier = modifier }
      }
  }

  private var constraintCandidates: [HashCandidate] {
    let constraints = entity.uniquenessConstraints
    var variants: [[[String]]] = constraints.isEmpty ? [] : [[]]
    variants += constraints.indices.map { index in
      constraints.enumerated().filter { $0.offset != index }.map(\.element)
    }
    variants += entity.attributes.prefix(Self.propertyLimit).map { constraints + [[$0.name]] }
    variants += others.map(\.uniquenessConstraints)
    return variants.filter { $0 != constraints }.map { variant in
      var stored = entity
      stored.uniquenessConstraints = variant
      return entityCandidate(stored, slot: "uniqueness constraints", isLikely: true) {
        $0.entity.uniquenessConstraints = variant
      }
    }
  }

  private var superentityCandidates: [HashCandidate] {
    let names: [String?] = [nil] + entityNames.prefix(Self.entityLimit).map { $0 }
    return names.filter { $0 != entity.superentityName && $0 != entity.name }.compactMap { name -> HashCandidate? in
      var stored = entity
      stored.superentityName = name
      let parent = name.flatMap { entities[$0] }
      guard name == nil || parent != nil else { return nil }
      let lineage = name.map { entities.lineage(of: $0).compactMap { entities[$0] } } ?? []
      // A parent that inherits from this entity would make a cycle.
      guard !lineage.contains(where: { $0.name == entity.name }) else { return nil }
      let inherited = lineage.reversed().reduce(PropertyHashes()) { PropertyHashes(of: $1, inheriting: $0) }
      let properties = PropertyHashes(of: entity, inheriting: inherited)
      let hash = name.flatMap { storeHashes[$0] } ?? parent?.versionHash
      return entityCandidate(stored, slot: "superentity", isLikely: false) {
        $0.properties = properties
        $0.superentityHash = hash
      }
    }
  }

  private func entityCandidate(
    _ stored: EntityDescription, slot: String, isLikely: Bool, apply: @escaping (inout HashTrial) -> Void
  ) -> HashCandidate {
    let changes = changes(from: stored, to: entity, ComparedAspect.all, .entity, hash: \.ownHashMessage)
    return HashCandidate(slot: slot, isLikely: isLikely, changes: changes, apply: apply)
  }

  /// The hashed changes that lead from what the store may have to what the model has.
  private func changes<Element>(
    from stored: Element, to element: Element, _ aspects: [ComparedAspect<Element>], _ subject: ModelChange.Subject,
    hash: (Element) -> [UInt8]?
  ) -> [ModelChange] {
    var changes: [ModelChange] = []
    for aspect in aspects {
      aspect.compare(stored, translated: stored, element, hash: hash) { kind, isHashed, _ in
        if isHashed { changes.append(change(subject, kind)) }
      }
    }
    return changes
  }

  /// The store may have another property instead of the model's.
  private func candidate<Property: Renamable>(
    _ stored: Property, insteadOf property: Property, _ aspects: [ComparedAspect<Property>],
    _ subject: ModelChange.Subject, isLikely: Bool, hash: (Property) -> [UInt8]?
  ) -> HashCandidate {
    let changes = changes(from: stored, to: property, aspects, subject, hash: hash)
    let storedHash = hash(stored)
    return HashCandidate(slot: property.name, isLikely: isLikely, changes: changes) {
      $0.properties[property.name] = storedHash
    }
  }

  func change(_ subject: ModelChange.Subject, _ kind: ModelChange.Kind) -> ModelChange {
    ModelChange(entityName: entity.name, subject: subject, kind: kind, affectsVersionHash: true)
  }

  // MARK: - Properties

  private var attributeCandidates: [HashCandidate] {
    entity.ownDeclaredAttributes.prefix(Self.propertyLimit).flatMap { attribute -> [HashCandidate] in
      var toggled = attribute
      toggled.isOptional.toggle()
      var variants: [(AttributeDescription, isLikely: Bool)] = [(toggled, true)]
      for other in others {
        variants += other.ownDeclaredAttributes.filter { $0.name == attribute.name }.map { ($0, true) }
      }
      variants += modifiers.map { modifier in
        var variant = attribute
        variant.versionHashModifier = modifier
        return (variant, true)
      }
      for var variant in [attribute, toggled] {
        let paths: [WritableKeyPath<AttributeDescription, Bool>] = [
          \.isTransient, \.allowsExternalBinaryDataStorage, \.preservesValueInHistoryOnDeletion,
        ]
        for path in paths {
          variant[keyPath: path].toggle()
          variants.append((variant, false))
          variant[keyPath: path].toggle()
        }
        for type in AttributeType.allCases where ![.undefined, .composite].contains(type) {
          variant.type = type
          variants.append((variant, false))
        }
        variants += Self.enumerations(named: attribute.name).map { ($0, true) }
      }
      return variants.map {
        candidate(
          $0.0, insteadOf: attribute, ComparedAspect.all(.compiled), .attribute(attribute.name), isLikely: $0.isLikely,
          hash: \.storedHash)
      }
    }
  }

  /// An enumeration of SwiftData: a composite with an element for the raw value, which has the same name.
  private static func enumerations(named name: String) -> [AttributeDescription] {
    [.string, .integer64, .integer32, .integer16].map { type in
      AttributeDescription(name, .composite, elements: [AttributeDescription(name, type)])
    }
  }

  private var relationshipCandidates: [HashCandidate] {
    entity.ownRelationships.prefix(Self.propertyLimit).flatMap { relationship -> [HashCandidate] in
      func variant(_ alter: (inout RelationshipDescription) -> Void) -> RelationshipDescription {
        var variant = relationship
        alter(&variant)
        return variant
      }
      var variants: [(RelationshipDescription, isLikely: Bool)] = [
        (variant { $0.isOptional.toggle() }, true), (variant { $0.isOrdered.toggle() }, true),
        (variant { $0.minCount = $0.minCount == 0 ? 1 : 0 }, true),
        (variant { $0.maxCount = $0.maxCount == 1 ? 0 : 1 }, true), (variant { $0.inverseName = nil }, true),
        (variant { $0.isTransient.toggle() }, false),
      ]
      for other in others {
        variants += other.ownRelationships.filter { $0.name == relationship.name }.map { ($0, true) }
      }
      variants += modifiers.map { modifier in (variant { $0.versionHashModifier = modifier }, true) }
      variants += entityNames.prefix(Self.entityLimit).map { name in
        (variant { $0.destinationEntityName = name }, false)
      }
      return variants.map {
        candidate(
          $0.0, insteadOf: relationship, ComparedAspect.all, .relationship(relationship.name), isLikely: $0.isLikely,
          hash: { $0.storedHash(declaredBy: entity.name) })
      }
    }
  }

  /// The store lacks a property, or has one from another version.
  private var absentCandidates: [HashCandidate] {
    let own = entity.ownDeclaredAttributes.map { ModelChange.Subject.attribute($0.name) }
    let subjects = own + entity.ownRelationships.map { .relationship($0.name) }
    let absent = subjects.compactMap { subject in
      subject.name.map { name in
        HashCandidate(slot: name, isLikely: true, changes: [change(subject, .added)]) { $0.properties[name] = nil }
      }
    }
    return absent
      + others.flatMap { other -> [HashCandidate] in
        let attributes = other.ownDeclaredAttributes.map {
          (ModelChange.Subject.attribute($0.name), $0.name, $0.storedHash)
        }
        let relationships = other.ownRelationships.map {
          (ModelChange.Subject.relationship($0.name), $0.name, $0.storedHash(declaredBy: other.name))
        }
        return (attributes + relationships).filter { $2 != nil && trial.properties[$1] == nil }.map {
          subject, name, hash in
          HashCandidate(slot: name, isLikely: true, changes: [change(subject, .removed)]) { $0.properties[name] = hash }
        }
      }
  }

  private var columnCandidates: [HashCandidate] {
    columns.prefix(100).flatMap { column in
      column.names.prefix(10).flatMap { name in
        column.types.flatMap { type in
          [true, false].map { isOptional in
            let hash = AttributeDescription(name, type, isOptional: isOptional).hash
            return HashCandidate(
              slot: name, isLikely: true,
              changes: [
                change(.attribute(name), .removed),
                change(.attribute(name), .changed(.attributeType, from: type.xmlName, to: nil)),
                change(.attribute(name), .changed(.isOptional, from: isOptional ? "YES" : "NO", to: nil)),
              ]
            ) { $0.properties[name] = hash }
          }
        }
      }
    }
  }
}

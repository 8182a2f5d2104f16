extension HashCandidates {
  var attributeCandidates: [HashCandidate] {
    entity.ownAttributes.prefix(Self.propertyLimit).flatMap { attribute -> [HashCandidate] in
      var toggled = attribute
      toggled.isOptional.toggle()
      var variants: [(AttributeDescription, isLikely: Bool)] = [(toggled, true)]
      for other in others {
        variants += other.ownAttributes.filter { $0.name == attribute.name }.map { ($0, true) }
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
        for type in AttributeType.allCases where type != .undefined {
          variant.type = type
          variants.append((variant, false))
        }
      }
      return variants.map { candidate($0.0, insteadOf: attribute, isLikely: $0.isLikely) }
    }
  }

  private func candidate(
    _ stored: AttributeDescription, insteadOf attribute: AttributeDescription, isLikely: Bool
  ) -> HashCandidate {
    var changes: [ModelChange] = []
    func hash(_ attribute: AttributeDescription) -> [UInt8]? { attribute.isTransient ? nil : attribute.hash }
    for aspect in ComparedAspect<AttributeDescription>.all(.compiled) {
      aspect.compare(stored, translated: stored, attribute, hash: hash) { kind, isHashed, _ in
        if isHashed { changes.append(change(.attribute(attribute.name), kind)) }
      }
    }
    let storedHash = hash(stored)
    return HashCandidate(slot: attribute.name, isLikely: isLikely, changes: changes) {
      $0.properties[attribute.name] = storedHash
    }
  }

  var relationshipCandidates: [HashCandidate] {
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
      return variants.map { candidate($0.0, insteadOf: relationship, isLikely: $0.isLikely) }
    }
  }

  private func candidate(
    _ stored: RelationshipDescription, insteadOf relationship: RelationshipDescription, isLikely: Bool
  ) -> HashCandidate {
    var changes: [ModelChange] = []
    func hash(_ relationship: RelationshipDescription) -> [UInt8]? {
      relationship.isTransient ? nil : relationship.hash(declaredBy: entity.name)
    }
    for aspect in ComparedAspect<RelationshipDescription>.all {
      aspect.compare(stored, translated: stored, relationship, hash: hash) { kind, isHashed, _ in
        if isHashed { changes.append(change(.relationship(relationship.name), kind)) }
      }
    }
    let storedHash = hash(stored)
    return HashCandidate(slot: relationship.name, isLikely: isLikely, changes: changes) {
      $0.properties[relationship.name] = storedHash
    }
  }

  /// A property is not in the store, or one of another version is.
  var absentCandidates: [HashCandidate] {
    let own = entity.ownAttributes.map { ModelChange.Subject.attribute($0.name) }
    let subjects = own + entity.ownRelationships.map { .relationship($0.name) }
    let absent = subjects.compactMap { subject in
      subject.name.map { name in
        HashCandidate(slot: name, isLikely: true, changes: [change(subject, .added)]) { $0.properties[name] = nil }
      }
    }
    return absent
      + others.flatMap { other -> [HashCandidate] in
        let attributes = other.ownAttributes.filter { !$0.isTransient && trial.properties[$0.name] == nil }
          .map { (ModelChange.Subject.attribute($0.name), $0.name, $0.hash) }
        let relationships = other.ownRelationships.filter { !$0.isTransient && trial.properties[$0.name] == nil }
          .map { (ModelChange.Subject.relationship($0.name), $0.name, $0.hash(declaredBy: other.name)) }
        return (attributes + relationships).map { subject, name, hash in
          HashCandidate(slot: name, isLikely: true, changes: [change(subject, .removed)]) { $0.properties[name] = hash }
        }
      }
  }

  var columnCandidates: [HashCandidate] {
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

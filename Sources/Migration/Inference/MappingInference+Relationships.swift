internal import DataModel
internal import Expressions

extension MappingInference {
  /// Where each stored relationship of a destination gets its links from.
  mutating func relationshipMappings(of pair: EntityPair) -> [PropertyMapping] {
    let removed = pair.source.relationships.filter { !$0.isTransient && pair.relationships.isRemoved($0.name) }
    let added = pair.destination.relationships.filter { !$0.isTransient && pair.relationships.isNew($0.name) }
    let sourceNames = entities.sourceNames
    let newNames = renames.newNames(of: removed, among: added) {
      sourceNames[$1.destinationEntityName] == $0.destinationEntityName
    }
    for relationship in removed {
      findings.append(
        InferenceFinding(
          pair.source.name, relationship.name, .relationshipRemoved(likelyNewName: newNames[relationship.name])))
    }
    let oldNames = Dictionary(newNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    return pair.destination.relationships.filter { !$0.isTransient }.map { relationship in
      let name = relationship.name
      guard let old = pair.source(of: relationship) else {
        if pair.relationships.isNew(name) { checkAddition(of: relationship, pair, likelyOldName: oldNames[name]) }
        return PropertyMapping(name: name, valueExpression: nil)
      }
      let isLeftToInverse = checkCounts(old, relationship, pair)
      checkDestination(old, relationship, pair)
      if old.isOrdered, !relationship.isOrdered {
        findings.append(InferenceFinding(pair.destination.name, name, .orderRemoved))
      }
      if old.isOptional, relationship.needsDestination {
        findings.append(InferenceFinding(pair.destination.name, name, .valueMayBeMissing))
      }
      return PropertyMapping(
        name: name,
        valueExpression: isLeftToInverse
          ? nil : .destinationInstances(sourceRelationshipNamed: old.name, sourceInstances: .source(old.name)))
    }
  }

  /// A new relationship that is required must get its links from the other end.
  private mutating func checkAddition(
    of relationship: RelationshipDescription, _ pair: EntityPair, likelyOldName: String?
  ) {
    guard relationship.needsDestination, !isFedByInverse(relationship) else { return }
    reasons.append(
      InferenceError.Reason(
        pair.destination.name, relationship.name, .relationshipNeedsDestination, likelyOldName: likelyOldName))
  }

  private func isFedByInverse(_ relationship: RelationshipDescription) -> Bool {
    guard let inverse = relationship.inverseName else { return false }
    return destination.concreteFamily(of: relationship.destinationEntityName)
      .contains { pairs[$0.name]?.relationships.sourceNames[inverse] != nil }
  }

  /// An end may come to hold fewer links than before only where the other end goes on giving them: then the last of
  /// several stays, and this is told.
  ///
  /// - Returns: Whether the links are left to the other end.
  private mutating func checkCounts(
    _ old: RelationshipDescription, _ relationship: RelationshipDescription, _ pair: EntityPair
  ) -> Bool {
    let entity = pair.destination.name
    let isLeftToInverse = old.isToMany && !relationship.isToMany
    if isLeftToInverse, !isKeptByInverse(old, relationship) {
      reasons.append(InferenceError.Reason(entity, relationship.name, .toManyBecomesToOne))
    }
    if relationship.isToMany, relationship.inverseName == nil, isShared(old) {
      findings.append(InferenceFinding(entity, relationship.name, .linksMayBeDropped))
    }
    guard let inverse = destination.inverse(of: relationship), !inverse.isToMany, !inverse.isTransient else {
      return isLeftToInverse
    }
    guard let oldInverse = source.inverse(of: old), !oldInverse.isTransient else {
      // A to-many relationship without inverse keeps its links in its destinations, each of which holds one.
      guard !old.isToMany else { return isLeftToInverse }
      findings.append(InferenceFinding(entity, relationship.name, .linksMayConflict(inverse: inverse.name)))
      return isLeftToInverse
    }
    if oldInverse.isToMany {
      findings.append(InferenceFinding(entity, relationship.name, .inverseBecomesToOne(inverse: inverse.name)))
    }
    return isLeftToInverse
  }

  /// Whether the other end is the same as before, and gives all links that this end had.
  private func isKeptByInverse(_ old: RelationshipDescription, _ relationship: RelationshipDescription) -> Bool {
    guard let inverse = destination.inverse(of: relationship), !inverse.isTransient,
      let oldInverse = source.inverse(of: old), !oldInverse.isTransient,
      // Two ends that both become to-one leave the links to each other.
      inverse.isToMany || !oldInverse.isToMany
    else { return false }
    return isMatched(oldInverse, inverse, of: relationship)
  }

  /// Whether several instances may lead to the same one.
  private func isShared(_ old: RelationshipDescription) -> Bool {
    // Without an inverse, a to-many relationship keeps its links in its destinations, each of which holds one.
    source.inverse(of: old).map { $0.isToMany || $0.isTransient } ?? !old.isToMany
  }

  /// Whether the inverse is the old one.
  private func isMatched(
    _ oldInverse: RelationshipDescription, _ inverse: RelationshipDescription, of relationship: RelationshipDescription
  ) -> Bool {
    let holder = relationship.inverseEntityName ?? relationship.destinationEntityName
    return destination.concreteFamily(of: holder)
      .contains { pairs[$0.name]?.relationships.sourceNames[inverse.name] == oldInverse.name }
  }

  /// What the links lead to must become something that the relationship may lead to.
  private mutating func checkDestination(
    _ old: RelationshipDescription, _ relationship: RelationshipDescription, _ pair: EntityPair
  ) {
    let key = DestinationChange.Key(old: old.destinationEntityName, new: relationship.destinationEntityName)
    let change = destinationChanges[key] ?? destinationChange(key)
    destinationChanges[key] = change
    for entity in change.outside {
      reasons.append(
        InferenceError.Reason(
          pair.destination.name, relationship.name, .destinationOutside(entity: entity, destination: key.new)))
    }
    if change.isRemoved {
      findings.append(
        InferenceFinding(pair.destination.name, relationship.name, .destinationRemoved(entity: key.old)))
    }
  }

  private func destinationChange(_ key: DestinationChange.Key) -> DestinationChange {
    let family = Array(source.concreteFamily(of: key.old))
    let kept = family.compactMap { entities.destinationNames[$0.name] }
    let outside = kept.filter { !destination.descends($0, from: key.new) }
    let areAllRemoved = !family.isEmpty && family.allSatisfy { entities.isRemoved($0.name) }
    return DestinationChange(outside: outside, isRemoved: areAllRemoved)
  }
}

extension RelationshipDescription {
  /// Whether an instance without a destination breaks a rule: of a to-many relationship only the minimum counts.
  fileprivate var needsDestination: Bool { !isOptional && (!isToMany || minCount > 0) }
}

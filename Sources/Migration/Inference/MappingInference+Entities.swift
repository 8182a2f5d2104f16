internal import DataModel

extension MappingInference {
  /// Checks what becomes of entities as a whole.
  mutating func checkEntities() {
    for ambiguity in entities.ambiguities {
      guard let first = ambiguity.destinations.first else { continue }
      reasons.append(
        InferenceError.Reason(
          first, nil, .ambiguousRenaming(sources: ambiguity.sources, destinations: ambiguity.destinations)))
    }
    for entity in destination.model.entities {
      if entities.foundDespiteIdentifier.contains(entity.name) {
        findings.append(InferenceFinding(entity.name, nil, .unknownIdentifier(entity.renamingIdentifier)))
      }
      guard let old = entities.sourceNames[entity.name].flatMap({ source.entity($0) }) else { continue }
      if entity.isAbstract, !old.isAbstract {
        reasons.append(InferenceError.Reason(entity.name, nil, .becomesAbstract))
      }
    }
    let removed = source.model.entities.filter { !$0.isAbstract && entities.isRemoved($0.name) }
    let added = destination.model.entities.filter { !$0.isAbstract && entities.isNew($0.name) }
    let newNames = renames.newNames(of: removed, among: added)
    for entity in removed {
      findings.append(InferenceFinding(entity.name, nil, .entityRemoved(likelyNewName: newNames[entity.name])))
    }
  }

  /// Entities that had no parent in common lie in different tables, where the same primary key means another instance.
  mutating func checkHierarchies() {
    var sourceRoots: [String: Set<String>] = [:]
    for pair in pairs.values {
      sourceRoots[destination.rootName(of: pair.destination.name), default: []]
        .insert(source.rootName(of: pair.source.name))
    }
    for (root, others) in sourceRoots where others.count > 1 {
      let names = others.sorted { $0.precedesByBytes($1) }
      reasons.append(InferenceError.Reason(root, nil, .mergedHierarchies(sourceRoots: names)))
    }
  }

  /// Finds uniqueness constraints that the source did not have, which existing instances may violate.
  mutating func checkUniqueness() {
    var holders: [Set<String>: [String]] = [:]
    for entity in source.model.entities {
      for constraint in entity.uniquenessConstraints { holders[Set(constraint), default: []].append(entity.name) }
    }
    for entity in destination.model.entities where !entity.uniquenessConstraints.isEmpty {
      let family = destination.concreteFamily(of: entity.name).compactMap { pairs[$0.name] }
      for constraint in entity.uniquenessConstraints where !family.isEmpty && !held(constraint, by: family, holders) {
        findings.append(InferenceFinding(entity.name, nil, .uniquenessConstraintAdded(constraint)))
      }
    }
  }

  /// Whether one constraint of the source was for all instances together that it is for now.
  private func held(_ constraint: [String], by family: [EntityPair], _ holders: [Set<String>: [String]]) -> Bool {
    let candidates = family.map { pair in
      (name: pair.source.name, holders: Set(pair.oldNames(constraint).flatMap { holders[$0] } ?? []))
    }
    return candidates.first?.holders.contains { holder in
      candidates.allSatisfy { $0.holders.contains(holder) && source.descends($0.name, from: holder) }
    } ?? false
  }
}

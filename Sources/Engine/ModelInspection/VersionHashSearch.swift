package import DataModel

/// Finds out what a store's entities were like when only their version hashes are known.
///
/// It changes the wanted model, one or two things at a time, until an entity's hash equals the store's. Hashes are
/// never equal by chance, so every result is certain; no result means nothing. Two distinctions are impossible, because
/// Core Data does not make them: between a transient property and none, and between external storage and preserving
/// values in history.
package struct VersionHashSearch {
  /// The result for an entity whose hash differs.
  package enum Finding: Sendable, Hashable {
    /// The changes from the store to the model, as few as possible.
    case changes([ModelChange])
    /// The entity itself is the same; only an ancestor differs.
    case inherited
    /// None of the changes that were tried gives the hash.
    case unknown
  }

  /// The maximum number of hashes computed for one entity; for all entities together, ten times as many.
  package static let trialLimit = 40_000

  private let model: ManagedObjectModel
  private let storeHashes: [String: VersionHash]
  private let hints: VersionHashHints
  private let trialLimit: Int

  /// Prepares a search.
  ///
  /// - Parameters:
  ///   - model: The model that the store does not match.
  ///   - storeHashes: The version hashes in the store's metadata.
  ///   - hints: Information that helps to guess.
  ///   - trialLimit: The maximum number of hashes computed for one entity.
  package init(
    model: ManagedObjectModel, storeHashes: [String: VersionHash], hints: VersionHashHints = VersionHashHints(),
    trialLimit: Int = Self.trialLimit
  ) {
    self.model = model
    self.storeHashes = storeHashes
    self.hints = hints
    self.trialLimit = max(0, min(trialLimit, 1_000_000))
  }

  /// Searches for every entity whose version hash differs, and for those that only the model has.
  ///
  /// - Returns: The findings by the names of the model's entities; one that only the model has is included only if the
  ///   store has it under another name.
  package func findings() -> [String: Finding] {
    var findings: [String: Finding] = [:]
    var resolved: [String: HashTrial] = [:]
    let entities = model.entitiesByName
    let modifiers = HashCandidates.modifiers(in: [model] + hints.otherModels)
    var remaining = 10 * trialLimit
    // Parents first: their results are used for their children.
    for entity in model.entitiesParentsFirst {
      let parent = entity.superentityName.flatMap { resolved[$0] }
      let trial = HashTrial(
        entity: entity, properties: PropertyHashes(of: entity, inheriting: parent?.properties ?? PropertyHashes()),
        superentityHash: entity.superentityName.flatMap { storeHashes[$0] } ?? parent?.hash)
      resolved[entity.name] = trial
      if let target = storeHashes[entity.name] {
        guard target != entity.versionHash else { continue }
        if trial.hash == target {
          findings[entity.name] = .inherited
        } else if let changes = changes(from: target, to: entity) {
          findings[entity.name] = changes.isEmpty ? .inherited : .changes(changes)
        } else if let (changes, found) = search(trial, for: target, in: entities, modifiers, &remaining) {
          findings[entity.name] = .changes(changes)
          resolved[entity.name] = found
        } else {
          findings[entity.name] = .unknown
        }
      } else if let name = oldName(of: trial, unless: entities) {
        let change = ModelChange(
          entityName: entity.name, subject: .entity, kind: .renamed(from: name), affectsVersionHash: true)
        findings[entity.name] = .changes([change])
      }
    }
    return findings
  }

  /// The name under which the store has the same entity.
  private func oldName(of trial: HashTrial, unless known: [String: EntityDescription]) -> String? {
    storeHashes.keys.filter { known[$0] == nil }.sorted { $0.precedesByBytes($1) }.first { name in
      trial.renamed(to: name).hash == storeHashes[name]
    }
  }

  /// The changes from another version of the entity that has the store's hash.
  private func changes(from target: VersionHash, to entity: EntityDescription) -> [ModelChange]? {
    for other in hints.otherModels {
      guard let old = other.entity(named: entity.name), old.versionHash == target else { continue }
      let match = RenamingMatch(old: other.entities, new: model.entities)
      return EntityComparison.changes(old, entity, Renamings(entities: match.pairs, in: model), .compiled)
        .filter(\.affectsVersionHash)
    }
    return nil
  }

  /// Leaves out properties for which the store has no column or destination: they cannot have existed.
  private func reduced(_ trial: HashTrial) -> HashCandidate? {
    let entity = trial.entity
    let missing = hints.propertiesWithoutColumn[entity.name] ?? []
    // A composite is missing if an element is.
    let names = Set(entity.ownAttributes.filter { missing.contains($0.name) }.map(\.declaredName))
    let attributes = entity.ownDeclaredAttributes.filter { names.contains($0.name) }
      .map { (ModelChange.Subject.attribute($0.name), $0.name) }
    let relationships = entity.ownRelationships.filter { relationship in
      missing.contains(relationship.name) || storeHashes[relationship.destinationEntityName] == nil
    }.map { (ModelChange.Subject.relationship($0.name), $0.name) }
    let absent = (attributes + relationships).filter { trial.properties[$0.1] != nil }
    guard !absent.isEmpty else { return nil }
    let changes = absent.map {
      ModelChange(entityName: entity.name, subject: $0.0, kind: .added, affectsVersionHash: true)
    }
    return HashCandidate(slot: "absent", isLikely: true, changes: changes) { trial in
      for (_, name) in absent { trial.properties[name] = nil }
    }
  }

  private func search(
    _ trial: HashTrial, for target: VersionHash, in entities: [String: EntityDescription], _ modifiers: [String?],
    _ remaining: inout Int
  ) -> (changes: [ModelChange], found: HashTrial)? {
    var budget = min(trialLimit, remaining)
    let granted = budget
    defer { remaining -= granted - budget }
    guard budget > 0 else { return nil }
    func reaches(_ candidates: [HashCandidate]) -> HashTrial? {
      budget -= 1
      var altered = trial
      for candidate in candidates { candidate.apply(&altered) }
      return altered.hash == target ? altered : nil
    }
    let candidates = HashCandidates(
      for: trial, in: entities, storeHashes: storeHashes, hints: hints, modifiers: modifiers
    ).all
    func first(of steps: [[HashCandidate]]) -> (changes: [ModelChange], found: HashTrial)? {
      for candidates in steps where budget > 0 {
        if let found = reaches(candidates) { return (candidates.flatMap(\.changes), found) }
      }
      return nil
    }
    let base = reduced(trial).map { [$0] } ?? []
    if let result = first(of: candidates.map { [$0] }) ?? first(of: [base] + candidates.map { base + [$0] }) {
      return result
    }
    let likely = candidates.filter(\.isLikely)
    for (index, one) in likely.enumerated() where budget > 0 {
      let others = likely[(index + 1)...].filter { $0.slot != one.slot }
      if let result = first(of: others.map { base + [one, $0] }) { return result }
    }
    return nil
  }
}

/// Information that helps to guess what a store's entities were like.
package struct VersionHashHints: Sendable {
  /// An attribute that the store may have had: a column that belongs to no attribute of the model.
  package struct Column: Sendable, Hashable {
    /// The possible names of the attribute; a column's name is uppercase.
    package let names: [String]
    /// The types that such a column can store.
    package let types: [AttributeType]

    /// Creates a hint.
    package init(names: [String], types: [AttributeType]) {
      self.names = names
      self.types = types
    }
  }

  /// Other versions of the model.
  package var otherModels: [ManagedObjectModel]
  /// The unexplained columns, by the names of the entities that they may belong to.
  package var columns: [String: [Column]]

  /// The properties without columns, by the names of the entities that declare them.
  package var propertiesWithoutColumn: [String: Set<String>]

  /// Creates hints.
  package init(
    otherModels: [ManagedObjectModel] = [], columns: [String: [Column]] = [:],
    propertiesWithoutColumn: [String: Set<String>] = [:]
  ) {
    self.otherModels = otherModels
    self.columns = columns
    self.propertiesWithoutColumn = propertiesWithoutColumn
  }
}

package import DataModel
internal import Migration
package import MigrationDiagnostics

/// Finds problems in one version of a model.
private struct ModelLint {
  /// With more columns than this, every fetch is slow.
  private static let columnLimit = 100

  private let model: ManagedObjectModel
  private let versionName: String
  private let entities: [String: EntityDescription]
  private let relationships: [String: [String: RelationshipDescription]]

  init(_ model: ManagedObjectModel, versionName: String) {
    self.model = model
    self.versionName = versionName
    entities = model.entitiesByName
    relationships = entities.mapValues(\.relationshipsByName)
  }

  /// All findings, suggestions among them, in the order of entities and properties.
  var findings: [ModelFinding] {
    model.entities.flatMap { entity in
      let found =
        findings(of: entity) + entity.ownAttributes.flatMap { findings(of: $0, entity) }
        + entity.ownRelationships.flatMap { findings(of: $0) }
      return found.map { finding in
        var placed = finding
        (placed.versionName, placed.entityName) = (versionName, entity.name)
        return placed
      }
    }
  }

  private func findings(of entity: EntityDescription) -> [ModelFinding] {
    var findings: [ModelFinding] = []
    let columns =
      entity.attributes.filter { !$0.isTransient }.count
      + entity.relationships.filter { !$0.isTransient && !$0.isToMany }.count
    if columns > Self.columnLimit {
      findings.append(
        ModelFinding(
          "many-columns", .warning, "the entity has \(columns) columns, and every fetch reads them all",
          "move what is seldom used to an entity of its own"))
    }
    if entity.isAbstract, entity.subentityNames.isEmpty {
      findings.append(
        ModelFinding(
          "abstract-without-subentities", .suggestion,
          "the entity is abstract and has no subentities, so it never has instances",
          "remove it, or make it concrete"))
    }
    if entity.attributes.isEmpty, entity.relationships.isEmpty, entity.subentityNames.isEmpty {
      findings.append(
        ModelFinding(
          "without-properties", .suggestion, "the entity has no properties",
          "remove it, unless it is kept for a later version"))
    }
    return findings + caseFindings(entity)
  }

  /// Column names are uppercase, so such properties get numbered columns that are hard to recognise.
  private func caseFindings(_ entity: EntityDescription) -> [ModelFinding] {
    let stored =
      entity.attributes.filter { !$0.isTransient }.map(\.name)
      + entity.relationships.filter { !$0.isTransient }.map(\.name)
    let own = Set(entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name))
    var seen: [String: String] = [:]
    return stored.sorted { $0.precedesByBytes($1) }.compactMap { name in
      guard let other = seen.updateValue(name, forKey: name.uppercased()), own.contains(name) || own.contains(other)
      else { return nil }
      return ModelFinding(
        "differs-in-case-only", .warning,
        "the name differs from '\(other)' in capitals only, and columns are in capitals", "rename one of them",
        property: name)
    }
  }

  private func findings(of attribute: AttributeDescription, _ entity: EntityDescription) -> [ModelFinding] {
    var findings: [ModelFinding] = []
    if let text = attribute.unreadableDefault {
      findings.append(
        ModelFinding(
          "unreadable-default", .warning,
          "the default '\(text)' is not a value of the attribute's type, so there is no default",
          "correct it in Xcode's model editor", property: attribute.name))
    }
    findings += attribute.limitFaults.map { fault in
      ModelFinding(
        fault.id, fault.isImpossible ? .error : .warning, fault.problem, "correct it in Xcode's model editor",
        property: attribute.name)
    }
    if let fault = DerivationFault(attribute, of: entity, in: entities) {
      findings.append(
        ModelFinding("unusable-derivation", .error, fault.problem, "\(fault.advice)", property: attribute.name))
    }
    if attribute.isRequiredWithoutDefault {
      findings.append(
        ModelFinding(
          "required-without-default", .suggestion, "the attribute is required and has no default",
          "a default lets later versions be inferred without a mapping model", property: attribute.name))
    }
    return findings
  }

  private func findings(of relationship: RelationshipDescription) -> [ModelFinding] {
    var findings: [ModelFinding] = []
    func add(_ id: String, _ severity: ModelFinding.Severity, _ problem: String, _ advice: String) {
      findings.append(ModelFinding(id, severity, problem, "\(advice)", property: relationship.name))
    }
    let (minCount, maxCount) = (relationship.minCount, relationship.maxCount)
    // Models created in code use -1 for no limit.
    if minCount < 0 || (maxCount > 0 && minCount > maxCount) {
      add(
        "contradictory-counts", .error, "at least \(minCount) and at most \(maxCount) destinations cannot be",
        "correct the counts")
    } else if relationship.isOptional, minCount > 0 {
      // Old versions of Xcode wrote this for every to-one relationship.
      add(
        "optional-with-minimum", relationship.isToMany ? .warning : .suggestion,
        "the relationship is optional, but requires at least \(minCount)", "make it required, or the minimum 0")
    }
    if relationship.isOrdered, !relationship.isToMany {
      add("ordered-to-one", .warning, "a to-one relationship is ordered", "turn the order off; it has no effect")
    }
    if relationship.deleteRule == .noAction {
      add(
        "no-action-on-delete", .warning, "deleting leaves references that lead nowhere",
        "use nullify, cascade or deny")
    }
    guard let inverseName = relationship.inverseName else {
      if !relationship.isTransient {
        add(
          "no-inverse", .warning, "the relationship has no inverse", "give it one, so that both sides are kept in step")
      }
      return findings
    }
    let holder = relationship.inverseEntityName ?? relationship.destinationEntityName
    guard let inverse = relationships[holder]?[inverseName] else { return findings }
    if inverse.inverseName != relationship.name {
      add(
        "inverse-disagrees", .warning,
        "its inverse '\(inverseName)' leads back by \(inverse.inverseName.map { "'\($0)'" } ?? "nothing")",
        "make both relationships name each other")
    }
    // Reported once, for the side whose name comes first.
    let isFirst = relationship.name == inverseName || relationship.name.precedesByBytes(inverseName)
    if isFirst, relationship.deleteRule == .cascade, inverse.deleteRule == .cascade {
      add(
        "cascade-from-both-sides", .warning, "deleting either side deletes the other, by '\(inverseName)' too",
        "use nullify on the side that does not own the other")
    }
    return findings
  }
}

extension AttributeDescription {
  /// Whether instances of earlier versions lack a value that the attribute requires.
  var isRequiredWithoutDefault: Bool { !isOptional && !isTransient && !isDerived && defaultValue == nil }
}

extension ModelBundle {
  /// Finds problems in the list of versions and in the current version.
  ///
  /// The content of earlier versions is not checked: stores were written with them, so they must not change.
  ///
  /// - Parameters:
  ///   - versionName: The version to check instead of the current one.
  ///   - suggests: Whether to include suggestions.
  /// - Returns: The findings, beginning with those about the bundle.
  /// - Throws: `ModelFileError` where the bundle has no version of this name.
  package func lint(versionNamed versionName: String? = nil, suggests: Bool = false) throws(ModelFileError)
    -> [ModelFinding]
  {
    let (models, unreadable) = readVersions()
    var findings = unreadable.map { Self.finding("unreadable-version", $0.error, of: $0.version.name) }
    let current: ModelVersion?
    if let versionName {
      current = try version(named: versionName)
    } else {
      do {
        current = try currentVersion()
        findings += currentVersionFindings(current)
      } catch {
        findings.append(Self.finding("current-version-unknown", error, of: nil))
        current = nil
      }
    }
    findings += sameVersionFindings(models)
    if let index = models.firstIndex(where: { $0.version == current }) {
      if index > 0 { findings += requiredFindings(models[index], after: models[index - 1]) }
      findings += ModelLint(models[index].model, versionName: models[index].version.name).findings
      // Nothing is wrong; it is a last chance.
      findings.append(
        ModelFinding(
          "spare-room", .suggestion, "this version can still change as long as no app with it was shipped",
          "add optional attributes and entities that later versions will need now: that saves a migration",
          version: models[index].version.name))
    }
    return findings.filter { suggests || $0.severity != .suggestion }
  }

  private static func finding(_ id: String, _ error: ModelFileError, of version: String?) -> ModelFinding {
    ModelFinding(
      id, .error, (error.line.map { "line \($0): " } ?? "") + error.problem.problem.asPhrase,
      "\(error.problem.advice.asPhrase)", version: version)
  }

  private func currentVersionFindings(_ current: ModelVersion?) -> [ModelFinding] {
    guard let current, let newest = versions.last, newest != current else { return [] }
    return [
      ModelFinding(
        "current-version-not-newest", .warning, "this is the current version, but '\(newest.name)' comes after it",
        "choose the current version in Xcode, if this was forgotten", version: current.name)
    ]
  }

  /// Each version is compared with the last one before it that has the same version hashes.
  private func sameVersionFindings(
    _ models: [(version: ModelVersion, model: ManagedObjectModel)]
  ) -> [ModelFinding] {
    var known: [[String: VersionHash]: Int] = [:]
    return models.indices.compactMap { index -> ModelFinding? in
      let (version, model) = models[index]
      guard let before = known.updateValue(index, forKey: model.entityVersionHashesByName) else { return nil }
      let difference = ModelDifference(
        from: models[before].model, to: model, precision: isCompiled ? .compiled : .source)
      let name = models[before].version.name
      // With equal version hashes stores are not migrated, whatever else differs.
      return difference.isEmpty
        ? ModelFinding(
          "identical-versions", .warning, "the version says the same as '\(name)'",
          "remove one of them, unless stores or apps name it", version: version.name)
        : ModelFinding(
          "same-hashes", .warning,
          "the version hashes are those of '\(name)', though it differs: \(difference.changes.shortList)",
          "set a version hash modifier where stores must be migrated for that", version: version.name)
    }
  }

  /// Finds required attributes for which instances of the previous version have no value.
  private func requiredFindings(
    _ current: (version: ModelVersion, model: ManagedObjectModel),
    after previous: (version: ModelVersion, model: ManagedObjectModel)
  ) -> [ModelFinding] {
    RenamingMatch(old: previous.model.entities, new: current.model.entities).pairs.flatMap { pair in
      let match = RenamingMatch(old: pair.old.ownAttributes, new: pair.new.ownAttributes)
      // Attributes that moved here from elsewhere in the hierarchy had values before.
      let added = match.added.filter { pair.old.attribute(named: $0.name) == nil }
      let required = match.pairs.filter { $0.old.isOptional && !$0.new.isOptional }.map(\.new)
      return (added + required).filter(\.isRequiredWithoutDefault).map { attribute in
        ModelFinding(
          "newly-required", .warning,
          "the attribute is required since '\(previous.version.name)' and has no default, so old instances have no value "
            + "for it",
          "give it a default, make it optional, or migrate with a mapping model", version: current.version.name,
          entity: pair.new.name, property: attribute.name)
      }
    }
  }
}

extension ModelSource {
  /// Checks the versions of a bundle for problems, and the requested one in detail.
  ///
  /// - Parameter suggests: Whether to find also what would only be better otherwise.
  /// - Throws: `MigrationError` if there is no bundle, as for a store.
  package func lint(suggests: Bool = false) throws(MigrationError) -> [ModelFinding] {
    guard kind == .model else {
      throw MigrationError(.unusableModel, path: path, detail: "it is neither a model nor a mapping model")
    }
    let bundle = try bundle()
    do {
      return try bundle.lint(versionNamed: versionName, suggests: suggests)
    } catch {
      throw MigrationError(error)
    }
  }
}

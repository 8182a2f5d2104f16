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
      entityFindings(entity)
        + entity.ownAttributes.flatMap { attribute in
          problems(of: attribute, entity).map { finding($0, entity, attribute.name) }
        }
        + entity.ownRelationships.flatMap { relationship in
          problems(of: relationship, entity).map { finding($0, entity, relationship.name) }
        }
    }
  }

  private func finding(
    _ problem: ModelFinding.Problem, _ entity: EntityDescription, _ property: String? = nil
  ) -> ModelFinding {
    ModelFinding(problem, versionName: versionName, entityName: entity.name, propertyName: property)
  }

  private func entityFindings(_ entity: EntityDescription) -> [ModelFinding] {
    var problems: [ModelFinding.Problem] = []
    let columns =
      entity.attributes.filter { !$0.isTransient }.count
      + entity.relationships.filter { !$0.isTransient && !$0.isToMany }.count
    if columns > Self.columnLimit { problems.append(.manyColumns(columns)) }
    if entity.isAbstract, entity.subentityNames.isEmpty { problems.append(.abstractWithoutSubentities) }
    if entity.attributes.isEmpty, entity.relationships.isEmpty, entity.subentityNames.isEmpty {
      problems.append(.withoutProperties)
    }
    return problems.map { finding($0, entity) } + caseFindings(entity)
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
      return finding(.differsInCaseOnly(other: other), entity, name)
    }
  }

  private func problems(of attribute: AttributeDescription, _ entity: EntityDescription) -> [ModelFinding.Problem] {
    (attribute.unreadableDefault.map { [.unreadableDefault($0)] } ?? [])
      + (DerivationFault(attribute, of: entity, in: entities).map { [.unusableDerivation($0)] } ?? [])
      + (attribute.isRequiredWithoutDefault ? [.requiredWithoutDefault] : [])
  }

  private func problems(
    of relationship: RelationshipDescription, _ entity: EntityDescription
  ) -> [ModelFinding.Problem] {
    var problems: [ModelFinding.Problem] = []
    let (minCount, maxCount) = (relationship.minCount, relationship.maxCount)
    // Models created in code use -1 for no limit.
    if minCount < 0 || (maxCount > 0 && minCount > maxCount) {
      problems.append(.contradictoryCounts(minCount: minCount, maxCount: maxCount))
    } else if relationship.isOptional, minCount > 0 {
      problems.append(.optionalWithMinimum(minCount: minCount, isToMany: relationship.isToMany))
    }
    if relationship.isOrdered, !relationship.isToMany { problems.append(.orderedToOne) }
    if relationship.deleteRule == .noAction { problems.append(.noActionOnDelete) }
    return problems + inverseProblems(of: relationship, entity)
  }

  private func inverseProblems(
    of relationship: RelationshipDescription, _ entity: EntityDescription
  ) -> [ModelFinding.Problem] {
    guard let inverseName = relationship.inverseName else { return relationship.isTransient ? [] : [.noInverse] }
    let holder = relationship.inverseEntityName ?? relationship.destinationEntityName
    guard let inverse = relationships[holder]?[inverseName] else { return [] }
    var problems: [ModelFinding.Problem] = []
    if inverse.inverseName != relationship.name {
      problems.append(.inverseDisagrees(inverse: inverseName, inverseOfInverse: inverse.inverseName))
    }
    // Reported once, for the side whose name comes first.
    let isFirst = relationship.name == inverseName || relationship.name.precedesByBytes(inverseName)
    if isFirst, relationship.deleteRule == .cascade, inverse.deleteRule == .cascade {
      problems.append(.cascadeFromBothSides(inverse: inverseName))
    }
    return problems
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
    var findings = unreadable.map { ModelFinding(.unreadableVersion($0.error), versionName: $0.version.name) }
    let current: ModelVersion?
    if let versionName {
      current = try version(named: versionName)
    } else {
      do {
        current = try currentVersion()
        findings += currentVersionFindings(current)
      } catch {
        findings.append(ModelFinding(.currentVersionUnknown(error)))
        current = nil
      }
    }
    findings += sameVersionFindings(models)
    if let index = models.firstIndex(where: { $0.version == current }) {
      if index > 0 { findings += requiredFindings(models[index], after: models[index - 1]) }
      findings += ModelLint(models[index].model, versionName: models[index].version.name).findings
      findings.append(ModelFinding(.spareRoom, versionName: models[index].version.name))
    }
    return findings.filter { suggests || $0.severity != .suggestion }
  }

  private func currentVersionFindings(_ current: ModelVersion?) -> [ModelFinding] {
    guard let current, let newest = versions.last, newest != current else { return [] }
    return [ModelFinding(.currentVersionIsNotNewest(newest: newest.name), versionName: current.name)]
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
      return ModelFinding(
        difference.isEmpty ? .sameAsVersion(name) : .sameHashesAsVersion(name, changes: difference.changes),
        versionName: version.name)
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
          .newlyRequiredWithoutDefault(since: previous.version.name), versionName: current.version.name,
          entityName: pair.new.name, propertyName: attribute.name)
      }
    }
  }
}

/// A problem, or a likely problem, in a model or its versions.
///
/// A finding holds only facts; the code that presents it writes the text.
package struct ModelFinding: Sendable, Hashable {
  /// The severities of findings.
  package enum Severity: String, Sendable, Hashable, CaseIterable {
    /// It cannot work.
    case error
    /// It works, but probably not as intended.
    case warning
    /// It could be improved, now or later.
    case suggestion
  }

  /// The problems that a model can have.
  package enum Problem: Sendable, Hashable {
    // Versions.
    case unreadableVersion(ModelFileError)
    case currentVersionUnknown(ModelFileError)
    case currentVersionIsNotNewest(newest: String)
    case sameAsVersion(String)
    /// Equal version hashes, but not the same content: stores will not be migrated.
    case sameHashesAsVersion(String, changes: [ModelChange])

    // Relationships.
    case noInverse
    /// The inverse's own inverse is another relationship, or none.
    case inverseDisagrees(inverse: String, inverseOfInverse: String?)
    case contradictoryCounts(minCount: Int32, maxCount: Int32)
    case orderedToOne
    /// Old versions of Xcode wrote this for every to-one relationship.
    case optionalWithMinimum(minCount: Int32, isToMany: Bool)
    case cascadeFromBothSides(inverse: String)
    case noActionOnDelete

    // Attributes.
    /// Neither a lightweight migration nor an old instance has a value for it.
    case newlyRequiredWithoutDefault(since: String)
    case requiredWithoutDefault
    /// The text of the default value is not a value of the attribute's type.
    case unreadableDefault(String)
    /// The expression of a derived attribute cannot be computed.
    case unusableDerivation(DerivationFault)
    case differsInCaseOnly(other: String)

    // Entities.
    case manyColumns(Int)
    case abstractWithoutSubentities
    case withoutProperties

    /// Nothing is wrong; a last chance to add attributes that later versions may need.
    case spareRoom
  }

  /// The version in which it was found; `nil` if it is about the bundle.
  package let versionName: String?
  /// The entity.
  package let entityName: String?
  /// The property.
  package let propertyName: String?
  /// The problem.
  package let problem: Problem

  /// Creates a finding.
  package init(
    _ problem: Problem, versionName: String? = nil, entityName: String? = nil, propertyName: String? = nil
  ) {
    self.problem = problem
    self.versionName = versionName
    self.entityName = entityName
    self.propertyName = propertyName
  }
}

extension ModelFinding {
  /// The severity of the finding.
  package var severity: Severity {
    switch problem {
    case .unreadableVersion, .currentVersionUnknown, .contradictoryCounts, .unusableDerivation: .error
    case .currentVersionIsNotNewest, .sameAsVersion, .sameHashesAsVersion, .noInverse, .inverseDisagrees,
      .orderedToOne, .cascadeFromBothSides, .noActionOnDelete, .newlyRequiredWithoutDefault, .unreadableDefault,
      .differsInCaseOnly, .manyColumns:
      .warning
    case .optionalWithMinimum(_, let isToMany): isToMany ? .warning : .suggestion
    case .requiredWithoutDefault, .abstractWithoutSubentities, .withoutProperties, .spareRoom: .suggestion
    }
  }

  /// A stable name, for programs.
  package var name: String {
    switch problem {
    case .unreadableVersion: "unreadable-version"
    case .currentVersionUnknown: "current-version-unknown"
    case .currentVersionIsNotNewest: "current-version-not-newest"
    case .sameAsVersion: "identical-versions"
    case .sameHashesAsVersion: "same-hashes"
    case .noInverse: "no-inverse"
    case .inverseDisagrees: "inverse-disagrees"
    case .contradictoryCounts: "contradictory-counts"
    case .orderedToOne: "ordered-to-one"
    case .optionalWithMinimum: "optional-with-minimum"
    case .cascadeFromBothSides: "cascade-from-both-sides"
    case .noActionOnDelete: "no-action-on-delete"
    case .newlyRequiredWithoutDefault: "newly-required"
    case .requiredWithoutDefault: "required-without-default"
    case .unreadableDefault: "unreadable-default"
    case .unusableDerivation: "unusable-derivation"
    case .differsInCaseOnly: "differs-in-case-only"
    case .manyColumns: "many-columns"
    case .abstractWithoutSubentities: "abstract-without-subentities"
    case .withoutProperties: "without-properties"
    case .spareRoom: "spare-room"
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

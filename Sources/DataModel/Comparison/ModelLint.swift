/// Looks for what will lead to trouble in one version of a model.
struct ModelLint {
  /// More columns than this make every fetch slow.
  static let columnLimit = 100

  private let model: ManagedObjectModel
  private let versionName: String
  private let relationships: [String: [String: RelationshipDescription]]

  init(_ model: ManagedObjectModel, versionName: String) {
    self.model = model
    self.versionName = versionName
    relationships = model.entitiesByName.mapValues(\.relationshipsByName)
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

  /// Columns are in capitals: such properties get numbered ones, which nobody finds again.
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
      + (attribute.isRequiredWithoutDefault ? [.requiredWithoutDefault] : [])
  }

  private func problems(
    of relationship: RelationshipDescription, _ entity: EntityDescription
  ) -> [ModelFinding.Problem] {
    var problems: [ModelFinding.Problem] = []
    let (minCount, maxCount) = (relationship.minCount, relationship.maxCount)
    // Models that are made in code say -1 for no limit.
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
    // Told once, of the side whose name comes first.
    let isFirst = relationship.name == inverseName || relationship.name.precedesByBytes(inverseName)
    if isFirst, relationship.deleteRule == .cascade, inverse.deleteRule == .cascade {
      problems.append(.cascadeFromBothSides(inverse: inverseName))
    }
    return problems
  }
}

extension AttributeDescription {
  /// Whether an instance that knows nothing of the attribute has no value for it, but must have one.
  var isRequiredWithoutDefault: Bool { !isOptional && !isTransient && !isDerived && defaultValue == nil }
}

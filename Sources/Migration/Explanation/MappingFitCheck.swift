internal import DataModel
internal import Expressions

/// Joins the file of a mapping model with two models, and tells everything that does not fit.
struct MappingFitCheck {
  private let file: MappingModelFile
  private let sourceEntities: [String: EntityDescription]
  private let destinationEntities: [String: EntityDescription]
  private(set) var remarks: [MappingRemark] = []
  private(set) var mappingModel: MappingModel
  /// By source and destination entity: the destination properties that the source has something for.
  private var namesWithSource: [[String?]: Set<String>] = [:]

  init(_ file: MappingModelFile, from source: NamedModel, to destination: NamedModel) {
    self.file = file
    sourceEntities = source.model.entitiesByName
    destinationEntities = destination.model.entitiesByName
    var resolver = MappingResolver(file.entityMappings, source: source.model, destination: destination.model)
    mappingModel = MappingModel(entityMappings: resolver.entityMappings())
    let entries = Dictionary(file.entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for finding in resolver.findings {
      let entry = finding.entityMappingName.flatMap { entries[$0] }
      let severity = severity(of: finding, entry)
      remarks.append(MappingRemark(finding, in: file, severity: severity))
    }
    checkKeys(SourceKeys(source.model))
    for entry in file.entityMappings { checkRelationships(of: entry) }
  }

  /// What is not mentioned matters where the source has a value for it, and no policy may take care of that.
  private mutating func severity(of finding: MappingModelFinding, _ entry: EntityMappingEntry?) -> ModelFinding
    .Severity?
  {
    guard let entry else { return nil }
    let hasPolicy = entry.entityMigrationPolicyClassName != nil
    switch finding.kind {
    case .unmentionedProperty:
      guard let name = finding.propertyName else { return nil }
      return !hasPolicy && sourceHas(name, entry) ? .warning : .suggestion
    case .noDestinationInstances: return hasPolicy ? .suggestion : nil
    default: return nil
    }
  }

  /// Whether the source has a stored property that the destination's property would come from.
  private mutating func sourceHas(_ name: String, _ entry: EntityMappingEntry) -> Bool {
    let pair = [entry.sourceEntityName, entry.destinationEntityName]
    let names = namesWithSource[pair] ?? namesWithSource(pair[0], pair[1])
    namesWithSource[pair] = names
    return names.contains(name)
  }

  private func namesWithSource(_ source: String?, _ destination: String?) -> Set<String> {
    guard let source = source.flatMap({ sourceEntities[$0] }),
      let destination = destination.flatMap({ destinationEntities[$0] })
    else { return [] }
    let attributes = SourceProperties(source.attributes)
    let relationships = SourceProperties(source.relationships)
    return Set(destination.attributes.filter { attributes.property(for: $0) != nil }.map(\.name)).union(
      destination.relationships.filter { relationships.property(for: $0) != nil }.map(\.name))
  }

  private mutating func checkKeys(_ keys: SourceKeys) {
    var keys = keys
    for mapping in mappingModel.entityMappings {
      guard let entity = mapping.sourceEntityName else { continue }
      if let filter = mapping.filterPredicate, let unknown = keys.unknown(in: filter, of: entity) {
        report(unknown, .error, mapping, nil)
      }
      // A policy may leave expressions alone.
      let severity = mapping.entityMigrationPolicyClassName == nil ? ModelFinding.Severity.error : .warning
      for property in mapping.attributeMappings + mapping.relationshipMappings {
        guard let expression = property.valueExpression, let unknown = keys.unknown(in: expression, of: entity)
        else { continue }
        report(unknown, severity, mapping, property.name)
      }
    }
  }

  private mutating func report(
    _ unknown: SourceKeys.Unknown, _ severity: ModelFinding.Severity, _ mapping: EntityMapping, _ property: String?
  ) {
    remarks.append(
      MappingRemark(
        severity, .unknownSourceKey(unknown.key, entity: unknown.entity, nearest: unknown.nearest), in: file,
        mapping: mapping.name, property: property))
  }

  private mutating func checkRelationships(of entry: EntityMappingEntry) {
    for relationship in entry.relationshipMappings
    where relationship.value == .none && sourceHas(relationship.name, entry) {
      remarks.append(
        MappingRemark(
          entry.entityMigrationPolicyClassName == nil ? .warning : .suggestion, .unsetRelationship, in: file,
          mapping: entry.name, property: relationship.name))
    }
  }
}

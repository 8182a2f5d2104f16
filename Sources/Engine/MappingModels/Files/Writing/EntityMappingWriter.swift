internal import CoreDataExpressions
internal import DataModel

/// Writes one entity mapping and its property mappings.
struct EntityMappingWriter {
  let mapping: EntityMapping
  let number: Int
  let identifier: Int
  let model: Int
  let source: EntityDescription?
  let destination: EntityDescription?
  let generator: ExpressionGenerator
  let mappingNames: Set<String>

  /// The name and attributes of an object to write.
  typealias Row = (name: String, attributes: [(String, MappingObjectWriter.Value)])

  func write(to objects: inout MappingObjectWriter) throws(MappingModelFileProblem) {
    let attributes = try attributeRows()
    let relationships = try relationshipRows()
    let attributeNumbers = objects.reserve(attributes.count)
    let relationshipNumbers = objects.reserve(relationships.count)
    try objects.add(
      MappingSchema.entityMapping, identifier, attributes: ownAttributes,
      relationships: [
        ("mappingmodel", MappingSchema.mappingModel, [model], isToMany: false),
        ("attributemappings", MappingSchema.attributeMapping, attributeNumbers, isToMany: true),
        ("relationshipmappings", MappingSchema.relationshipMapping, relationshipNumbers, isToMany: true),
      ])
    for (row, number) in zip(attributes, attributeNumbers) {
      try write(row, number, MappingSchema.attributeMapping, to: &objects)
    }
    for (row, number) in zip(relationships, relationshipNumbers) {
      try write(row, number, MappingSchema.relationshipMapping, to: &objects)
    }
  }

  private func write(
    _ row: Row, _ number: Int, _ type: String, to objects: inout MappingObjectWriter
  ) throws(MappingModelFileProblem) {
    try objects.add(
      type, number, attributes: row.attributes,
      relationships: [("entitymapping", MappingSchema.entityMapping, [identifier], isToMany: false)])
  }

  /// The attributes, in Xcode's order where it is known.
  private var ownAttributes: [(String, MappingObjectWriter.Value)] {
    let (source, destination) = (mapping.sourceEntityName, mapping.destinationEntityName)
    var attributes: [(String, MappingObjectWriter.Value)] = []
    if !mapping.userInfo.isEmpty {
      attributes.append(("userinfodata", .binary(UserInfoArchive.bytes(mapping.userInfo))))
    }
    if let policy = mapping.entityMigrationPolicyClassName, !policy.isEmpty {
      attributes.append(("migrationpolicyclassname", .string(policy)))
    }
    if let source { attributes.append(("sourcename", .string(source))) }
    if let filter = mapping.filterPredicate, filter != .everything {
      attributes.append(("sourcefilterpredicatestring", .string("\(filter)")))
    }
    attributes.append(("mappingtypename", .string(typeName)))
    attributes.append(("mappingnumber", .int16(number)))
    if let destination { attributes.append(("destinationname", .string(destination))) }
    attributes.append(("autogenerateexpression", .bool(true)))
    if mapping.name != EntityMappingEntry.defaultName(source: source, destination: destination) {
      attributes.append(("name", .string(mapping.name)))
    }
    return attributes
  }

  /// Xcode always writes "Undefined", and its compiler infers the type.
  private var typeName: String {
    let implied = EntityMappingEntry.impliedMappingType(
      policy: mapping.entityMigrationPolicyClassName, source: mapping.sourceEntityName,
      destination: mapping.destinationEntityName)
    guard mapping.mappingType != implied else { return "Undefined" }
    return MappingSchema.mappingTypeNames.first { $0.value == mapping.mappingType }?.key ?? "Undefined"
  }
}

extension EntityMappingWriter {
  private func attributeRows() throws(MappingModelFileProblem) -> [Row] {
    let sources = SourceProperties(source?.attributes ?? [])
    let properties = destination?.attributesByName ?? [:]
    var rows: [Row] = []
    let composites = Set((source?.composites ?? []).map(\.name))
    for property in mapping.attributeMappings.joiningElements(of: destination) {
      let name: (String, MappingObjectWriter.Value) = ("name", .string(property.name))
      let isCopied = sources.property(named: property.name) != nil || composites.contains(property.name)
      let generated: Expression? = isCopied ? .source(property.name) : nil
      if property.valueExpression == generated, !isRenamed(properties[property.name], sources) {
        rows.append((property.name, [name]))
      } else if let expression = property.valueExpression {
        rows.append((property.name, [try data(expression, property.name), name]))
      }
    }
    return rows
  }

  /// Whether only a renaming identifier, which Xcode may not follow, refers to a source property.
  private func isRenamed<Property: PropertyDescription>(
    _ property: Property?, _ sources: SourceProperties<Property>
  ) -> Bool {
    guard let property, let found = sources.property(for: property) else { return false }
    return found.name != property.name
  }

  private func relationshipRows() throws(MappingModelFileProblem) -> [Row] {
    let sources = SourceProperties(source?.relationships ?? [])
    let properties = destination?.relationshipsByName ?? [:]
    var rows: [Row] = []
    for property in mapping.relationshipMappings {
      let common: Row = (
        property.name, [("autogenerateexpression", .bool(true)), ("name", .string(property.name))]
      )
      var generated: Expression?
      if let relationship = properties[property.name], sources.property(named: property.name) != nil {
        generated = generator.expression(
          for: relationship, source: property.name, sources: .source(property.name))
      }
      if property.valueExpression == generated, !isRenamed(properties[property.name], sources) {
        rows.append(common)
      } else if let expression = property.valueExpression {
        if let (path, name) = mapped(expression) {
          rows.append(
            (
              property.name,
              common.attributes + [("sourcekeypath", .string(path)), ("sourcemappingname", .string(name))]
            ))
        } else {
          rows.append((property.name, [try data(expression, property.name)] + common.attributes))
        }
      }
    }
    return rows
  }

  /// The two fields of Xcode's inspector, for an expression that they can represent.
  private func mapped(_ expression: Expression) -> (path: String, name: String)? {
    // Without a source entity, Xcode ignores the two fields.
    guard source != nil, case .entityMapping(let name, let instances) = DestinationInstancesCall(expression),
      mappingNames.contains(name)
    else { return nil }
    switch instances {
    case .variable("source"), .keyPath(.variable("source"), _): break
    default: return nil
    }
    let path = "\(instances)"
    // It is not known whether Xcode expects marks before keywords of the format language here.
    guard !path.contains("#"), (try? Expression(format: path)) == instances else { return nil }
    return (path, name)
  }

  private func data(
    _ expression: Expression, _ property: String
  ) throws(MappingModelFileProblem) -> (String, MappingObjectWriter.Value) {
    do {
      return ("valueexpressiondata", .binary(try expression.archive()))
    } catch {
      throw .unwritableExpression(
        mapping: mapping.name, property: property, reason: "'\(error.expression)' has no known archived form")
    }
  }
}

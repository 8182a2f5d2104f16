internal import DataModel
internal import Expressions

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

  /// An object that is about to be written, with what only that object has.
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

  /// The attributes, in Xcode's order as far as it is known.
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

  /// Xcode always writes "Undefined"; the compiler finds the type out.
  private var typeName: String {
    let implied = EntityMappingEntry.impliedMappingType(
      policy: mapping.entityMigrationPolicyClassName, source: mapping.sourceEntityName,
      destination: mapping.destinationEntityName)
    guard mapping.mappingType != implied else { return "Undefined" }
    return MappingSchema.mappingTypeNames.first { $0.value == mapping.mappingType }?.key ?? "Undefined"
  }
}

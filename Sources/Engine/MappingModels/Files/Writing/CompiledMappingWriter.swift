internal import CoreDataExpressions
internal import DataModel
internal import PropertyListFormat

extension MappingModel {
  /// The mapping model as a compiled one, the content of a `.cdm`: a keyed archive of an `NSMappingModel`.
  ///
  /// The same mapping model always gives the same bytes; the objects are those that Xcode's `mapc` archives.
  ///
  /// - Throws: `MappingModelFileProblem` if it is not known how an expression is archived.
  package func archive() throws(MappingModelFileProblem) -> [UInt8] {
    var archive = KeyedArchiveWriter()
    let root = archive.reserve()
    var references: [(name: String, reference: PropertyList)] = []
    for mapping in entityMappings {
      references.append((mapping.name, try CompiledMappingWriter.add(mapping, to: &archive)))
    }
    let list = archive.list(references.map(\.reference))
    let byName = archive.reserve()
    let keys = references.map { archive.add($0.name) }
    archive.fill(
      byName, ["NSMutableDictionary", "NSDictionary"],
      ["NS.keys": .array(keys), "NS.objects": .array(references.map(\.reference))])
    archive.fill(root, ["NSMappingModel"], ["NSEntityMappings": list, "NSEntityMappingsByName": byName])
    return archive.bytes(root: root)
  }
}

/// Archives the parts of a mapping model.
private enum CompiledMappingWriter {
  static func add(
    _ mapping: EntityMapping, to archive: inout KeyedArchiveWriter
  ) throws(MappingModelFileProblem) -> PropertyList {
    let reference = archive.reserve()
    var fields: PropertyListDictionary = [:]
    fields["NSDestinationEntityName"] = archive.add(optional: mapping.destinationEntityName)
    fields["NSSourceEntityName"] = archive.add(optional: mapping.sourceEntityName)
    fields["NSMappingName"] = archive.add(mapping.name)
    fields["NSDestinationEntityVersionHash"] = hash(mapping.destinationEntityVersionHash, &archive)
    fields["NSUserInfo"] = userInfo(mapping.userInfo, &archive)
    fields["NSSourceEntityVersionHash"] = hash(mapping.sourceEntityVersionHash, &archive)
    fields["NSSourceExpression"] = try sourceExpression(of: mapping, &archive)
    fields["NSRelationshipMappings"] = try list(mapping.relationshipMappings, of: mapping, &archive)
    fields["NSMappingType"] = .integer(Int64(mapping.mappingType.rawValue))
    fields["NSEntityMigrationPolicyClassName"] = archive.add(optional: mapping.entityMigrationPolicyClassName)
    fields["NSAttributeMappings"] = try list(mapping.attributeMappings.joiningElements(), of: mapping, &archive)
    archive.fill(reference, ["NSEntityMapping"], fields)
    return reference
  }

  private static func hash(_ hash: VersionHash?, _ archive: inout KeyedArchiveWriter) -> PropertyList {
    hash.map { archive.add(.data($0.bytes)) } ?? KeyedArchiveWriter.null
  }

  private static func userInfo(_ userInfo: [String: String], _ archive: inout KeyedArchiveWriter) -> PropertyList {
    guard !userInfo.isEmpty else { return KeyedArchiveWriter.null }
    let reference = archive.reserve()
    let entries = userInfo.sorted { $0.key.precedesByBytes($1.key) }
    let (keys, values) = (entries.map { archive.add($0.key) }, entries.map { archive.add($0.value) })
    archive.fill(reference, ["NSDictionary"], ["NS.keys": .array(keys), "NS.objects": .array(values)])
    return reference
  }

  /// Returns the expression that fetches the source instances.
  private static func sourceExpression(
    of mapping: EntityMapping, _ archive: inout KeyedArchiveWriter
  ) throws(MappingModelFileProblem) -> PropertyList {
    guard let entity = mapping.sourceEntityName else { return KeyedArchiveWriter.null }
    let manager = Expression.variable("manager")
    let request = Expression.function(
      target: manager, selector: "fetchRequestForSourceEntityNamed:predicateString:",
      arguments: [
        .constant(.string(entity)),
        .constant(.string((mapping.filterPredicate ?? .everything).description)),
      ])
    return try add(
      .fetch(request: request, context: .keyPath(manager, [.key("sourceContext")]), countOnly: false),
      of: mapping.name, "the source expression", &archive)
  }

  private static func list(
    _ properties: [PropertyMapping], of mapping: EntityMapping, _ archive: inout KeyedArchiveWriter
  ) throws(MappingModelFileProblem) -> PropertyList {
    var references: [PropertyList] = []
    for property in properties.sorted(by: { $0.name.precedesByBytes($1.name) }) {
      let reference = archive.reserve()
      var value = KeyedArchiveWriter.null
      if let expression = property.valueExpression {
        value = try add(expression, of: mapping.name, property.name, &archive)
      }
      archive.fill(
        reference, ["NSPropertyMapping"],
        [
          "NSValueExpression": value, "NSUserInfo": KeyedArchiveWriter.null,
          "NSPropertyTransforms": KeyedArchiveWriter.null, "NSDestinationPropertyName": archive.add(property.name),
        ])
      references.append(reference)
    }
    return archive.list(references)
  }

  private static func add(
    _ expression: Expression, of mapping: String, _ property: String, _ archive: inout KeyedArchiveWriter
  ) throws(MappingModelFileProblem) -> PropertyList {
    do throws(UnarchivableExpression) {
      // Those that the compiler makes of relationships have other lists than those that are written by hand.
      if case .function(let target, let selector, let arguments) = expression, target == .variable("manager"),
        selector.hasPrefix("destinationInstancesFor")
      {
        return try ExpressionArchiveWriter.function(
          target: target, selector, arguments, inListsOf: ["NSMutableArray", "NSArray"], to: &archive)
      }
      return try ExpressionArchiveWriter.add(expression, to: &archive)
    } catch {
      throw .unrepresentable(
        subject: "\(mapping), \(property)", key: "NSValueExpression",
        reason: "it is not known how '\(error.expression)' is archived")
    }
  }
}

extension KeyedArchiveWriter {
  /// Adds an array.
  fileprivate mutating func list(_ references: [PropertyList]) -> PropertyList {
    let reference = reserve()
    fill(reference, ["NSArray"], ["NS.objects": .array(references)])
    return reference
  }
}

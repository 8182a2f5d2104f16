import CoreDataExpressions
import DataModel
import PropertyListFormat

@testable import MappingModels
@testable import Migration

/// Archives a mapping model as Xcode's compiler does, with room for what it would not write.
struct CompiledMapping {
  struct Entity {
    var name = "NoteToNote"
    var type: Int64 = 4
    var source: String? = "Note"
    var destination: String? = "Note"
    var sourceHash: [UInt8]?
    var destinationHash: [UInt8]?
    var filter = "TRUEPREDICATE"
    /// The expression that fetches the source instances, if it is not the usual one.
    var sourceExpression: CoreDataExpressions.Expression?
    var attributes: [(String, CoreDataExpressions.Expression?)] = []
    var relationships: [(String, CoreDataExpressions.Expression?)] = []
    var others: [(String, PropertyList)] = []
    var propertyOthers: [(String, PropertyList)] = []

    var fetch: CoreDataExpressions.Expression? {
      guard let source, sourceExpression == nil else { return sourceExpression }
      let request = Expression.function(
        target: .variable("manager"), selector: "fetchRequestForSourceEntityNamed:predicateString:",
        arguments: [.constant(.string(source)), .constant(.string(filter))])
      return .fetch(request: request, context: .key("sourceContext", of: .variable("manager")), countOnly: false)
    }
  }

  var mappings: [Entity]
  var rootClass = "NSMappingModel"

  func bytes() throws -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let root = try writer.add([rootClass]) { writer throws in
      let elements = try mappings.map { try add($0, to: &writer) }
      return ["NSEntityMappings": list(elements, to: &writer)]
    }
    return writer.bytes(root: root)
  }

  func file() throws -> MappingModelFile { try MappingModelFile(archive: bytes(), file: "M.cdm") }

  private func list(_ elements: [PropertyList], to writer: inout KeyedArchiveWriter) -> PropertyList {
    writer.add(["NSArray"]) { _ in ["NS.objects": .array(elements)] }
  }

  private func add(_ mapping: Entity, to writer: inout KeyedArchiveWriter) throws -> PropertyList {
    try writer.add(["NSEntityMapping"]) { writer throws in
      func text(_ text: String?) -> PropertyList { text.map { writer.add($0) } ?? KeyedArchiveWriter.null }
      func data(_ bytes: [UInt8]?) -> PropertyList { bytes.map { writer.add(.data($0)) } ?? KeyedArchiveWriter.null }
      var fields: PropertyListDictionary = [
        "NSMappingName": text(mapping.name), "NSMappingType": .integer(mapping.type),
        "NSSourceEntityName": text(mapping.source), "NSDestinationEntityName": text(mapping.destination),
        "NSSourceEntityVersionHash": data(mapping.sourceHash),
        "NSDestinationEntityVersionHash": data(mapping.destinationHash), "NSUserInfo": KeyedArchiveWriter.null,
      ]
      if let fetch = mapping.fetch {
        fields["NSSourceExpression"] = try ExpressionArchiveWriter.add(fetch, to: &writer)
      }
      let attributes = try mapping.attributes.map { try add($0, mapping, to: &writer) }
      fields["NSAttributeMappings"] = list(attributes, to: &writer)
      let relationships = try mapping.relationships.map { try add($0, mapping, to: &writer) }
      fields["NSRelationshipMappings"] = list(relationships, to: &writer)
      for (key, value) in mapping.others { fields[key] = value }
      return fields
    }
  }

  private func add(
    _ property: (String, CoreDataExpressions.Expression?), _ mapping: Entity, to writer: inout KeyedArchiveWriter
  ) throws -> PropertyList {
    try writer.add(["NSPropertyMapping"]) { writer throws in
      var fields: PropertyListDictionary = ["NSDestinationPropertyName": writer.add(property.0)]
      fields["NSValueExpression"] =
        try property.1.map { try ExpressionArchiveWriter.add($0, to: &writer) } ?? KeyedArchiveWriter.null
      fields["NSPropertyTransforms"] = KeyedArchiveWriter.null
      for (key, value) in mapping.propertyOthers { fields[key] = value }
      return fields
    }
  }
}

package import CoreDataExpressions
package import MappingModels

/// Writes the text of an `xcmapping.xml` by hand, so that a test can write what Xcode would not.
package struct MappingXML {
  package var sourcePath: String? = "App/Model.xcdatamodeld/Model 1.xcdatamodel"
  package var destinationPath: String? = "App/Model.xcdatamodeld/Model 2.xcdatamodel"
  /// The identifiers that the mapping model lists.
  package var listed: [String]
  package var objects: [String]

  package init(listed: [String], _ objects: [String]) {
    self.listed = listed
    self.objects = objects
  }

  /// A mapping model that lists its entity mappings in the order given.
  package init(_ mappings: Entity...) {
    self.init(listed: mappings.map(\.id), mappings.flatMap(\.objects))
  }

  package var bytes: [UInt8] { Array(text.utf8) }

  package var text: String {
    let paths = [("sourcemodelpath", sourcePath), ("destinationmodelpath", destinationPath)]
    let model = Self.object(
      "XDDEVMAPPINGMODEL", "m", paths.compactMap { name, path in path.map { (name, "string", $0) } },
      [("entitymappings", listed)])
    return """
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database><databaseInfo><version>134481920</version></databaseInfo>
      \(objects.joined())\(model)</database>
      """
  }

  package func file() throws(MappingModelFileError) -> MappingModelFile {
    try MappingModelFile(xml: bytes, file: "M.xml")
  }

  package static func object(
    _ type: String, _ id: String, _ attributes: [(String, String, String)], _ relationships: [(String, [String])]
  ) -> String {
    let attributes = attributes.map { "<attribute name=\"\($0)\" type=\"\($1)\">\($2)</attribute>\n" }
    let relationships = relationships.map {
      "<relationship name=\"\($0)\" type=\"0/0\" idrefs=\"\($1.joined(separator: " "))\"></relationship>\n"
    }
    return "<object type=\"\(type)\" id=\"\(id)\">\n\(attributes.joined())\(relationships.joined())</object>\n"
  }

  /// The base64 of an archived expression.
  package static func archive(_ expression: CoreDataExpressions.Expression) throws -> String {
    try expression.archive().base64
  }
}

extension MappingXML {
  /// One entity mapping and its property mappings.
  package struct Entity {
    package let id: String
    package var attributes: [(String, String, String)]
    package var rows: [(type: String, attributes: [(String, String, String)])] = []

    package init(_ id: String, number: Int? = 1, from source: String?, to destination: String?) {
      self.id = id
      attributes = [("mappingtypename", "string", "Undefined"), ("autogenerateexpression", "bool", "1")]
      if let number { attributes.append(("mappingnumber", "int16", "\(number)")) }
      if let source { attributes.append(("sourcename", "string", source)) }
      if let destination { attributes.append(("destinationname", "string", destination)) }
    }

    package func with(_ name: String, _ type: String, _ text: String) -> Entity {
      var copy = self
      copy.attributes.removeAll { $0.0 == name }
      copy.attributes.append((name, type, text))
      return copy
    }

    package func attribute(_ name: String, _ others: (String, String, String)...) -> Entity {
      row("XDDEVATTRIBUTEMAPPING", [("name", "string", name)] + others)
    }

    package func relationship(_ name: String, _ others: (String, String, String)...) -> Entity {
      row("XDDEVRELATIONSHIPMAPPING", [("name", "string", name)] + others)
    }

    private func row(_ type: String, _ attributes: [(String, String, String)]) -> Entity {
      var copy = self
      copy.rows.append((type, attributes))
      return copy
    }

    package var objects: [String] {
      func ids(_ type: String) -> [String] {
        rows.indices.filter { rows[$0].type == type }.map { "\(id)-\($0)" }
      }
      let own = MappingXML.object(
        "XDDEVENTITYMAPPING", id, attributes,
        [
          ("mappingmodel", ["m"]), ("attributemappings", ids("XDDEVATTRIBUTEMAPPING")),
          ("relationshipmappings", ids("XDDEVRELATIONSHIPMAPPING")),
        ])
      let others = rows.enumerated().map { place, row in
        MappingXML.object(row.type, "\(id)-\(place)", row.attributes, [("entitymapping", [id])])
      }
      return [own] + others
    }
  }
}

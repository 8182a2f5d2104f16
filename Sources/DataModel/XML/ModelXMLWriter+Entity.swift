extension ModelXMLWriter {
  static func write(_ entity: EntityDescription, to writer: inout MarkupWriter) {
    var attributes = entity.editorAttributes
    attributes["name"] = entity.name
    attributes["representedClassName"] = entity.managedObjectClassName
    attributes["isAbstract"] = entity.isAbstract ? "YES" : nil
    attributes["parentEntity"] = entity.superentityName
    attributes["elementID"] = entity.renamingIdentifier == entity.name ? nil : entity.renamingIdentifier
    attributes["versionHashModifier"] = entity.versionHashModifier
    writer.element("entity", AttributeOrder.entity(attributes)) { writer in
      for attribute in entity.ownAttributes { write(attribute, to: &writer) }
      for relationship in entity.ownRelationships { write(relationship, to: &writer) }
      for property in entity.ownFetchedProperties { write(property, to: &writer) }
      for index in entity.fetchIndexes { write(index, to: &writer) }
      write(uniquenessConstraints: entity.uniquenessConstraints, to: &writer)
      write(userInfo: entity.userInfo, to: &writer)
    }
  }

  private static func write(_ index: FetchIndexDescription, to writer: inout MarkupWriter) {
    writer.element(
      "fetchIndex", [("name", index.name), ("partialIndexPredicate", index.partialIndexPredicate)]
    ) { writer in
      for element in index.elements {
        let expression: String? =
          switch element.subject {
          case .property: nil
          case .instance: "self"
          case .entity: "entity"
          case .expression(let text): text
          }
        writer.element(
          "fetchIndexElement",
          [
            ("property", element.propertyName), ("expression", expression),
            ("type", element.collationType == .rTree ? "RTree" : "Binary"),
            ("order", element.isAscending ? "ascending" : "descending"),
          ])
      }
    }
  }

  private static func write(uniquenessConstraints constraints: [[String]], to writer: inout MarkupWriter) {
    guard !constraints.isEmpty else { return }
    writer.element("uniquenessConstraints") { writer in
      for constraint in constraints {
        writer.element("uniquenessConstraint") { writer in
          for name in constraint { writer.element("constraint", [("value", name)]) }
        }
      }
    }
  }
}

/// Writes a model as the file `contents` of an `.xcdatamodel`, in Xcode's own order and layout.
///
/// The positions in Xcode's diagram are not part of a model and are not written; Xcode lays it out again.
struct ModelXMLWriter {
  /// The attributes of Xcode's template for new models, for models that do not come from Xcode.
  private static let template = [
    "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0", "lastSavedToolsVersion": "1",
    "systemVersion": "11A491", "minimumToolsVersion": "Automatic", "sourceLanguage": "Swift",
  ]

  static func text(of model: ManagedObjectModel) -> String {
    var writer = MarkupWriter()
    let composites = CompositeDefinitions(model)
    var attributes = model.editorAttributes.isEmpty ? template : model.editorAttributes
    attributes["userDefinedModelVersionIdentifier"] = model.versionIdentifiers.first
    writer.element("model", AttributeOrder.model(attributes).sorted(attributes)) { writer in
      for entity in model.entities { write(entity, composites, to: &writer) }
      for (name, elements) in composites.all {
        writer.element("composite", [("name", name)]) { writer in
          for element in elements { write(element, composites, to: &writer) }
        }
      }
      for (name, members) in model.configurations.sorted(by: { $0.key.precedesByBytes($1.key) }) {
        writer.element("configuration", [("name", name)]) { writer in
          for member in members { writer.element("memberEntity", [("name", member)]) }
        }
      }
      for request in model.fetchRequestTemplates { write(request, to: &writer) }
    }
    return writer.text
  }

  private static func write(_ request: FetchRequestDescription, to writer: inout MarkupWriter) {
    var attributes = request.editorAttributes
    attributes["name"] = request.name
    attributes["entity"] = request.entityName
    attributes["predicateString"] = request.predicate
    writer.element("fetchRequest", AttributeOrder.fetchRequest.sorted(attributes))
  }

  private static func write(userInfo: [String: String], to writer: inout MarkupWriter) {
    guard !userInfo.isEmpty else { return }
    writer.element("userInfo") { writer in
      for (key, value) in userInfo.sorted(by: { $0.key.precedesByBytes($1.key) }) {
        writer.element("entry", [("key", key), ("value", value)])
      }
    }
  }
}

extension ModelXMLWriter {
  private static func write(
    _ entity: EntityDescription, _ composites: CompositeDefinitions, to writer: inout MarkupWriter
  ) {
    var attributes = entity.editorAttributes
    attributes["name"] = entity.name
    attributes["representedClassName"] = entity.managedObjectClassName
    attributes["isAbstract"] = entity.isAbstract ? "YES" : nil
    attributes["parentEntity"] = entity.superentityName
    attributes["elementID"] = entity.renamingIdentifier == entity.name ? nil : entity.renamingIdentifier
    attributes["versionHashModifier"] = entity.versionHashModifier
    writer.element("entity", AttributeOrder.entity.sorted(attributes)) { writer in
      for attribute in entity.ownDeclaredAttributes { write(attribute, composites, to: &writer) }
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
        writer.element(
          "fetchIndexElement",
          [
            ("property", element.propertyName), ("expression", element.expressionText),
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

  // MARK: - Properties

  private static func write(
    _ attribute: AttributeDescription, _ composites: CompositeDefinitions, to writer: inout MarkupWriter
  ) {
    var attributes = common(attribute, attribute.editorAttributes)
    let isDate = attribute.type == .date
    attributes["transient"] = attribute.isTransient ? "YES" : nil
    attributes["attributeType"] = attribute.type == .undefined ? nil : attribute.type.xmlName
    attributes["composite"] = attribute.type == .composite ? composites.name(of: attribute) : nil
    set(isDate ? "defaultDateTimeInterval" : "defaultValueString", attribute.defaultValue, &attributes)
    set(isDate ? "minDateTimeInterval" : "minValueString", attribute.validation.minimum, &attributes)
    set(isDate ? "maxDateTimeInterval" : "maxValueString", attribute.validation.maximum, &attributes)
    attributes["regularExpressionString"] = attribute.validation.regularExpression
    attributes["valueTransformerName"] = attribute.valueTransformerName
    attributes["allowsExternalBinaryDataStorage"] = attribute.allowsExternalBinaryDataStorage ? "YES" : nil
    attributes["preserveAfterDeletion"] = attribute.preservesValueInHistoryOnDeletion ? "YES" : nil
    attributes["derived"] = attribute.isDerived ? "YES" : nil
    if let expression = attribute.derivationExpression { attributes["derivationExpression"] = expression }
    writer.element("attribute", AttributeOrder.attribute.sorted(attributes)) {
      write(userInfo: attribute.userInfo, to: &$0)
    }
  }

  private static func write(_ relationship: RelationshipDescription, to writer: inout MarkupWriter) {
    var attributes = common(relationship, relationship.editorAttributes)
    attributes["transient"] = relationship.isTransient ? "YES" : nil
    attributes["toMany"] = relationship.isToMany ? "YES" : nil
    attributes["minCount"] = relationship.minCount == 0 ? nil : "\(relationship.minCount)"
    attributes["maxCount"] = relationship.maxCount == 0 ? nil : "\(relationship.maxCount)"
    attributes["deletionRule"] = relationship.deleteRule.xmlName
    attributes["ordered"] = relationship.isOrdered ? "YES" : nil
    attributes["destinationEntity"] = relationship.destinationEntityName
    attributes["inverseName"] = relationship.inverseName
    attributes["inverseEntity"] =
      relationship.inverseEntityName
      ?? relationship.inverseName.map { _ in relationship.destinationEntityName }
    writer.element("relationship", AttributeOrder.relationship.sorted(attributes)) {
      write(userInfo: relationship.userInfo, to: &$0)
    }
  }

  private static func write(_ property: FetchedPropertyDescription, to writer: inout MarkupWriter) {
    let attributes = common(property, property.editorAttributes)
    writer.element("fetchedProperty", AttributeOrder.attribute.sorted(attributes)) { writer in
      write(property.fetchRequest, to: &writer)
      write(userInfo: property.userInfo, to: &writer)
    }
  }

  private static func common(
    _ property: some PropertyDescription, _ editorAttributes: [String: String]
  ) -> [String: String] {
    var attributes = editorAttributes
    attributes["name"] = property.name
    attributes["optional"] = property.isOptional ? "YES" : nil
    attributes["elementID"] = property.renamingIdentifier == property.name ? nil : property.renamingIdentifier
    attributes["versionHashModifier"] = property.versionHashModifier
    return attributes
  }

  /// Sets a value; without one, the editor's text stays.
  private static func set(_ name: String, _ value: AttributeValue?, _ attributes: inout [String: String]) {
    if let text = value?.xcodeText { attributes[name] = text }
  }
}

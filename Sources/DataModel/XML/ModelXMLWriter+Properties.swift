extension ModelXMLWriter {
  static func write(_ attribute: AttributeDescription, to writer: inout MarkupWriter) {
    var attributes = common(attribute, attribute.editorAttributes)
    let isDate = attribute.type == .date
    attributes["transient"] = attribute.isTransient ? "YES" : nil
    attributes["attributeType"] = attribute.type == .undefined ? nil : attribute.type.xmlName
    set(isDate ? "defaultDateTimeInterval" : "defaultValueString", attribute.defaultValue, &attributes)
    set(isDate ? "minDateTimeInterval" : "minValueString", attribute.validation.minimum, &attributes)
    set(isDate ? "maxDateTimeInterval" : "maxValueString", attribute.validation.maximum, &attributes)
    attributes["regularExpressionString"] = attribute.validation.regularExpression
    attributes["valueTransformerName"] = attribute.valueTransformerName
    attributes["allowsExternalBinaryDataStorage"] = attribute.allowsExternalBinaryDataStorage ? "YES" : nil
    attributes["preserveAfterDeletion"] = attribute.preservesValueInHistoryOnDeletion ? "YES" : nil
    attributes["derived"] = attribute.isDerived ? "YES" : nil
    if let expression = attribute.derivationExpression { attributes["derivationExpression"] = expression }
    writer.element("attribute", AttributeOrder.attribute(attributes)) { write(userInfo: attribute.userInfo, to: &$0) }
  }

  static func write(_ relationship: RelationshipDescription, to writer: inout MarkupWriter) {
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
    writer.element("relationship", AttributeOrder.relationship(attributes)) {
      write(userInfo: relationship.userInfo, to: &$0)
    }
  }

  static func write(_ property: FetchedPropertyDescription, to writer: inout MarkupWriter) {
    writer.element("fetchedProperty", AttributeOrder.attribute(common(property, property.editorAttributes))) { writer in
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

  /// Sets a value; where there is none, what the editor wrote there stays.
  private static func set(_ name: String, _ value: AttributeValue?, _ attributes: inout [String: String]) {
    if let text = value?.xcodeText { attributes[name] = text }
  }
}

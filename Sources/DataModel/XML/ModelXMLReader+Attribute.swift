extension ModelXMLReader {
  func attribute(_ element: MarkupElement, of entity: String) throws(ModelFileError) -> AttributeDescription {
    try located(element) { () throws(ModelFileProblem) in
      let subject = "Attribute '\(entity).\(element.attributes["name"] ?? "")'"
      var attributes = ElementAttributes(element, subject: subject)
      let name = try attributes.required("name")
      let type = try attributeType(&attributes)
      var attribute = AttributeDescription(
        name, type,
        isOptional: try attributes.boolean("optional"),
        isTransient: try attributes.boolean("transient"),
        defaultValue: defaultValue(&attributes, type),
        allowsExternalBinaryDataStorage: try attributes.boolean("allowsExternalBinaryDataStorage"),
        preservesValueInHistoryOnDeletion: try attributes.boolean("preserveAfterDeletion"),
        valueTransformerName: attributes.optional("valueTransformerName"),
        renamingIdentifier: attributes.optional("elementID"),
        versionHashModifier: attributes.optional("versionHashModifier"),
        userInfo: userInfo(element),
        validation: validation(&attributes, type),
        derivationExpression: try derivationExpression(&attributes))
      // Indexed attributes become indexes of their entity.
      _ = try attributes.boolean("indexed")
      attribute.editorAttributes = attributes.rest
      return attribute
    }
  }

  /// Only transient attributes may be without a type; the model checks that.
  private func attributeType(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> AttributeType {
    guard let name = attributes.optional("attributeType") else { return .undefined }
    guard let type = AttributeType(xmlName: name) else {
      throw .unknownType(subject: attributes.subject, type: name)
    }
    // Computing a hash or a column by guess would be worse than saying no.
    guard type != .composite else { throw .unsupportedType(subject: attributes.subject, type: name) }
    return type
  }

  /// A default that does not read as one stays among the editor's attributes, see
  /// ``AttributeDescription/unreadableDefault``.
  private func defaultValue(_ attributes: inout ElementAttributes, _ type: AttributeType) -> AttributeValue? {
    guard let name = type.defaultTextName, let text = attributes.rest[name] else { return nil }
    let value = AttributeValue(xcodeDefault: text, type: type)
    // An empty one counts as none, but for a string.
    if value != nil || text.isEmpty { _ = attributes.text(name) }
    return text.isEmpty && type != .string ? nil : value
  }

  private func validation(_ attributes: inout ElementAttributes, _ type: AttributeType) -> AttributeValidation {
    AttributeValidation(
      minimum: limit("min", &attributes, type), maximum: limit("max", &attributes, type),
      regularExpression: attributes.optional("regularExpressionString"))
  }

  /// A limit that does not read as one stays among the editor's attributes: it affects neither store nor hash.
  private func limit(
    _ prefix: String, _ attributes: inout ElementAttributes, _ type: AttributeType
  ) -> AttributeValue? {
    let name = type == .date ? "\(prefix)DateTimeInterval" : "\(prefix)ValueString"
    // The limits of a string are limits of its length.
    let limitType = type == .string ? AttributeType.integer64 : type
    guard let text = attributes.rest[name], let value = AttributeValue(xcodeText: text, type: limitType) else {
      return nil
    }
    _ = attributes.text(name)
    return value
  }

  private func derivationExpression(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> String? {
    guard try attributes.boolean("derived") else { return nil }
    return try attributes.required("derivationExpression")
  }
}

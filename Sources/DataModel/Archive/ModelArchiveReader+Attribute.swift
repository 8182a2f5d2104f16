internal import PropertyList

extension ModelArchiveReader {
  func attribute(_ object: ArchivedObject, _ name: String) throws(ModelFileProblem) -> AttributeDescription {
    let type = try attributeType(object)
    let flags: Int64 = try object.integer("NSFlagsKey")
    var attribute = AttributeDescription(
      name, type,
      isOptional: try object.boolean("NSIsOptional"),
      isTransient: try object.boolean("NSIsTransient"),
      defaultValue: try defaultValue(object, type),
      allowsExternalBinaryDataStorage: flags & 4 != 0,
      preservesValueInHistoryOnDeletion: flags & 16 != 0,
      valueTransformerName: try object.optional("NSValueTransformerName"),
      renamingIdentifier: try object.optional("NSRenamingIdentifier"),
      versionHashModifier: try object.optional("NSVersionHashModifier"),
      userInfo: try userInfo(object))
    attribute.editorAttributes = try editorAttributes(object, type)
    guard object.kind(of: ["NSDerivedAttributeDescription"]) != nil else { return attribute }
    guard let expression = try object.object("NSDerivationExpression") else {
      throw object.unexpected("NSDerivationExpression", "an expression")
    }
    // These texts are hashed: what cannot be written for certain is an error.
    attribute.derivationExpression = try ExpressionFormatter().text(expression)
    attribute.derivationFilterPredicate = try object.object("NSFilteringPredicate").map {
      predicate throws(ModelFileProblem) in try PredicateFormatter().text(predicate)
    }
    return attribute
  }

  /// Only transient attributes may be without a type; the model checks that.
  private func attributeType(_ object: ArchivedObject) throws(ModelFileProblem) -> AttributeType {
    let code: Int32 = try object.integer("NSAttributeType")
    guard let type = AttributeType(rawValue: code) else {
      throw .unknownType(subject: object.subject, type: "\(code)")
    }
    // Computing a hash or a column by guess would be worse than saying no.
    guard type != .composite else { throw .unsupportedType(subject: object.subject, type: type.xmlName) }
    return type
  }

  /// What Xcode would write in a model's XML, so that a model written again says the same.
  private func editorAttributes(
    _ object: ArchivedObject, _ type: AttributeType
  ) throws(ModelFileProblem) -> [String: String] {
    var attributes: [String: String] = [:]
    if try object.boolean("NSIndexedBySpotlight") { attributes["spotlightIndexingEnabled"] = "YES" }
    if try object.boolean("NSAllowsCloudEncryption") { attributes["allowsCloudEncryption"] = "YES" }
    if type == .transformable { attributes["customClassName"] = try object.optional("NSAttributeValueClassName") }
    return attributes
  }
}

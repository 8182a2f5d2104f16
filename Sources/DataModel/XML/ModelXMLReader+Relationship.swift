extension ModelXMLReader {
  func relationship(_ element: MarkupElement, of entity: String) throws(ModelFileError) -> RelationshipDescription {
    try located(element) { () throws(ModelFileProblem) in
      let subject = "Relationship '\(entity).\(element.attributes["name"] ?? "")'"
      var attributes = ElementAttributes(element, subject: subject)
      let name = try attributes.required("name")
      let destination = try attributes.required("destinationEntity")
      var relationship = RelationshipDescription(
        name, to: destination,
        inverse: attributes.optional("inverseName"),
        minCount: try attributes.count("minCount"),
        maxCount: try attributes.count("maxCount"),
        isOrdered: try attributes.boolean("ordered"),
        deleteRule: try deleteRule(&attributes),
        isOptional: try attributes.boolean("optional"),
        isTransient: try attributes.boolean("transient"),
        renamingIdentifier: attributes.optional("elementID"),
        versionHashModifier: attributes.optional("versionHashModifier"),
        userInfo: userInfo(element))
      // To-one is what has a greatest count of 1, whatever else the file says.
      _ = try attributes.boolean("toMany")
      let inverseEntity = attributes.optional("inverseEntity")
      relationship.inverseEntityName = inverseEntity == destination ? nil : inverseEntity
      relationship.editorAttributes = attributes.rest
      return relationship
    }
  }

  private func deleteRule(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> DeleteRule {
    guard let name = attributes.optional("deletionRule") else { return .nullify }
    guard let rule = DeleteRule(xmlName: name) else {
      let names = DeleteRule.allCases.map(\.xmlName).joined(separator: ", ")
      throw .badValue(
        subject: attributes.subject, attribute: "deletionRule", value: name, expected: "one of \(names)")
    }
    return rule
  }
}

extension DeleteRule {
  /// The name that Xcode writes for this rule in a model's XML.
  var xmlName: String {
    switch self {
    case .noAction: "No Action"
    case .nullify: "Nullify"
    case .cascade: "Cascade"
    case .deny: "Deny"
    }
  }

  init?(xmlName: String) {
    guard let rule = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
    self = rule
  }
}

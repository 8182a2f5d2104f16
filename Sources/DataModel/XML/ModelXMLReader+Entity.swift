extension ModelXMLReader {
  func entity(_ element: MarkupElement) throws(ModelFileError) -> EntityDescription {
    var attributes = ElementAttributes(element, subject: "Entity '\(element.attributes["name"] ?? "")'")
    let (name, isAbstract) = try located(element) { () throws(ModelFileProblem) in
      (try attributes.required("name"), try attributes.boolean("isAbstract"))
    }
    var ownAttributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    var fetchedProperties: [FetchedPropertyDescription] = []
    for child in element.children {
      switch child.name {
      case "attribute": ownAttributes.append(try attribute(child, of: name))
      case "relationship": relationships.append(try relationship(child, of: name))
      case "fetchedProperty": fetchedProperties.append(try fetchedProperty(child, of: name))
      default: break
      }
    }
    var entity = EntityDescription(
      name,
      isAbstract: isAbstract,
      superentityName: attributes.optional("parentEntity"),
      managedObjectClassName: attributes.optional("representedClassName"),
      renamingIdentifier: attributes.optional("elementID"),
      versionHashModifier: attributes.optional("versionHashModifier"),
      userInfo: userInfo(element),
      uniquenessConstraints: uniquenessConstraints(element),
      attributes: ownAttributes,
      relationships: relationships,
      fetchedProperties: fetchedProperties,
      fetchIndexes: try fetchIndexes(element, of: name))
    entity.editorAttributes = attributes.rest
    return entity
  }

  private func uniquenessConstraints(_ entity: MarkupElement) -> [[String]] {
    entity.children(named: "uniquenessConstraints").flatMap { $0.children(named: "uniquenessConstraint") }
      .map { $0.children(named: "constraint").compactMap { $0.attributes["value"] } }
      .filter { !$0.isEmpty }
  }

  private func fetchedProperty(
    _ element: MarkupElement, of entity: String
  ) throws(ModelFileError) -> FetchedPropertyDescription {
    let subject = "Fetched property '\(entity).\(element.attributes["name"] ?? "")'"
    guard let request = element.children(named: "fetchRequest").first else {
      throw ModelFileError(
        .missingAttribute(subject: subject, attribute: "fetchRequest"), file: file, line: element.line)
    }
    let fetchRequest = try fetchRequest(request, subject: "The fetch request of \(subject)")
    return try located(element) { () throws(ModelFileProblem) in
      var attributes = ElementAttributes(element, subject: subject)
      var property = FetchedPropertyDescription(
        try attributes.required("name"), fetchRequest: fetchRequest, isOptional: try attributes.boolean("optional"),
        renamingIdentifier: attributes.optional("elementID"),
        versionHashModifier: attributes.optional("versionHashModifier"), userInfo: userInfo(element))
      property.editorAttributes = attributes.rest
      return property
    }
  }
}

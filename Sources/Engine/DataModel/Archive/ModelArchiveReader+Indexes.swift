extension ModelArchiveReader {
  /// The indexes of an entity: those archived as such, and those in the forms of older models.
  ///
  /// - Parameter indexed: The properties that are themselves marked as indexed, as was usual before 2017.
  func fetchIndexes(
    _ entity: ArchivedObject, of name: String, indexed: [String]
  ) throws(ModelFileProblem) -> [FetchIndexDescription] {
    var indexes: [FetchIndexDescription] = []
    let subject = "An index of entity '\(name)'"
    for index in try entity.objects("NSFetchIndexDescriptions", "a list of indexes", subject: subject) {
      indexes.append(try fetchIndex(index))
    }
    // Newer systems also archive the same indexes in the old forms, for older systems to read.
    let compound = try nameLists(entity, "NSCompoundIndexes")
    let old = indexed.map { [$0] } + compound
    for properties in old where !indexes.contains(where: { $0.elements.map(\.propertyName) == properties }) {
      indexes.append(FetchIndexDescription(properties.joined(separator: "_"), properties: properties))
    }
    return indexes
  }

  private func fetchIndex(_ object: ArchivedObject) throws(ModelFileProblem) -> FetchIndexDescription {
    guard let name = try object.optional("NSIndexName") else { throw object.unexpected("NSIndexName", "a text") }
    let elements = try object.objects(
      "NSIndexElements", "a list of index elements", subject: "An element of index '\(name)'")
    return FetchIndexDescription(
      name, elements: try elements.map { element throws(ModelFileProblem) in try indexElement(element) },
      partialIndexPredicate: try object.predicateText("NSPartialIndexPredicate"))
  }

  private func indexElement(_ object: ArchivedObject) throws(ModelFileProblem) -> FetchIndexElementDescription {
    guard let type = FetchIndexElementType(rawValue: try object.integer("NSFetchIndexElementType")) else {
      throw object.unexpected("NSFetchIndexElementType", "0 or 1")
    }
    return FetchIndexElementDescription(
      try subject(object), collationType: type, isAscending: try object.boolean("NSAscending"))
  }

  private func subject(_ element: ArchivedObject) throws(ModelFileProblem) -> FetchIndexSubject {
    let property = try element.object("NSIndexedProperty")
    let (ownName, propertyName) = (try element.optional("NSPropertyName"), try property?.optional("NSPropertyName"))
    let name = ownName ?? propertyName
    if let property, property.kind(of: ["NSExpressionDescription"]) != nil {
      switch try property.expressionText("NSExpression") ?? name {
      case "self", "SELF": return .instance
      case "entity": return .entity
      case let text?: return .expression(text)
      case nil: throw element.unexpected("NSIndexedProperty", "a property or an expression")
      }
    }
    guard let name else { throw element.unexpected("NSPropertyName", "a text") }
    return .property(name)
  }

  // MARK: - Fetch requests

  /// The fetch request templates, sorted by name.
  ///
  /// Those without an entity are left out: the app sets one before it fetches.
  func fetchRequestTemplates(_ root: ArchivedObject) throws(ModelFileProblem) -> [FetchRequestDescription] {
    var templates: [FetchRequestDescription] = []
    for (name, reference) in try root.dictionary("NSFetchRequestTemplates") {
      let request = try root.archive.object(reference, subject: "Fetch request '\(name)'")
      guard let request, let entity = try entityName(request) else { continue }
      templates.append(try fetchRequest(request, name: name, entity: entity))
    }
    return templates.sorted { $0.name.precedesByBytes($1.name) }
  }

  func fetchedProperty(
    _ object: ArchivedObject, _ name: String
  ) throws(ModelFileProblem) -> FetchedPropertyDescription {
    // Archives have no name for it; this is Xcode's.
    let requestName = "fetchedPropertyFetchRequest"
    let request = try object.object("NSFetchRequest")
    let fetched = try request.flatMap { request throws(ModelFileProblem) in try entityName(request) }
    let declared = try object.optional("_NSFetchRequestEntityName")
    guard let entity = fetched ?? declared else {
      throw object.unexpected("NSFetchRequest", "the fetch request of an entity")
    }
    return FetchedPropertyDescription(
      name,
      fetchRequest: try request.map { request throws(ModelFileProblem) in
        try fetchRequest(request, name: requestName, entity: entity)
      } ?? FetchRequestDescription(requestName, entityName: entity),
      isOptional: try object.boolean("NSIsOptional"),
      renamingIdentifier: try object.optional("NSRenamingIdentifier"),
      versionHashModifier: try object.optional("NSVersionHashModifier"),
      userInfo: try userInfo(object))
  }

  private func entityName(_ request: ArchivedObject) throws(ModelFileProblem) -> String? {
    // In code, a request can be created with only the name of an entity.
    let entity = request.fields["NSEntity"]
    if let name = try request.archive.name(entity, or: "NSEntityName", subject: request.subject) { return name }
    return try request.optional("NSEntityName")
  }

  private func fetchRequest(
    _ request: ArchivedObject, name: String, entity: String
  ) throws(ModelFileProblem) -> FetchRequestDescription {
    var attributes: [String: String] = [:]
    for (key, attribute) in [("NSFetchLimit", "fetchLimit"), ("NSBatchSize", "fetchBatchSize")] {
      let number: Int64 = try request.integer(key)
      if number != 0 { attributes[attribute] = "\(number)" }
    }
    return FetchRequestDescription(
      name, entityName: entity, predicate: try request.predicateText("NSPredicate"), editorAttributes: attributes)
  }
}

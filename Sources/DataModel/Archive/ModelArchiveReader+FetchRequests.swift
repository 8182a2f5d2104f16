extension ModelArchiveReader {
  /// The fetches that the model keeps for its app, sorted by name.
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
    // Archives have no name here; this is Xcode's.
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
    // A request in code can be made with nothing but the name of an entity.
    let entity = request.fields["NSEntity"]
    if let name = try request.archive.name(entity, or: "NSEntityName", subject: request.subject) { return name }
    return try request.optional("NSEntityName")
  }

  private func fetchRequest(
    _ request: ArchivedObject, name: String, entity: String
  ) throws(ModelFileProblem) -> FetchRequestDescription {
    let predicate = try request.object("NSPredicate").map { predicate throws(ModelFileProblem) in
      try PredicateFormatter.description(predicate)
    }
    var attributes: [String: String] = [:]
    for (key, attribute) in [("NSFetchLimit", "fetchLimit"), ("NSBatchSize", "fetchBatchSize")] {
      let number: Int64 = try request.integer(key)
      if number != 0 { attributes[attribute] = "\(number)" }
    }
    return FetchRequestDescription(name, entityName: entity, predicate: predicate, editorAttributes: attributes)
  }
}

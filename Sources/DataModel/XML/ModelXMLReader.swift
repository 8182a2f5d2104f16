/// Reads what Xcode's model editor writes: the file `contents` of an `.xcdatamodel`.
struct ModelXMLReader {
  let file: String

  /// Reads a whole model.
  func model(_ bytes: [UInt8]) throws(ModelFileError) -> ManagedObjectModel {
    let root = try MarkupParser.parse(bytes, file: file)
    guard root.name == "model" else { throw ModelFileError(.notAModel(root: root.name), file: file, line: root.line) }
    var entities: [EntityDescription] = []
    for element in root.children(named: "entity") { entities.append(try entity(element)) }
    var attributes = ElementAttributes(root, subject: "The model")
    // Without the attribute the model has no identifier; with an empty one it has an empty identifier.
    let identifier = attributes.text("userDefinedModelVersionIdentifier")
    var model = try created(entities, identifiers: identifier.map { [$0] } ?? [], try configurations(root))
    for element in root.children(named: "fetchRequest") {
      model.fetchRequestTemplates.append(try fetchRequest(element, subject: "A fetch request"))
    }
    model.editorAttributes = attributes.rest
    return model
  }

  /// Adds the place to what is wrong.
  func located<Value>(
    _ element: MarkupElement, _ body: () throws(ModelFileProblem) -> Value
  ) throws(ModelFileError) -> Value {
    do { return try body() } catch { throw ModelFileError(error, file: file, line: element.line) }
  }

  func fetchRequest(
    _ element: MarkupElement, subject: String
  ) throws(ModelFileError) -> FetchRequestDescription {
    try located(element) { () throws(ModelFileProblem) in
      var attributes = ElementAttributes(element, subject: subject)
      return FetchRequestDescription(
        try attributes.required("name"), entityName: try attributes.required("entity"),
        predicate: attributes.optional("predicateString"), editorAttributes: attributes.rest)
    }
  }

  func userInfo(_ element: MarkupElement) -> [String: String] {
    let entries = element.children(named: "userInfo").flatMap { $0.children(named: "entry") }
    let pairs = entries.compactMap { entry in entry.attributes["key"].map { ($0, entry.attributes["value"] ?? "") } }
    return Dictionary(pairs, uniquingKeysWith: { _, last in last })
  }

  private func created(
    _ entities: [EntityDescription], identifiers: [String], _ configurations: [String: [String]]
  ) throws(ModelFileError) -> ManagedObjectModel {
    do {
      return try ManagedObjectModel(
        entities: entities, versionIdentifiers: identifiers, configurations: configurations)
    } catch {
      throw ModelFileError(.model(error), file: file)
    }
  }

  private func configurations(_ root: MarkupElement) throws(ModelFileError) -> [String: [String]] {
    var configurations: [String: [String]] = [:]
    for element in root.children(named: "configuration") {
      let name = try located(element) { () throws(ModelFileProblem) in
        var attributes = ElementAttributes(element, subject: "A configuration")
        return try attributes.required("name")
      }
      configurations[name] = element.children(named: "memberEntity").compactMap { $0.attributes["name"] }
    }
    return configurations
  }
}

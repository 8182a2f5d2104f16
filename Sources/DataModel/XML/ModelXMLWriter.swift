/// Writes a model as the file `contents` of an `.xcdatamodel`, in Xcode's own order and layout.
///
/// The positions of boxes in Xcode's diagram are not part of a model and are not written; Xcode lays it out afresh.
struct ModelXMLWriter {
  /// What Xcode's template for new models says, for models that never were in Xcode.
  private static let template = [
    "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0", "lastSavedToolsVersion": "1",
    "systemVersion": "11A491", "minimumToolsVersion": "Automatic", "sourceLanguage": "Swift",
  ]

  static func text(of model: ManagedObjectModel) -> String {
    var writer = MarkupWriter()
    var attributes = model.editorAttributes.isEmpty ? template : model.editorAttributes
    attributes["userDefinedModelVersionIdentifier"] = model.versionIdentifiers.first
    writer.element("model", AttributeOrder.model(attributes)) { writer in
      for entity in model.entities { write(entity, to: &writer) }
      for (name, members) in model.configurations.sorted(by: { $0.key.precedesByBytes($1.key) }) {
        writer.element("configuration", [("name", name)]) { writer in
          for member in members { writer.element("memberEntity", [("name", member)]) }
        }
      }
      for request in model.fetchRequestTemplates { write(request, to: &writer) }
    }
    return writer.text
  }

  static func write(_ request: FetchRequestDescription, to writer: inout MarkupWriter) {
    var attributes = request.editorAttributes
    attributes["name"] = request.name
    attributes["entity"] = request.entityName
    attributes["predicateString"] = request.predicate
    writer.element("fetchRequest", AttributeOrder.fetchRequest(attributes))
  }

  static func write(userInfo: [String: String], to writer: inout MarkupWriter) {
    guard !userInfo.isEmpty else { return }
    writer.element("userInfo") { writer in
      for (key, value) in userInfo.sorted(by: { $0.key.precedesByBytes($1.key) }) {
        writer.element("entry", [("key", key), ("value", value)])
      }
    }
  }
}

internal import PropertyList

/// An archived entity, as far as one must know it before any property is read.
struct EntityOutline {
  let name: String
  let superentityName: String?
  /// The properties that the archive lists, inherited ones perhaps among them.
  let properties: [(name: String, reference: PropertyList)]
  let object: ArchivedObject

  /// Reads an entity that the model lists under a name.
  init(_ archive: ModelArchive, _ reference: PropertyList, name listed: String) throws(ModelFileProblem) {
    guard let object = try archive.object(reference, subject: "Entity '\(listed)'"),
      object.kind(of: ["NSEntityDescription"]) != nil
    else { throw .badArchivedValue(subject: "The model", key: "NSEntities", expected: "a dictionary of entities") }
    self.object = object
    name = try object.optional("NSEntityName") ?? listed
    superentityName = try object.name("NSEntityName", of: "NSSuperentity")
    properties = try object.dictionary("NSProperties").map { (name: $0.key, reference: $0.value) }
  }
}

internal import PropertyList

/// Reads the archive of an `NSManagedObjectModel`: a compiled model, or the one that a store keeps.
///
/// Fields that are not known are passed over, and so are validation predicates: they affect neither store nor hash.
struct ModelArchiveReader {
  let lineages: ArchivedLineages

  /// Reads a whole model.
  static func model(_ bytes: [UInt8]) throws(ModelFileProblem) -> ManagedObjectModel {
    let archive = try ModelArchive(bytes)
    guard let root = try archive.root(subject: "The model") else { throw .notAnArchivedModel(className: "nil") }
    guard root.kind(of: ["NSManagedObjectModel"]) != nil else { throw .notAnArchivedModel(className: root.className) }
    var outlines: [EntityOutline] = []
    for (name, reference) in try root.dictionary("NSEntities") {
      outlines.append(try EntityOutline(archive, reference, name: name))
    }
    let reader = ModelArchiveReader(lineages: try ArchivedLineages(outlines))
    return try reader.model(root, outlines)
  }

  private func model(
    _ root: ArchivedObject, _ outlines: [EntityOutline]
  ) throws(ModelFileProblem) -> ManagedObjectModel {
    var entities: [EntityDescription] = []
    for outline in outlines { entities.append(try entity(outline)) }
    let (identifiers, configurations) = (try versionIdentifiers(root), try configurations(root))
    var model: ManagedObjectModel
    do {
      model = try ManagedObjectModel(
        entities: entities, versionIdentifiers: identifiers, configurations: configurations)
    } catch {
      throw .model(error)
    }
    model.fetchRequestTemplates = try fetchRequestTemplates(root)
    return model
  }

  /// Archives hold a set here; sorting makes equal models of equal archives.
  private func versionIdentifiers(_ root: ArchivedObject) throws(ModelFileProblem) -> [String] {
    var identifiers: [String] = []
    for reference in try root.list("NSVersionIdentifiers") {
      if let identifier = try root.archive.text(reference) { identifiers.append(identifier) }
    }
    return identifiers.sorted { $0.precedesByBytes($1) }
  }

  /// The members of a configuration are entities, or only their names.
  private func configurations(_ root: ArchivedObject) throws(ModelFileProblem) -> [String: [String]] {
    var configurations: [String: [String]] = [:]
    for (name, reference) in try root.dictionary("NSConfigurations") {
      let holder = ArchivedObject(
        archive: root.archive, subject: "Configuration '\(name)'", classNames: [], fields: ["members": reference])
      var members: [String] = []
      for member in try holder.list("members") {
        if let name = try root.archive.name(member, or: "NSEntityName", subject: holder.subject) {
          members.append(name)
        }
      }
      configurations[name] = members.sorted { $0.precedesByBytes($1) }
    }
    return configurations
  }

  /// The notes of the model's author.
  ///
  /// A model in code can hold any object there; only texts and whole numbers are kept.
  func userInfo(_ object: ArchivedObject) throws(ModelFileProblem) -> [String: String] {
    var userInfo: [String: String] = [:]
    for (key, reference) in try object.dictionary("NSUserInfo", skipsOtherKeys: true) {
      if let text = try object.archive.text(reference) {
        userInfo[key] = text
      } else if let number = try object.archive.value(reference)?.integer {
        userInfo[key] = "\(number)"
      }
    }
    return userInfo
  }
}

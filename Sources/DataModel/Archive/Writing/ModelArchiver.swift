internal import PropertyList

/// Archives a model as Core Data does.
///
/// What is written was compared with archives that Apple's frameworks wrote, key by key. Where those do not show how a
/// part of a model is archived, nothing is guessed: the model is refused.
///
/// The model cache has the form of stores up to framework version 1344, the newest that could be compared: entities
/// list copies of what they inherit, each of which names the subentity as its entity.
struct ModelArchiver {
  /// What the archive is for.
  enum Form {
    /// A compiled model: entities list what they declare.
    case compiled
    /// The model in a store: entities list what they inherit, too.
    case modelCache
  }

  let model: ManagedObjectModel
  let form: Form
  var archive = KeyedArchiveWriter()
  let root: PropertyList
  /// The numbers of the entities, by their names.
  private(set) var entities: [String: PropertyList] = [:]
  /// The numbers of the relationships of each entity.
  ///
  /// An inherited one stands for the relationship that the ancestor declares.
  private(set) var relationships: [String: [String: PropertyList]] = [:]
  /// The properties of the entity at hand that have an index of their own.
  var indexedProperties: Set<String> = []
  /// `SELF`, of which there is one object only.
  var instance: PropertyList?

  /// The archive of a model.
  static func archive(_ model: ManagedObjectModel, as form: Form) throws(ModelFileProblem) -> PropertyList {
    var archiver = ModelArchiver(model, form)
    return try archiver.archived()
  }

  private init(_ model: ManagedObjectModel, _ form: Form) {
    self.model = model
    self.form = form
    root = archive.reserve()
    for entity in model.entities { entities[entity.name] = archive.reserve() }
  }

  private mutating func archived() throws(ModelFileProblem) -> PropertyList {
    guard model.fetchRequestTemplates.isEmpty else {
      throw .unarchivable(subject: "The model", part: "fetch request templates")
    }
    let lineages = EntityLineages(model)
    for entity in lineages.parentsFirst { reserveRelationships(of: entity) }
    // Every property is archived once; what copies it shares all but its entity.
    var properties: [String: [PropertyArchive]] = [:]
    var count = 0
    for entity in lineages.parentsFirst {
      let inherited = entity.superentityName.flatMap { properties[$0] } ?? []
      let declared = try self.properties(of: entity)
      let names = Set(inherited.map(\.name))
      if let both = declared.first(where: { names.contains($0.name) }) {
        throw .unarchivable(subject: "Entity '\(entity.name)'", part: "a property '\(both.name)' that it inherits too")
      }
      count += inherited.count + declared.count
      let limit = InheritanceResolver.propertyLimit
      guard count <= limit else { throw .model(.tooManyInheritedProperties(limit: limit)) }
      try fill(entity, declared: declared, inherited: form == .compiled ? [] : inherited)
      properties[entity.name] = entity.subentityNames.isEmpty ? nil : inherited + declared
    }
    fillRoot()
    return archive.propertyList(root: root)
  }

  private mutating func reserveRelationships(of entity: EntityDescription) {
    var references = entity.superentityName.flatMap { relationships[$0] } ?? [:]
    for relationship in entity.ownRelationships { references[relationship.name] = archive.reserve() }
    relationships[entity.name] = references
  }

  private mutating func fillRoot() {
    let identifiers = Set(model.versionIdentifiers).sorted { $0.precedesByBytes($1) }.map { archive.add($0) }
    var fields: PropertyListDictionary = [
      "NSEntities": addEntities(), "NSFetchRequestTemplates": KeyedArchiveWriter.null,
      "NSVersionIdentifiers": archive.add(.set, identifiers),
    ]
    if !model.configurations.isEmpty {
      let pairs = model.configurations.sorted { $0.key.precedesByBytes($1.key) }.map { name, members in
        let members = Set(members).sorted { $0.precedesByBytes($1) }
        return (key: name, value: archive.add(.set, members.compactMap { entities[$0] }))
      }
      fields["NSConfigurations"] = archive.add(.mutableDictionary, pairs: pairs)
    }
    archive.fill(root, .model, fields)
  }

  /// A store keeps its entities in a dictionary of Core Data's own, whose keys are sorted by their bytes.
  private mutating func addEntities() -> PropertyList {
    let references = model.entities.compactMap { entities[$0.name] }
    guard form == .modelCache else {
      let pairs = zip(model.entities, references).map { (key: $0.name, value: $1) }
      return archive.add(.mutableDictionary, pairs: pairs)
    }
    let keys = archive.add(.array, model.entities.map { archive.add($0.name) })
    let mapping = archive.add(
      .knownKeysMapping, ["keys": keys, "length": .integer(Int64(references.count)), "version": .integer(1)])
    let values = archive.add(.array, references)
    return archive.add(
      .knownKeysDictionary,
      [
        "searchMapping": mapping, "values": values, "version": .integer(1),
        "emptyToken": archive.add("__empty_slot_token_4c24_98dc_ac1e_b773__"),
      ])
  }
}

import DataModel
import PropertyListFormat

/// Archives a model as Apple's tools do.
struct TestModelArchiver {
  /// The ways in which archived models differ.
  enum Style: CaseIterable {
    /// As in a `.mom`: entities list what they declare.
    case compiled
    /// As in a store, with copies of what is inherited.
    case copies
    /// As in a store, with proxies of what is inherited.
    case proxies
  }

  private let model: ManagedObjectModel
  private let style: Style
  /// The replacements for the text of expressions and predicates, which this code cannot parse.
  let expressions: [String: TestExpression]
  let predicates: [String: TestPredicate]

  var archiver = TestArchiver()
  var entities: [String: PropertyList] = [:]
  var relationships: [String: PropertyList] = [:]

  static func archive(
    _ model: ManagedObjectModel, _ style: Style = .compiled, expressions: [String: TestExpression] = [:],
    predicates: [String: TestPredicate] = [:]
  ) -> PropertyList {
    var archiver = TestModelArchiver(model, style, expressions, predicates)
    return archiver.archive()
  }

  private init(
    _ model: ManagedObjectModel, _ style: Style, _ expressions: [String: TestExpression],
    _ predicates: [String: TestPredicate]
  ) {
    (self.model, self.style, self.expressions, self.predicates) = (model, style, expressions, predicates)
  }

  private mutating func archive() -> PropertyList {
    let root = archiver.reserve()
    for entity in model.entities {
      entities[entity.name] = archiver.reserve()
      for relationship in entity.ownRelationships {
        relationships["\(entity.name).\(relationship.name)"] = archiver.reserve()
      }
    }
    for entity in model.entities { fill(entity, model: root) }
    let identifiers = model.versionIdentifiers.map { archiver.add($0) }
    let configurations = model.configurations.map { name, members in
      (name, archiver.list(members.compactMap { entities[$0] }, "NSSet"))
    }
    let templates = model.fetchRequestTemplates.map { ($0.name, add($0)) }
    archiver.fill(
      root, "NSManagedObjectModel",
      [
        "NSEntities": addEntities(), "NSVersionIdentifiers": archiver.list(identifiers, "NSSet"),
        "NSConfigurations": archiver.dictionary(configurations),
        "NSFetchRequestTemplates": templates.isEmpty ? TestArchiver.null : archiver.dictionary(templates),
        "CDMCompilerToolVersion": .real(22758),
      ])
    return archiver.archive(root: root)
  }

  mutating func addEntities() -> PropertyList {
    let references = model.entities.compactMap { entities[$0.name] }
    guard style != .compiled else { return archiver.dictionary(Array(zip(model.entities.map(\.name), references))) }
    let empty = archiver.add("__empty_slot_token__")
    let names = model.entities.map { archiver.add($0.name) } + [archiver.add("Unused")]
    let keys = archiver.list(names)
    let mapping = archiver.add(
      "NSKnownKeysMappingStrategy1", ["keys": keys, "length": .integer(Int64(names.count)), "version": .integer(1)])
    let values = archiver.list(references + [empty])
    return archiver.add(
      "NSKnownKeysDictionary1",
      ["searchMapping": mapping, "values": values, "emptyToken": empty, "version": .integer(1)])
  }

  private mutating func fill(_ entity: EntityDescription, model root: PropertyList) {
    guard let reference = entities[entity.name] else { return }
    let listed = properties(of: entity)
    let children = entity.subentityNames.compactMap { name in entities[name].map { (name, $0) } }
    let indexes = entity.fetchIndexes.map { add($0, of: reference) }
    var fields: PropertyListDictionary = [
      "NSEntityName": archiver.add(entity.name), "NSClassNameForEntity": archiver.add(entity.managedObjectClassName),
      "NSManagedObjectModel": root, "NSProperties": archiver.dictionary(listed),
      "NSSubentities": archiver.dictionary(children), "NSUserInfo": add(entity.userInfo),
      "NSSuperentity": entity.superentityName.flatMap { entities[$0] } ?? TestArchiver.null,
      "NSRenamingIdentifier": addText(entity.renamingIdentifier),
      "NSVersionHashModifier": archiver.add(entity.versionHashModifier),
    ]
    fields["NSIsAbstract"] = entity.isAbstract ? .boolean(true) : nil
    if !entity.uniquenessConstraints.isEmpty {
      let lists = entity.uniquenessConstraints.map { names in
        let references = names.map { archiver.add($0) }
        return archiver.list(references, "NSMutableArray")
      }
      fields["NSUniqueTuples"] = archiver.list(lists, "NSMutableArray")
    }
    if !indexes.isEmpty { fields["NSFetchIndexDescriptions"] = archiver.list(indexes, "NSMutableArray") }
    archiver.fill(reference, "NSEntityDescription", fields)
  }

  private mutating func properties(of entity: EntityDescription) -> [(String, PropertyList)] {
    var listed = entity.ownAttributes.map { ($0.name, add($0, of: entity)) }
    for relationship in entity.ownRelationships {
      guard let reference = relationships["\(entity.name).\(relationship.name)"] else { continue }
      archiver.fill(reference, "NSRelationshipDescription", fields(relationship, of: entity))
      listed.append((relationship.name, reference))
    }
    listed += entity.ownFetchedProperties.map { ($0.name, add($0, of: entity)) }
    return style == .compiled ? listed : listed + inherited(by: entity)
  }

  private mutating func inherited(by entity: EntityDescription) -> [(String, PropertyList)] {
    let own = Set(entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name))
    var listed: [(String, PropertyList)] = []
    for attribute in entity.attributes where !own.contains(attribute.name) {
      let copy = add(attribute, of: entity)
      listed.append((attribute.name, style == .copies ? copy : proxy(copy, entity)))
    }
    for relationship in entity.relationships where !own.contains(relationship.name) {
      let copy = archiver.add("NSRelationshipDescription", fields(relationship, of: entity))
      listed.append((relationship.name, style == .copies ? copy : proxy(copy, entity)))
    }
    return listed
  }

  private mutating func proxy(_ property: PropertyList, _ entity: EntityDescription) -> PropertyList {
    archiver.add(
      "_NSPropertyDescriptionProxy",
      ["NSUnderlyingProperty": property, "NSEntityDescription": entities[entity.name] ?? TestArchiver.null])
  }

  mutating func add(_ userInfo: [String: String]) -> PropertyList {
    let pairs = userInfo.sorted { $0.key < $1.key }.map { ($0.key, archiver.add($0.value)) }
    return archiver.dictionary(pairs)
  }

  /// Texts are archived in two ways.
  mutating func addText(_ text: String) -> PropertyList {
    guard style == .copies else { return archiver.add(text) }
    return archiver.add("NSMutableString", ["NS.string": .string(text)])
  }
}

internal import CoreDataExpressions
internal import PropertyListFormat

/// Archives a model as Core Data does.
///
/// The result was compared, key by key, with archives that Apple's frameworks wrote. If those do not show how a part of
/// a model is archived, nothing is guessed: the model is refused.
///
/// The model cache has the form of stores up to framework version 1344, the newest that could be compared: entities
/// list copies of inherited properties, each of which names the subentity as its entity.
struct ModelArchiver {
  /// The purpose of the archive.
  enum Form {
    /// A compiled model: entities list the properties that they declare.
    case compiled
    /// The model in a store: entities also list inherited properties.
    case modelCache
  }

  let model: ManagedObjectModel
  let form: Form
  var archive = KeyedArchiveWriter()
  let root: PropertyList
  /// The numbers of the entities by name.
  private(set) var entities: [String: PropertyList] = [:]
  /// The numbers of the relationships of each entity.
  ///
  /// An inherited one has the number of the ancestor's relationship.
  private(set) var relationships: [String: [String: PropertyList]] = [:]
  /// The properties of the current entity that have their own index.
  var indexedProperties: Set<String> = []
  /// `SELF`, which is archived once.
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
    let entities = model.entitiesParentsFirst
    for entity in entities { reserveRelationships(of: entity) }
    // Every property is archived once; its copies share everything but the entity.
    var properties: [String: [PropertyArchive]] = [:]
    var count = 0
    for entity in entities {
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

  /// A store keeps its entities in Core Data's own kind of dictionary, whose keys are sorted by their bytes.
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

extension ModelArchiver {
  /// Archives an entity.
  mutating func fill(
    _ entity: EntityDescription, declared: [PropertyArchive], inherited: [PropertyArchive]
  ) throws(ModelFileProblem) {
    guard let reference = entities[entity.name] else { return }
    let copies = inherited.map { property in
      var fields = property.fields
      fields["NSEntity"] = reference
      return (key: property.name, value: archive.add(property.archivedClass, fields))
    }
    let properties = (declared.map { (key: $0.name, value: $0.reference) } + copies)
      .sorted { $0.key.precedesByBytes($1.key) }
    let children = entity.subentityNames.compactMap { name in entities[name].map { (key: name, value: $0) } }
    var fields: PropertyListDictionary = [
      "NSEntityName": archive.add(entity.name),
      "NSClassNameForEntity": archive.add(optional: Self.className(of: entity)),
      "NSManagedObjectModel": root,
      "NSSuperentity": entity.superentityName.flatMap { entities[$0] } ?? KeyedArchiveWriter.null,
      "NSSubentities": archive.add(.mutableDictionary, pairs: children),
      "NSProperties": archive.add(.mutableDictionary, pairs: properties),
      "NSUserInfo": add(entity.userInfo),
      "NSRenamingIdentifier": archive.add(entity.renamingIdentifier),
      "NSVersionHashModifier": archive.add(optional: entity.versionHashModifier),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    if !entity.uniquenessConstraints.isEmpty { fields["NSUniqueTuples"] = add(entity.uniquenessConstraints) }
    if !entity.fetchIndexes.isEmpty {
      fields["NSFetchIndexDescriptions"] = try addFetchIndexes(of: entity, reference)
      fields["NSCompoundIndexes"] = add(entity.fetchIndexes.compactMap(\.compoundNames))
    }
    archive.fill(reference, .entity, fields)
  }

  /// The information that the model's author added.
  mutating func add(_ userInfo: [String: String]) -> PropertyList {
    let pairs = userInfo.sorted { $0.key.precedesByBytes($1.key) }
    return archive.add(.dictionary, pairs: pairs.map { (key: $0.key, value: archive.add($0.value)) })
  }

  private mutating func add(_ lists: [[String]]) -> PropertyList {
    archive.add(.mutableArray, lists.map { names in archive.add(.mutableArray, names.map { archive.add($0) }) })
  }

  /// A name that begins with a dot belongs to the module that the model is compiled into.
  ///
  /// That module is not known here, so the class is left out, as in stores that Core Data migrated.
  private static func className(of entity: EntityDescription) -> String? {
    entity.managedObjectClassName.flatMap { $0.hasPrefix(".") ? nil : $0 }
  }
}

extension FetchIndexDescription {
  /// The properties, if the index sorts by several properties and nothing else.
  ///
  /// Such indexes are also archived in their old form, for older systems.
  fileprivate var compoundNames: [String]? {
    let names = elements.filter { $0.collationType == .binary }.compactMap(\.propertyName)
    return names.count > 1 && names.count == elements.count ? names : nil
  }
}

extension ModelArchiver {
  /// Archives the properties that an entity declares.
  mutating func properties(of entity: EntityDescription) throws(ModelFileProblem) -> [PropertyArchive] {
    var properties: [PropertyArchive] = []
    indexedProperties = Set(entity.fetchIndexes.compactMap(\.onlyProperty))
    for attribute in entity.ownDeclaredAttributes {
      let archivedClass = ArchivedClass(attribute)
      let (reference, fields) = (archive.reserve(), try fields(attribute, of: entity))
      properties.append(PropertyArchive(attribute.name, archivedClass, fields, reference))
    }
    for relationship in entity.ownRelationships {
      guard let reference = relationships[entity.name]?[relationship.name] else { continue }
      properties.append(
        PropertyArchive(relationship.name, .relationship, fields(relationship, of: entity), reference))
    }
    for property in entity.ownFetchedProperties {
      let (reference, fields) = (archive.reserve(), try fields(property, of: entity))
      properties.append(PropertyArchive(property.name, .fetchedProperty, fields, reference))
    }
    for property in properties { archive.fill(property.reference, property.archivedClass, property.fields) }
    return properties
  }

  /// The fields of any kind of property.
  ///
  /// False and empty values are omitted.
  mutating func fields(
    _ property: some PropertyDescription, of entity: EntityDescription, also flags: PropertyFlags
  ) -> PropertyListDictionary {
    var fields: PropertyListDictionary = [
      "NSPropertyName": archive.add(property.name), "NSEntity": entities[entity.name] ?? KeyedArchiveWriter.null,
      "NSRenamingIdentifier": archive.add(property.renamingIdentifier),
      "_P": .integer(PropertyFlags(property).union(flags).rawValue),
    ]
    if property.isOptional { fields["NSIsOptional"] = .boolean(true) }
    if property.isTransient { fields["NSIsTransient"] = .boolean(true) }
    if flags.contains(.isReadOnly) { fields["NSIsReadOnly"] = .boolean(true) }
    if flags.contains(.isOrdered) { fields["NSIsOrdered"] = .boolean(true) }
    if !property.isTransient, indexedProperties.contains(property.name) {
      fields["NSIsIndexed"] = .boolean(true)
    }
    if let modifier = property.versionHashModifier { fields["NSVersionHashModifier"] = archive.add(modifier) }
    if !property.userInfo.isEmpty { fields["NSUserInfo"] = add(property.userInfo) }
    return fields
  }

  private mutating func fields(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) -> PropertyListDictionary {
    let destination = relationship.destinationEntityName
    let holder = relationship.inverseEntityName ?? destination
    let inverse = relationship.inverseName.flatMap { relationships[holder]?[$0] }
    var fields = fields(relationship, of: entity, also: relationship.isOrdered ? .isOrdered : [])
    fields["NSDestinationEntity"] = entities[destination] ?? KeyedArchiveWriter.null
    fields["_NSDestinationEntityName"] = archive.add(destination)
    fields["NSInverseRelationship"] = inverse ?? KeyedArchiveWriter.null
    fields["_NSInverseRelationshipName"] = archive.add(optional: relationship.inverseName)
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    fields["NSMinCount"] = .integer(Int64(relationship.minCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
    return fields
  }
}

extension ArchivedClass {
  /// The class of an attribute.
  fileprivate init(_ attribute: AttributeDescription) {
    self = attribute.type == .composite ? .compositeAttribute : attribute.isDerived ? .derivedAttribute : .attribute
  }
}

extension FetchIndexDescription {
  /// The property, if the index sorts by one property and nothing else.
  ///
  /// Core Data then also marks the property as indexed, as models before 2017 did.
  fileprivate var onlyProperty: String? {
    guard let element = elements.first, elements.count == 1, element.collationType == .binary else { return nil }
    return element.propertyName
  }
}

/// A property as it is archived with the entity that declares it.
struct PropertyArchive {
  let name: String
  let archivedClass: ArchivedClass
  let fields: PropertyListDictionary
  let reference: PropertyList

  init(
    _ name: String, _ archivedClass: ArchivedClass, _ fields: PropertyListDictionary, _ reference: PropertyList
  ) {
    self.name = name
    self.archivedClass = archivedClass
    self.fields = fields
    self.reference = reference
  }
}

/// The flags in `_P`, which repeat the content of an archived property's other fields.
///
/// Every property that Apple's tools archived with these fields has the value that these bits give.
struct PropertyFlags: OptionSet {
  let rawValue: Int64

  /// Always set.
  private static let isPacked = PropertyFlags(rawValue: 0x1)
  static let isOptional = PropertyFlags(rawValue: 0x2)
  static let isReadOnly = PropertyFlags(rawValue: 0x4)
  static let isTransient = PropertyFlags(rawValue: 0x8)
  /// Neither validation predicates nor their warnings.
  private static let hasNoValidation = PropertyFlags(rawValue: 0x30)
  private static let hasNoUserInfo = PropertyFlags(rawValue: 0x40)
  private static let hasNoVersionHashModifier = PropertyFlags(rawValue: 0x80)
  static let isOrdered = PropertyFlags(rawValue: 0x400)
}

extension PropertyFlags {
  /// The flags that any kind of property has.
  init(_ property: some PropertyDescription) {
    self = [.isPacked, .hasNoValidation]
    if property.isOptional { insert(.isOptional) }
    if property.isTransient { insert(.isTransient) }
    if property.userInfo.isEmpty { insert(.hasNoUserInfo) }
    if property.versionHashModifier == nil { insert(.hasNoVersionHashModifier) }
  }
}

extension ModelArchiver {
  /// The fields of an attribute.
  ///
  /// Validation is left out, because it is not known how Xcode archives limits.
  mutating func fields(
    _ attribute: AttributeDescription, of entity: EntityDescription
  ) throws(ModelFileProblem) -> PropertyListDictionary {
    let subject = "Attribute '\(entity.name).\(attribute.name)'"
    var fields = fields(attribute, of: entity, also: attribute.isDerived ? .isReadOnly : [])
    let className = try valueClassName(attribute, subject)
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSAttributeValueClassName"] = archive.add(optional: className)
    fields["NSDefaultValue"] = try addDefaultValue(attribute, subject)
    fields["NSValueTransformerName"] = archive.add(optional: attribute.valueTransformerName)
    fields["NSFlagsKey"] = .integer(
      (attribute.allowsExternalBinaryDataStorage ? 4 : 0) | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0))
    for (name, key) in Self.editorKeys where attribute.editorAttributes[name].flatMap({ Bool(xcodeText: $0) }) == true {
      fields[key] = .boolean(true)
      // The packed flags for these are not known; the fields hold everything without them.
      fields["_P"] = nil
    }
    if attribute.type == .composite { fields["NSCompositeElements"] = try addElements(of: attribute, in: entity) }
    guard let text = attribute.derivationExpression else { return fields }
    fields["NSDerivationExpression"] = try addDerivation(text, subject)
    let predicate = try attribute.derivationFilterPredicate.map { text throws(ModelFileProblem) in
      try addHashedPredicate(text, subject)
    }
    fields["NSFilteringPredicate"] = predicate ?? KeyedArchiveWriter.null
    return fields
  }

  /// The elements of a composite, which belong to it and not to the entity.
  private mutating func addElements(
    of composite: AttributeDescription, in entity: EntityDescription
  ) throws(ModelFileProblem) -> PropertyList {
    var elements: [PropertyList] = []
    for element in composite.elements {
      var fields = try fields(element, of: entity)
      fields["NSEntity"] = KeyedArchiveWriter.null
      elements.append(archive.add(ArchivedClass(element), fields))
    }
    return archive.add(.array, elements)
  }

  private static let editorKeys = [
    ("spotlightIndexingEnabled", "NSIndexedBySpotlight"), ("allowsCloudEncryption", "NSAllowsCloudEncryption"),
  ]

  private func valueClassName(
    _ attribute: AttributeDescription, _ subject: String
  ) throws(ModelFileProblem) -> String? {
    switch attribute.type.valueClass {
    case .named(let name): name
    case .ofModel: attribute.editorAttributes["customClassName"]
    case .unknown: throw .unarchivable(subject: subject, part: "the type \(attribute.type.xmlName)")
    }
  }

  /// The version hash is computed from this text alone, so it must be the text that the expression prints.
  private mutating func addDerivation(_ text: String, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    guard let expression = try? Expression(format: text), expression.description == text else {
      throw .unarchivable(subject: subject, part: "the expression '\(text)'")
    }
    return try add(expression, subject)
  }

  private mutating func addHashedPredicate(_ text: String, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    guard let predicate = try? Predicate(format: text), predicate.description == text else {
      throw .unarchivable(subject: subject, part: "the predicate '\(text)'")
    }
    return try add(predicate, subject)
  }

  // MARK: - Default value

  /// The value of new instances.
  private mutating func addDefaultValue(
    _ attribute: AttributeDescription, _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    guard let value = attribute.defaultValue else { return KeyedArchiveWriter.null }
    switch (attribute.type, value) {
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)),
      (.double, .integer(let number)), (.float, .integer(let number)):
      return archive.add(.integer(number))
    case (.double, .double(let number)) where !number.isNaN, (.float, .double(let number)) where !number.isNaN:
      return archive.add(.real(number))
    case (.decimal, .double(let number)):
      guard let decimal = DecimalParts(number) else { break }
      return archive.add(.decimal, decimal.fields)
    case (.boolean, .boolean(let value)): return archive.add(.boolean(value))
    case (.string, .string(let text)): return archive.add(text)
    case (.date, .date(let seconds)): return archive.add(.date, ["NS.time": .real(seconds)])
    case (.binaryData, .data(let bytes)): return archive.add(.data(bytes))
    case (.uuid, .uuid(let bytes)) where bytes.count == 16:
      return archive.add(.uuid, ["NS.uuidbytes": .data(bytes)])
    case (.uri, .uri(let text)):
      return archive.add(.url, ["NS.base": KeyedArchiveWriter.null, "NS.relative": archive.add(text)])
    default: break
    }
    throw .unarchivable(subject: subject, part: "a default value that is none of its type")
  }
}

extension ManagedObjectModel {
  /// The model as a compiled one, the content of a `.mom`: a keyed archive of an `NSManagedObjectModel`.
  ///
  /// The same model always gives the same bytes. Omitted are parts of Apple's archives that a model here does not have:
  /// validation rules, sort descriptors, default values of transformable attributes, and the version of the compiler.
  ///
  /// - Throws: `ModelFileProblem.unarchivable` if it is not known how Core Data archives a part of the model.
  package func archive() throws(ModelFileProblem) -> [UInt8] {
    try ModelArchiver.archive(self, as: .compiled).binary()
  }

  /// The copy of the model that a store keeps, in the column `Z_CONTENT` of its table `Z_MODELCACHE`.
  ///
  /// It is a keyed archive in which entities also list inherited properties, packed as raw DEFLATE.
  ///
  /// - Throws: `ModelFileProblem`, as ``archive()`` does, and if the archive is too large to be read again. A store is
  ///   complete without it.
  package func modelCache() throws(ModelFileProblem) -> [UInt8] {
    try DeflateStream.deflate(ModelArchiver.archive(self, as: .modelCache).binary())
  }
}

extension AttributeDescription {
  /// The part of a derivation that no compiler can archive and no store can keep, since Core Data does not derive values in
  /// that way; `nil` if there is none.
  package var unusableDerivation: String? {
    guard isDerived else { return nil }
    return ModelArchiver.refusal(ofDerivationOf: self)
  }
}

extension ModelArchiver {
  /// Returns the part of a derivation that cannot be archived.
  fileprivate static func refusal(ofDerivationOf attribute: AttributeDescription) -> String? {
    guard let model = try? ManagedObjectModel(entities: []) else { return nil }
    var archiver = ModelArchiver(model, .compiled)
    do throws(ModelFileProblem) {
      if let text = attribute.derivationExpression { _ = try archiver.addDerivation(text, attribute.name) }
      if let text = attribute.derivationFilterPredicate { _ = try archiver.addHashedPredicate(text, attribute.name) }
      return nil
    } catch {
      guard case .unarchivable(_, let part) = error else { return "a derivation that cannot be used" }
      return part
    }
  }
}

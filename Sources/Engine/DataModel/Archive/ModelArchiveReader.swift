internal import PropertyListFormat

/// Reads the archive of an `NSManagedObjectModel`: a compiled model, or a store's copy of its model.
///
/// Unknown fields and validation predicates are skipped: they affect neither store nor hash.
struct ModelArchiveReader {
  let lineages: InheritedPropertyNames

  /// Reads a whole model.
  static func model(_ bytes: [UInt8]) throws(ModelFileProblem) -> ManagedObjectModel {
    let archive = try ModelArchive(bytes)
    guard let root = try archive.root(subject: "The model") else { throw .notAnArchivedModel(className: "nil") }
    guard root.kind(of: ["NSManagedObjectModel"]) != nil else { throw .notAnArchivedModel(className: root.className) }
    var outlines: [ArchivedEntityHeader] = []
    for (name, reference) in try root.dictionary("NSEntities") {
      outlines.append(try ArchivedEntityHeader(archive, reference, name: name))
    }
    let reader = ModelArchiveReader(lineages: try InheritedPropertyNames(outlines))
    return try reader.model(root, outlines)
  }

  private func model(
    _ root: ArchivedObject, _ outlines: [ArchivedEntityHeader]
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

  /// Archives hold a set here; sorting makes models of equal archives equal.
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

  /// The information that the model's author added.
  ///
  /// A model in code can hold any object there; only text and whole numbers are kept.
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

extension ModelArchiveReader {
  func entity(_ outline: ArchivedEntityHeader) throws(ModelFileProblem) -> EntityDescription {
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    var fetchedProperties: [FetchedPropertyDescription] = []
    var indexed: [String] = []
    for (name, reference) in outline.properties where lineages.declares(name, outline.name) {
      let (property, name) = try property(reference, name, of: outline)
      // Models before 2017 mark properties as indexed; transient ones have no column to index.
      if try property.boolean("NSIsIndexed"), try !property.boolean("NSIsTransient") { indexed.append(name) }
      switch property.kind(of: Self.propertyClasses) {
      case "NSRelationshipDescription": relationships.append(try relationship(property, name))
      case "NSFetchedPropertyDescription": fetchedProperties.append(try fetchedProperty(property, name))
      default: attributes.append(try attribute(property, name))
      }
    }
    let object = outline.object
    return EntityDescription(
      outline.name,
      isAbstract: try object.boolean("NSIsAbstract"),
      superentityName: outline.superentityName,
      managedObjectClassName: try object.optional("NSClassNameForEntity"),
      renamingIdentifier: try object.optional("NSRenamingIdentifier"),
      versionHashModifier: try object.optional("NSVersionHashModifier"),
      userInfo: try userInfo(object),
      uniquenessConstraints: try nameLists(object, "NSUniqueTuples"),
      attributes: attributes,
      relationships: relationships,
      fetchedProperties: fetchedProperties,
      fetchIndexes: try fetchIndexes(object, of: outline.name, indexed: indexed.sorted { $0.precedesByBytes($1) }))
  }

  /// Lists of property names: uniqueness constraints, and the compound indexes of older models.
  func nameLists(_ object: ArchivedObject, _ key: String) throws(ModelFileProblem) -> [[String]] {
    var lists: [[String]] = []
    for reference in try object.list(key) {
      let holder = ArchivedObject(
        archive: object.archive, subject: object.subject, classNames: [], fields: [key: reference])
      var names: [String] = []
      for element in try holder.list(key) {
        guard let name = try object.archive.name(element, or: "NSPropertyName", subject: object.subject) else {
          throw object.unexpected(key, "a list of property names")
        }
        names.append(name)
      }
      if !names.isEmpty { lists.append(names) }
    }
    return lists
  }

  private static let propertyClasses: Set = [
    "NSAttributeDescription", "NSRelationshipDescription", "NSFetchedPropertyDescription",
  ]

  /// A property and its name; for a proxy, those of the underlying property.
  private func property(
    _ reference: PropertyList, _ name: String, of outline: ArchivedEntityHeader
  ) throws(ModelFileProblem) -> (property: ArchivedObject, name: String) {
    let subject = "Property '\(outline.name).\(name)'"
    var property = try outline.object.archive.object(reference, subject: subject)
    // No proxy of a proxy was ever seen, and a cycle of them must end.
    for _ in 0..<8 where property?.kind(of: ["_NSPropertyDescriptionProxy"]) != nil {
      property = try property?.object("NSUnderlyingProperty")
    }
    guard let property, property.kind(of: Self.propertyClasses) != nil else {
      throw .badArchivedValue(
        subject: outline.object.subject, key: "NSProperties", expected: "a dictionary of properties")
    }
    return (property, try property.optional("NSPropertyName") ?? name)
  }

  // MARK: - Attribute

  func attribute(
    _ object: ArchivedObject, _ name: String, depth: Int = 0
  ) throws(ModelFileProblem) -> AttributeDescription {
    let type = try attributeType(object)
    let flags: Int64 = try object.integer("NSFlagsKey")
    var attribute = AttributeDescription(
      name, type,
      isOptional: try object.boolean("NSIsOptional"),
      isTransient: try object.boolean("NSIsTransient"),
      defaultValue: try defaultValue(object, type),
      allowsExternalBinaryDataStorage: flags & 4 != 0,
      preservesValueInHistoryOnDeletion: flags & 16 != 0,
      valueTransformerName: try object.optional("NSValueTransformerName"),
      renamingIdentifier: try object.optional("NSRenamingIdentifier"),
      versionHashModifier: try object.optional("NSVersionHashModifier"),
      userInfo: try userInfo(object))
    attribute.editorAttributes = try editorAttributes(object, type)
    if type == .composite { attribute.elements = try elements(of: object, depth: depth) }
    guard object.kind(of: ["NSDerivedAttributeDescription"]) != nil else { return attribute }
    guard let expression = try object.object("NSDerivationExpression") else {
      throw object.unexpected("NSDerivationExpression", "an expression")
    }
    // These texts are hashed, so a part whose text is not known is an error.
    attribute.derivationExpression = try ExpressionArchiveReader(.printed).expression(expression).description
    attribute.derivationFilterPredicate = try object.object("NSFilteringPredicate").map {
      predicate throws(ModelFileProblem) in try ExpressionArchiveReader(.printed).predicate(predicate).description
    }
    return attribute
  }

  /// Only transient attributes may have no type; the model checks that.
  private func attributeType(_ object: ArchivedObject) throws(ModelFileProblem) -> AttributeType {
    let code: Int32 = try object.integer("NSAttributeType")
    guard let type = AttributeType(rawValue: code) else {
      throw .unknownType(subject: object.subject, type: "\(code)")
    }
    return type
  }

  private func elements(of composite: ArchivedObject, depth: Int) throws(ModelFileProblem) -> [AttributeDescription] {
    let key = "NSCompositeElements"
    let limit = CompositeLimits.depth
    guard depth < limit else { throw .archiveTooComplex(limit: limit) }
    // A guessed hash or column would be worse than an error.
    guard try composite.value(key) != nil else { throw composite.unexpected(key, "a list of attributes") }
    let objects = try composite.objects(key, "a list of attributes", subject: "An element of \(composite.subject)")
    return try objects.map { object throws(ModelFileProblem) in
      guard let name = try object.optional("NSPropertyName") else {
        throw object.unexpected("NSPropertyName", "a text")
      }
      return try attribute(object, name, depth: depth + 1)
    }
  }

  /// The attributes that Xcode would write in a model's XML, so that writing the model again gives the same content.
  private func editorAttributes(
    _ object: ArchivedObject, _ type: AttributeType
  ) throws(ModelFileProblem) -> [String: String] {
    var attributes: [String: String] = [:]
    if try object.boolean("NSIndexedBySpotlight") { attributes["spotlightIndexingEnabled"] = "YES" }
    if try object.boolean("NSAllowsCloudEncryption") { attributes["allowsCloudEncryption"] = "YES" }
    if type == .transformable { attributes["customClassName"] = try object.optional("NSAttributeValueClassName") }
    return attributes
  }

  // MARK: - Default value

  /// The value of new instances.
  ///
  /// The default of a transformable attribute is an object of the app and cannot be known here.
  func defaultValue(
    _ object: ArchivedObject, _ type: AttributeType
  ) throws(ModelFileProblem) -> AttributeValue? {
    let key = "NSDefaultValue"
    guard let value = try object.value(key) else { return nil }
    let result: AttributeValue?
    switch type {
    case .integer16, .integer32, .integer64: result = try wholeNumber(object, value).map { .integer($0) }
    case .decimal, .double, .float: result = try number(object, value).map { .double($0) }
    case .boolean: result = try wholeNumber(object, value).map { .boolean($0 != 0) }
    case .string: result = try object.archive.text(object.fields[key]).map { .string($0) }
    case .date: result = try date(object, value).map { .date($0) }
    case .binaryData: result = try data(object, value).map { .data($0) }
    case .uuid: result = try uuid(object).map { .uuid($0) }
    case .uri: result = try uri(object).map { .uri($0) }
    case .undefined, .transformable, .objectID, .composite: return nil
    }
    guard let result else { throw object.unexpected(key, "a value of type \(type.xmlName)") }
    return result
  }

  /// A part of the default value, if that is an object and not a plain value.
  private func part(_ name: String, of object: ArchivedObject) throws(ModelFileProblem) -> PropertyList? {
    try object.archive.object(object.fields["NSDefaultValue"], subject: object.subject)?.value(name)
  }

  /// Numbers may be archived as Booleans, and whole numbers with a fraction, which is cut off.
  private func wholeNumber(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> Int64? {
    if let integer = value.integer { return integer }
    if let boolean = value.boolean { return boolean ? 1 : 0 }
    return try number(object, value).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
  }

  private func number(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> Double? {
    if let number = value.real { return number.isNaN ? nil : number }
    if let boolean = value.boolean { return boolean ? 1 : 0 }
    guard let decimal = try object.archive.object(object.fields["NSDefaultValue"], subject: object.subject) else {
      return nil
    }
    return try ArchivedDecimal(decimal)?.value
  }

  private func date(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> Double? {
    guard let seconds = value.date else { return try part("NS.time", of: object)?.real }
    return seconds
  }

  private func data(_ object: ArchivedObject, _ value: PropertyList) throws(ModelFileProblem) -> [UInt8]? {
    guard let bytes = value.data else { return try part("NS.data", of: object)?.data }
    return bytes
  }

  private func uuid(_ object: ArchivedObject) throws(ModelFileProblem) -> [UInt8]? {
    guard let bytes = try part("NS.uuidbytes", of: object)?.data, bytes.count == 16 else { return nil }
    return bytes
  }

  /// Xcode supports only absolute URLs.
  private func uri(_ object: ArchivedObject) throws(ModelFileProblem) -> String? {
    guard try part("NS.base", of: object) == nil else { return nil }
    return try object.archive.object(object.fields["NSDefaultValue"], subject: object.subject)?.text("NS.relative")
  }
}

extension ModelArchiveReader {
  func relationship(_ object: ArchivedObject, _ name: String) throws(ModelFileProblem) -> RelationshipDescription {
    // Both ends are archived twice: as objects and by name.
    let destinationName = try object.optional("_NSDestinationEntityName")
    guard let destination = try object.name("NSEntityName", of: "NSDestinationEntity") ?? destinationName else {
      throw object.unexpected("NSDestinationEntity", "an entity")
    }
    let inverse = try object.object("NSInverseRelationship")
    let declaredInverse = try object.optional("_NSInverseRelationshipName")
    let inverseName = try inverse?.optional("NSPropertyName") ?? declaredInverse
    var relationship = RelationshipDescription(
      name, to: destination,
      inverse: inverseName,
      minCount: try object.integer("NSMinCount"),
      maxCount: try object.integer("NSMaxCount"),
      isOrdered: try object.boolean("NSIsOrdered"),
      deleteRule: try deleteRule(object),
      isOptional: try object.boolean("NSIsOptional"),
      isTransient: try object.boolean("NSIsTransient"),
      renamingIdentifier: try object.optional("NSRenamingIdentifier"),
      versionHashModifier: try object.optional("NSVersionHashModifier"),
      userInfo: try userInfo(object))
    // The inverse usually belongs to the destination or its ancestors; only otherwise must its entity be named.
    if let inverseName, !lineages.has(inverseName, destination) {
      relationship.inverseEntityName = try inverse?.name("NSEntityName", of: "NSEntity")
    }
    return relationship
  }

  private func deleteRule(_ object: ArchivedObject) throws(ModelFileProblem) -> DeleteRule {
    guard let rule = DeleteRule(rawValue: try object.integer("NSDeleteRule")) else {
      throw object.unexpected("NSDeleteRule", "a number from 0 to 3")
    }
    return rule
  }
}

internal import CoreDataExpressions

/// Reads the file `contents` of an `.xcdatamodel`, which Xcode's model editor writes.
struct ModelXMLReader {
  let file: String
  /// The definitions of composite attributes, by name.
  var composites: [String: MarkupElement] = [:]

  init(file: String) { self.file = file }

  /// Reads a whole model.
  mutating func model(_ bytes: [UInt8]) throws(ModelFileError) -> ManagedObjectModel {
    let root = try MarkupParser.parse(bytes, file: file)
    guard root.name == "model" else { throw ModelFileError(.notAModel(root: root.name), file: file, line: root.line) }
    composites = Dictionary(
      root.children(named: "composite").map { ($0.attributes["name"] ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
    var entities: [EntityDescription] = []
    for element in root.children(named: "entity") { entities.append(try entity(element)) }
    var attributes = ElementAttributes(root, subject: "The model")
    // Without the attribute, the model has no identifier; with an empty one, it has an empty identifier.
    let identifier = attributes.text("userDefinedModelVersionIdentifier")
    var model = try created(entities, identifiers: identifier.map { [$0] } ?? [], try configurations(root))
    for element in root.children(named: "fetchRequest") {
      model.fetchRequestTemplates.append(try fetchRequest(element, subject: "A fetch request"))
    }
    model.editorAttributes = attributes.rest
    return model
  }

  /// Adds the place to an error.
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

extension ModelXMLReader {
  func entity(_ element: MarkupElement) throws(ModelFileError) -> EntityDescription {
    var attributes = ElementAttributes(element, subject: "Entity '\(element.attributes["name"] ?? "")'")
    let (name, isAbstract) = try located(element) { () throws(ModelFileProblem) in
      (try attributes.required("name"), try attributes.boolean("isAbstract"))
    }
    var ownAttributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    var fetchedProperties: [FetchedPropertyDescription] = []
    for child in element.children {
      switch child.name {
      case "attribute": ownAttributes.append(try attributeWithElements(child, of: name))
      case "relationship": relationships.append(try relationship(child, of: name))
      case "fetchedProperty": fetchedProperties.append(try fetchedProperty(child, of: name))
      default: break
      }
    }
    var entity = EntityDescription(
      name,
      isAbstract: isAbstract,
      superentityName: attributes.optional("parentEntity"),
      managedObjectClassName: attributes.optional("representedClassName"),
      renamingIdentifier: attributes.optional("elementID"),
      versionHashModifier: attributes.optional("versionHashModifier"),
      userInfo: userInfo(element),
      uniquenessConstraints: uniquenessConstraints(element),
      attributes: ownAttributes,
      relationships: relationships,
      fetchedProperties: fetchedProperties,
      fetchIndexes: try fetchIndexes(element, of: name))
    entity.editorAttributes = attributes.rest
    return entity
  }

  private func uniquenessConstraints(_ entity: MarkupElement) -> [[String]] {
    entity.children(named: "uniquenessConstraints").flatMap { $0.children(named: "uniquenessConstraint") }
      .map { $0.children(named: "constraint").compactMap { $0.attributes["value"] } }
      .filter { !$0.isEmpty }
  }

  private func fetchedProperty(
    _ element: MarkupElement, of entity: String
  ) throws(ModelFileError) -> FetchedPropertyDescription {
    let subject = "Fetched property '\(entity).\(element.attributes["name"] ?? "")'"
    guard let request = element.children(named: "fetchRequest").first else {
      throw ModelFileError(
        .missingAttribute(subject: subject, attribute: "fetchRequest"), file: file, line: element.line)
    }
    let fetchRequest = try fetchRequest(request, subject: "The fetch request of \(subject)")
    return try located(element) { () throws(ModelFileProblem) in
      var attributes = ElementAttributes(element, subject: subject)
      var property = FetchedPropertyDescription(
        try attributes.required("name"), fetchRequest: fetchRequest, isOptional: try attributes.boolean("optional"),
        renamingIdentifier: attributes.optional("elementID"),
        versionHashModifier: attributes.optional("versionHashModifier"), userInfo: userInfo(element))
      property.editorAttributes = attributes.rest
      return property
    }
  }

  // MARK: - Attribute

  func attribute(_ element: MarkupElement, of entity: String) throws(ModelFileError) -> AttributeDescription {
    try located(element) { () throws(ModelFileProblem) in
      let subject = "Attribute '\(entity).\(element.attributes["name"] ?? "")'"
      var attributes = ElementAttributes(element, subject: subject)
      let name = try attributes.required("name")
      let type = try attributeType(&attributes)
      var attribute = AttributeDescription(
        name, type,
        isOptional: try attributes.boolean("optional"),
        isTransient: try attributes.boolean("transient"),
        defaultValue: defaultValue(&attributes, type),
        allowsExternalBinaryDataStorage: try attributes.boolean("allowsExternalBinaryDataStorage"),
        preservesValueInHistoryOnDeletion: try attributes.boolean("preserveAfterDeletion"),
        valueTransformerName: attributes.optional("valueTransformerName"),
        renamingIdentifier: attributes.optional("elementID"),
        versionHashModifier: attributes.optional("versionHashModifier"),
        userInfo: userInfo(element),
        validation: validation(&attributes, type),
        derivationExpression: try derivationExpression(&attributes))
      // Indexed attributes become indexes of their entity.
      _ = try attributes.boolean("indexed")
      attribute.editorAttributes = attributes.rest
      return attribute
    }
  }

  /// Only transient attributes may have no type; the model checks that.
  private func attributeType(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> AttributeType {
    guard let name = attributes.optional("attributeType") else { return .undefined }
    guard let type = AttributeType(xmlName: name) else {
      throw .unknownType(subject: attributes.subject, type: name)
    }
    return type
  }

  /// A default that cannot be read stays among the editor's attributes; see ``AttributeDescription/unreadableDefault``.
  private func defaultValue(_ attributes: inout ElementAttributes, _ type: AttributeType) -> AttributeValue? {
    guard let name = type.defaultTextName, let text = attributes.rest[name] else { return nil }
    let value = AttributeValue(xcodeDefault: text, type: type)
    // An empty text means no default, except for a string.
    if value != nil || text.isEmpty { _ = attributes.text(name) }
    return text.isEmpty && type != .string ? nil : value
  }

  private func validation(_ attributes: inout ElementAttributes, _ type: AttributeType) -> AttributeValidation {
    AttributeValidation(
      minimum: limit(.minimum, &attributes, type), maximum: limit(.maximum, &attributes, type),
      regularExpression: attributes.optional("regularExpressionString"))
  }

  /// A limit that is not a number stays among the editor's attributes; see ``AttributeDescription/limitFaults``.
  ///
  /// It need not be a value of the type: 40,000 as the minimum leaves no value of an Integer 16, and 1.5 leaves those from 2
  /// on.
  private func limit(
    _ side: LimitFault.Side, _ attributes: inout ElementAttributes, _ type: AttributeType
  ) -> AttributeValue? {
    let name = type.limitTextName(side)
    guard let text = attributes.rest[name] else { return nil }
    // The limits of a string apply to its length.
    let isWhole = type.limit == .length || type.limit == .number && type.storedForm == .integer
    let value =
      isWhole
      ? AttributeValue(xcodeText: text, type: .integer64)
        ?? Double(text).flatMap { $0.isFinite ? .double($0) : nil }
      : AttributeValue(xcodeText: text, type: type)
    if value != nil { _ = attributes.text(name) }
    return value
  }

  private func derivationExpression(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> String? {
    guard try attributes.boolean("derived") else { return nil }
    let text = try attributes.required("derivationExpression")
    // Core Data hashes the text that it prints itself: without spaces, and with the colons of functions.
    switch try? Expression(format: text) {
    case .keyPath(.evaluatedObject, _)?, .function(nil, _, _)?: return (try? Expression(format: text))?.description
    default: return text
    }
  }

  // MARK: - Relationship

  func relationship(_ element: MarkupElement, of entity: String) throws(ModelFileError) -> RelationshipDescription {
    try located(element) { () throws(ModelFileProblem) in
      let subject = "Relationship '\(entity).\(element.attributes["name"] ?? "")'"
      var attributes = ElementAttributes(element, subject: subject)
      let name = try attributes.required("name")
      let destination = try attributes.required("destinationEntity")
      var relationship = RelationshipDescription(
        name, to: destination,
        inverse: attributes.optional("inverseName"),
        minCount: try attributes.count("minCount"),
        maxCount: try attributes.count("maxCount"),
        isOrdered: try attributes.boolean("ordered"),
        deleteRule: try deleteRule(&attributes),
        isOptional: try attributes.boolean("optional"),
        isTransient: try attributes.boolean("transient"),
        renamingIdentifier: attributes.optional("elementID"),
        versionHashModifier: attributes.optional("versionHashModifier"),
        userInfo: userInfo(element))
      // A relationship is to-one if its maximum count is 1, whatever the file says here.
      _ = try attributes.boolean("toMany")
      let inverseEntity = attributes.optional("inverseEntity")
      relationship.inverseEntityName = inverseEntity == destination ? nil : inverseEntity
      relationship.editorAttributes = attributes.rest
      return relationship
    }
  }

  private func deleteRule(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> DeleteRule {
    guard let name = attributes.optional("deletionRule") else { return .nullify }
    guard let rule = DeleteRule(xmlName: name) else {
      let names = DeleteRule.allCases.map(\.xmlName).joined(separator: ", ")
      throw .badValue(
        subject: attributes.subject, attribute: "deletionRule", value: name, expected: "one of \(names)")
    }
    return rule
  }
}

extension DeleteRule {
  /// The name that Xcode writes for this rule in a model's XML.
  package var xmlName: String {
    switch self {
    case .noAction: "No Action"
    case .nullify: "Nullify"
    case .cascade: "Cascade"
    case .deny: "Deny"
    }
  }

  init?(xmlName: String) {
    guard let rule = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
    self = rule
  }
}

extension ModelXMLReader {
  /// The indexes of an entity: those written as such, and those in the forms of older Xcode versions.
  func fetchIndexes(_ entity: MarkupElement, of name: String) throws(ModelFileError) -> [FetchIndexDescription] {
    var indexes: [FetchIndexDescription] = []
    for element in entity.children(named: "fetchIndex") { indexes.append(try fetchIndex(element, of: name)) }
    var names = Set(indexes.map(\.name))
    for index in indexedAttributes(entity) + compoundIndexes(entity) where names.insert(index.name).inserted {
      indexes.append(index)
    }
    return indexes
  }

  private func fetchIndex(_ element: MarkupElement, of entity: String) throws(ModelFileError) -> FetchIndexDescription {
    var attributes = ElementAttributes(element, subject: "An index of entity '\(entity)'")
    let name = try located(element) { () throws(ModelFileProblem) in try attributes.required("name") }
    var elements: [FetchIndexElementDescription] = []
    for child in element.children(named: "fetchIndexElement") {
      elements.append(
        try located(child) { () throws(ModelFileProblem) in try indexElement(child, of: "\(entity).\(name)") })
    }
    return FetchIndexDescription(
      name, elements: elements, partialIndexPredicate: attributes.optional("partialIndexPredicate"))
  }

  private func indexElement(
    _ element: MarkupElement, of index: String
  ) throws(ModelFileProblem) -> FetchIndexElementDescription {
    var attributes = ElementAttributes(element, subject: "An element of index '\(index)'")
    let subject: FetchIndexSubject
    switch (attributes.optional("property"), attributes.optional("expression")) {
    case (_, "self"): subject = .instance
    case (_, "entity"): subject = .entity
    case (_, let expression?): subject = .expression(expression)
    case (let property?, nil): subject = .property(property)
    case (nil, nil): throw .missingAttribute(subject: attributes.subject, attribute: "property")
    }
    return FetchIndexElementDescription(
      subject, collationType: try collationType(&attributes), isAscending: try isAscending(&attributes))
  }

  private func collationType(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> FetchIndexElementType {
    switch attributes.optional("type") {
    case nil, "Binary": return .binary
    case "RTree", "R-Tree": return .rTree
    case let type?:
      throw .badValue(subject: attributes.subject, attribute: "type", value: type, expected: "Binary or RTree")
    }
  }

  private func isAscending(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> Bool {
    switch attributes.optional("order") {
    case nil, "ascending": return true
    case "descending": return false
    case let order?:
      throw .badValue(
        subject: attributes.subject, attribute: "order", value: order, expected: "ascending or descending")
    }
  }

  /// `indexed="YES"` compiles to an index with the property's name; transient properties have no column to index.
  private func indexedAttributes(_ entity: MarkupElement) -> [FetchIndexDescription] {
    (entity.children(named: "attribute") + entity.children(named: "relationship"))
      .filter { $0.attributes["indexed"].flatMap { Bool(xcodeText: $0) } == true }
      .filter { $0.attributes["transient"].flatMap { Bool(xcodeText: $0) } != true }
      .compactMap { $0.attributes["name"] }
      .map { FetchIndexDescription($0, properties: [$0]) }
  }

  /// A compound index compiles to an index with its properties' names, joined by `_`.
  private func compoundIndexes(_ entity: MarkupElement) -> [FetchIndexDescription] {
    entity.children(named: "compoundIndexes").flatMap { $0.children(named: "compoundIndex") }
      .map { $0.children(named: "index").compactMap { $0.attributes["value"] } }
      .filter { !$0.isEmpty }
      .map { FetchIndexDescription($0.joined(separator: "_"), properties: $0) }
  }
}

extension ManagedObjectModel {
  /// The model as the file `contents` of an `.xcdatamodel`, in the layout of Xcode.
  ///
  /// Reading the text gives the same model, with the same version hashes.
  ///
  /// - Throws: `ModelFileProblem.unwritableText` if a text contains a control character that XML cannot represent.
  package func xml() throws(ModelFileProblem) -> String {
    let text = ModelXMLWriter.text(of: self)
    if let character = XMLEscaping.forbiddenCharacter(in: text) { throw .unwritableText(character) }
    return text
  }
}

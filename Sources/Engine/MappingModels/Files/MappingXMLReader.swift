internal import CoreDataExpressions
internal import DataModel
internal import PropertyListFormat
internal import XMLStream

/// Reads the entity mappings of an `xcmapping.xml`.
///
/// It follows the mapping model's list, because Xcode leaves deleted objects in the file, even with the same names and
/// numbers.
struct MappingXMLReader {
  struct Model {
    let sourcePath: String?
    let destinationPath: String?
    let entityMappings: [EntityMappingEntry]
  }

  let file: String
  let objects: [MappingObject]
  private var places: [String: Int] = [:]
  /// The places of the objects that the mapping model refers to.
  private var live: Set<Int> = []
  var findings: [MappingModelFinding] = []

  init(_ objects: [MappingObject], file: String) {
    self.objects = objects
    self.file = file
  }

  mutating func mappingModel() throws(MappingModelFileError) -> Model {
    for (place, object) in objects.enumerated() {
      guard places.updateValue(place, forKey: object.identifier) == nil else {
        throw error(.duplicateObject(identifier: object.identifier), object.line)
      }
    }
    let models = objects.filter { $0.type == MappingSchema.mappingModel }
    guard let model = models.first else {
      throw error(.notAMappingModel("it holds no object of type \(MappingSchema.mappingModel)"))
    }
    guard models.count == 1 else { throw error(.severalMappingModels, models[1].line) }
    checkAttributes(of: model, mapping: nil, property: nil)
    let entries = try targets("entitymappings", of: model, MappingSchema.entityMapping).map {
      object throws(MappingModelFileError) in try entityMapping(object)
    }
    let ordered = inOrder(entries)
    reportOrphans(liveNumbers: Set(entries.compactMap(\.number)))
    return Model(
      sourcePath: model.text("sourcemodelpath"), destinationPath: model.text("destinationmodelpath"),
      entityMappings: ordered)
  }

  /// The destinations of a relationship, each once, because to-many relationships are sets.
  mutating func targets(
    _ relationship: String, of object: MappingObject, _ type: String
  ) throws(MappingModelFileError) -> [MappingObject] {
    var (targets, seen): ([MappingObject], Set<Int>) = ([], [])
    for identifier in object.relationships[relationship] ?? [] {
      guard let place = places[identifier], objects[place].type == type else {
        throw error(
          .badReference(object: object.subject, relationship: relationship, identifier: identifier), object.line)
      }
      live.insert(place)
      if seen.insert(place).inserted { targets.append(objects[place]) }
    }
    return targets
  }

  /// Sorts by number; mappings with equal or missing numbers stay in the order of the file.
  private mutating func inOrder(_ entries: [EntityMappingEntry]) -> [EntityMappingEntry] {
    let namesByNumber = Dictionary(grouping: entries.filter { $0.number != nil }, by: { $0.number ?? 0 })
      .mapValues { $0.map(\.name) }
    for (number, names) in namesByNumber.sorted(by: { $0.key < $1.key }) where names.count > 1 {
      findings.append(
        MappingModelFinding(.numberClash(number, others: Array(names.dropFirst())), mapping: names[0]))
    }
    for entry in entries where entry.number == nil {
      findings.append(MappingModelFinding(.missingNumber, mapping: entry.name))
    }
    let order = entries.indices.sorted {
      (entries[$0].number ?? .max, $0) < (entries[$1].number ?? .max, $1)
    }
    return order.map { entries[$0] }
  }

  private mutating func reportOrphans(liveNumbers: Set<Int>) {
    var numbers = liveNumbers
    for (place, object) in objects.enumerated() where !live.contains(place) {
      switch object.type {
      case MappingSchema.mappingModel: break
      case MappingSchema.entityMapping:
        let name =
          object.text("name")
          ?? EntityMappingEntry.defaultName(
            source: object.text("sourcename"), destination: object.text("destinationname"))
        findings.append(MappingModelFinding(.orphanEntityMapping, mapping: name))
        if let number = object.text("mappingnumber").flatMap({ Int($0) }), !numbers.insert(number).inserted {
          findings.append(MappingModelFinding(.orphanNumberClash(number), mapping: name))
        }
      case MappingSchema.attributeMapping, MappingSchema.relationshipMapping:
        let name = object.text("name") ?? object.identifier
        findings.append(MappingModelFinding(.orphanPropertyMapping, property: name))
      default: findings.append(MappingModelFinding(.unknownObject(type: object.type)))
      }
    }
  }

  mutating func report(_ kind: MappingModelFinding.Kind, mapping: String?, property: String? = nil) {
    findings.append(MappingModelFinding(kind, mapping: mapping, property: property))
  }

  func error(_ problem: MappingModelFileProblem, _ line: Int? = nil) -> MappingModelFileError {
    MappingModelFileError(problem, file: file, line: line)
  }

  /// Reports attributes and relationships that Xcode is not known to write.
  private mutating func checkAttributes(of object: MappingObject, mapping: String?, property: String?) {
    let known = MappingSchema.attributes[object.type] ?? [:]
    for (name, attribute) in object.attributes.sorted(by: { $0.key < $1.key }) {
      if let expected = known[name] {
        guard attribute.type != expected else { continue }
        let kind = MappingModelFinding.Kind.unexpectedType(attribute: name, type: attribute.type, expected: expected)
        report(kind, mapping: mapping, property: property)
      } else {
        report(.unknownAttribute(name), mapping: mapping, property: property)
      }
    }
    let relationships = MappingSchema.relationships[object.type] ?? []
    for name in object.relationships.keys.sorted() where !relationships.contains(name) {
      report(.unknownAttribute(name), mapping: mapping, property: property)
    }
  }
}

extension MappingXMLReader {
  mutating func entityMapping(_ object: MappingObject) throws(MappingModelFileError) -> EntityMappingEntry {
    var entry = EntityMappingEntry(
      name: object.text("name"), source: object.text("sourcename"), destination: object.text("destinationname"))
    let name = entry.name
    checkAttributes(of: object, mapping: name, property: nil)
    entry.number = try number(object)
    entry.entityMigrationPolicyClassName = EntityMapping.customPolicy(object.text("migrationpolicyclassname"))
    entry.mappingType = mappingType(object, mapping: name)
    entry.filterPredicate = filterPredicate(object, mapping: name)
    entry.userInfo = userInfo(object, mapping: name)
    let attributes = try targets("attributemappings", of: object, MappingSchema.attributeMapping)
    entry.attributeMappings = try properties(attributes, mapping: name)
    let relationships = try targets("relationshipmappings", of: object, MappingSchema.relationshipMapping)
    entry.relationshipMappings = try properties(relationships, mapping: name)
    return entry
  }

  private func number(_ object: MappingObject) throws(MappingModelFileError) -> Int? {
    guard let attribute = object.attributes["mappingnumber"], !attribute.text.isEmpty else { return nil }
    guard let number = Int16(attribute.text) else {
      throw error(
        .badValue(
          object: object.subject, attribute: "mappingnumber", value: attribute.text,
          expected: "a whole number up to \(Int16.max)"), attribute.line)
    }
    return Int(number)
  }

  private mutating func mappingType(_ object: MappingObject, mapping: String) -> EntityMapping.MappingType? {
    guard let name = object.text("mappingtypename") else { return nil }
    guard let type = MappingSchema.mappingTypeNames[name] else {
      report(.unknownMappingType(name), mapping: mapping)
      return nil
    }
    return type == .undefined ? nil : type
  }

  private mutating func filterPredicate(_ object: MappingObject, mapping: String) -> Predicate? {
    guard let format = object.text("sourcefilterpredicatestring") else { return nil }
    do {
      let predicate = try Predicate(format: format)
      return predicate == .everything ? nil : predicate
    } catch {
      report(.unreadableFilterPredicate("'\(format)': \(error.sentence)"), mapping: mapping)
      return nil
    }
  }

  private mutating func userInfo(_ object: MappingObject, mapping: String) -> [String: String] {
    guard let text = object.text("userinfodata") else { return [:] }
    guard let bytes = [UInt8](base64: text) else {
      report(.unreadableUserInfo("it is not base64"), mapping: mapping)
      return [:]
    }
    do throws(ModelFileProblem) {
      let archive = try UserInfoArchive(archive: bytes)
      for (key, value) in archive.described { report(.userInfoDescribed(key: key, value: value), mapping: mapping) }
      return archive.texts
    } catch {
      report(.unreadableUserInfo(MappingModelFileProblem.text(error)), mapping: mapping)
      return [:]
    }
  }

  /// The property mappings, sorted by name as the compiler does; of two for one property, the last one is used.
  private mutating func properties(
    _ objects: [MappingObject], mapping: String
  ) throws(MappingModelFileError) -> [PropertyMappingEntry] {
    var entries: [String: PropertyMappingEntry] = [:]
    for object in objects {
      guard let name = object.text("name") else {
        throw error(.missingAttribute(object: "\(object.subject) in \(mapping)", attribute: "name"), object.line)
      }
      checkAttributes(of: object, mapping: mapping, property: name)
      let entry = PropertyMappingEntry(name: name, value: try value(object, mapping: mapping, property: name))
      guard entries.updateValue(entry, forKey: name) != nil else { continue }
      report(.duplicateProperty, mapping: mapping, property: name)
    }
    return entries.values.sorted { $0.name.precedesByBytes($1.name) }
  }

  private mutating func value(
    _ object: MappingObject, mapping: String, property: String
  ) throws(MappingModelFileError) -> PropertyMappingEntry.Value {
    if let text = object.text("valueexpressiondata") { return expression(text, mapping: mapping, property: property) }
    guard object.type == MappingSchema.relationshipMapping else { return .autogenerated }
    let (path, name) = (object.text("sourcekeypath"), object.text("sourcemappingname"))
    guard path != nil || name != nil else {
      return try autogenerates(object) ? .autogenerated : .none
    }
    do throws(FormatError) {
      let keyPath: Expression? = if let path { try Expression(format: path) } else { nil }
      return .destinationInstances(entityMappingName: name, keyPath: keyPath)
    } catch {
      report(.unreadableExpression("'\(path ?? "")': \(error.sentence)"), mapping: mapping, property: property)
      return .unreadable
    }
  }

  private func autogenerates(_ object: MappingObject) throws(MappingModelFileError) -> Bool {
    guard let attribute = object.attributes["autogenerateexpression"] else { return true }
    switch attribute.text {
    case "1", "YES", "true", "": return true
    case "0", "NO", "false": return false
    default:
      throw error(
        .badValue(
          object: object.subject, attribute: "autogenerateexpression", value: attribute.text, expected: "0 or 1"),
        attribute.line)
    }
  }

  private mutating func expression(
    _ text: String, mapping: String, property: String
  ) -> PropertyMappingEntry.Value {
    guard let bytes = [UInt8](base64: text) else {
      report(.unreadableExpression("it is not base64"), mapping: mapping, property: property)
      return .unreadable
    }
    do throws(ModelFileProblem) {
      return .expression(try Expression(archive: bytes))
    } catch {
      report(
        .unreadableExpression(MappingModelFileProblem.text(error)), mapping: mapping, property: property)
      return .unreadable
    }
  }
}

/// One object of an `xcmapping.xml`, which is a Core Data store in XML.
struct MappingObject {
  struct Attribute {
    let type: String
    var text: String
    let line: Int
  }

  /// The entity in uppercase: `XDDEVENTITYMAPPING`.
  let type: String
  let identifier: String
  let line: Int
  /// The attributes; those without a value are missing.
  var attributes: [String: Attribute] = [:]
  /// The destinations of each relationship.
  var relationships: [String: [String]] = [:]

  /// The object for messages.
  var subject: String { "the object '\(identifier)' of type \(type)" }

  /// A text that may be missing; an empty one counts as missing.
  func text(_ name: String) -> String? {
    guard let text = attributes[name]?.text, !text.isEmpty else { return nil }
    return text
  }
}

/// Reads the objects of an `xcmapping.xml`.
///
/// Nothing is looked up while reading and each byte is read once, so the time is linear in the size of the file.
struct MappingObjectParser: XMLVisitor {
  typealias Failure = MappingModelFileProblem

  private var path: [String] = []
  private var objects: [MappingObject] = []
  private var object: MappingObject?
  private var attribute: (name: String, value: MappingObject.Attribute)?

  /// Reads a document; the file is only used in errors.
  static func parse(_ bytes: [UInt8], file: String) throws(MappingModelFileError) -> [MappingObject] {
    do {
      return try XMLStreamParser.parse(bytes, with: MappingObjectParser()).objects
    } catch {
      throw MappingModelFileError(error.reason, file: file, line: error.line)
    }
  }

  static func failure(_ error: XMLStreamError, line: Int) -> MappingModelFileProblem {
    .file(ModelFileProblem(error))
  }

  mutating func begin(
    _ name: String, _ attributes: [String: String], line: Int
  ) throws(MappingModelFileProblem) {
    if path.isEmpty, name != "database" {
      throw .notAMappingModel("it begins with <\(name)> instead of <database>")
    }
    path.append(name)
    switch path {
    case ["database", "object"]:
      guard let identifier = attributes["id"], let type = attributes["type"] else {
        throw .missingAttribute(object: "an object", attribute: attributes["id"] == nil ? "id" : "type")
      }
      object = MappingObject(type: type.uppercased(), identifier: identifier, line: line)
    case ["database", "object", "attribute"]: try beginAttribute(attributes, line: line)
    case ["database", "object", "relationship"]: try addRelationship(attributes)
    default: break
    }
  }

  // The object is changed in place, because copying it for each part would be slow.
  private mutating func beginAttribute(
    _ attributes: [String: String], line: Int
  ) throws(MappingModelFileProblem) {
    guard let subject = object?.subject else { return }
    guard let name = attributes["name"] else {
      throw .missingAttribute(object: "an attribute of \(subject)", attribute: "name")
    }
    guard object?.attributes[name] == nil else { throw .repeatedAttribute(object: subject, attribute: name) }
    attribute = (name, MappingObject.Attribute(type: attributes["type"] ?? "", text: "", line: line))
  }

  private mutating func addRelationship(_ attributes: [String: String]) throws(MappingModelFileProblem) {
    guard let subject = object?.subject else { return }
    guard let name = attributes["name"] else {
      throw .missingAttribute(object: "a relationship of \(subject)", attribute: "name")
    }
    guard object?.relationships[name] == nil else { throw .repeatedAttribute(object: subject, attribute: name) }
    let references = (attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    object?.relationships[name] = references
  }

  mutating func append(_ text: String, line: Int) {
    // The copies of the models are in Xcode's own form and make up most of the file.
    guard let name = attribute?.name, name != "sourcemodeldata", name != "destinationmodeldata" else { return }
    attribute?.value.text += text
  }

  mutating func end(line: Int) {
    guard path.popLast() != nil else { return }
    if path.count == 2, let (name, value) = attribute {
      object?.attributes[name] = value
      if value.type == "string" { object?.attributes[name]?.text = MappingStoreText.decoded(value.text) }
      attribute = nil
    } else if path.count == 1, let finished = object {
      objects.append(finished)
      object = nil
    }
  }
}

/// Reads user info: an archived dictionary.
struct UserInfoArchive {
  private(set) var texts: [String: String] = [:]
  /// Descriptions of the values that are not text.
  private(set) var described: [(key: String, value: String)] = []

  /// Reads an archive whose root is the dictionary.
  init(archive bytes: [UInt8]) throws(ModelFileProblem) {
    guard let root = try ModelArchive(bytes).root(subject: "the user info") else {
      throw .notAnArchive("It holds no dictionary.")
    }
    try self.init(root)
  }

  /// Reads an archived dictionary.
  init(_ dictionary: ArchivedObject) throws(ModelFileProblem) {
    guard dictionary.kind(of: ["NSDictionary"]) != nil, let keys = try dictionary.value("NS.keys")?.array,
      let values = try dictionary.value("NS.objects")?.array, keys.count == values.count
    else { throw dictionary.unexpected("NS.keys", "a dictionary") }
    let archive = dictionary.archive
    for (key, reference) in zip(keys, values) {
      guard let name = try archive.text(key) else { throw dictionary.unexpected("NS.keys", "a text for each key") }
      if let text = try archive.text(reference) {
        texts[name] = text
      } else {
        let description = try Self.description(archive.value(reference), archive, reference)
        texts[name] = description
        described.append((name, description))
      }
    }
  }

  private static func description(
    _ value: PropertyList?, _ archive: ModelArchive, _ reference: PropertyList
  ) throws(ModelFileProblem) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let value): value ? "YES" : "NO"
    case nil: ""
    default: "<\(try archive.object(reference, subject: "the user info")?.className ?? "data")>"
    }
  }
}

extension UserInfoArchive {
  /// User info as a keyed archive of a dictionary, sorted by its keys.
  static func bytes(_ userInfo: [String: String]) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let pairs = userInfo.sorted { $0.key.precedesByBytes($1.key) }
    let root = writer.add(["NSMutableDictionary", "NSDictionary"]) { writer in
      let keys = pairs.map { writer.add($0.key) }
      return ["NS.keys": .array(keys), "NS.objects": .array(pairs.map { writer.add($0.value) })]
    }
    return writer.bytes(root: root)
  }
}

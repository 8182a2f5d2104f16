internal import DataModel
internal import Expressions
internal import PropertyList

/// Makes entity mappings of a compiled mapping model.
///
/// What entity mappings have no place for is an error, so that nothing gets lost unseen.
struct CompiledMappingReader {
  private static let mappingKeys: Set = [
    "$class", "NSMappingName", "NSMappingType", "NSSourceEntityName", "NSSourceEntityVersionHash",
    "NSDestinationEntityName", "NSDestinationEntityVersionHash", "NSEntityMigrationPolicyClassName",
    "NSSourceExpression", "NSAttributeMappings", "NSRelationshipMappings", "NSUserInfo",
  ]
  static let propertyKeys: Set = ["$class", "NSDestinationPropertyName", "NSValueExpression"]

  var findings: [MappingModelFinding] = []

  mutating func entityMappings(_ bytes: [UInt8]) throws(MappingModelFileProblem) -> [EntityMappingEntry] {
    do throws(ModelFileProblem) {
      guard let root = try ModelArchive(bytes).root(subject: "the mapping model") else {
        throw .notAnArchive("It holds no object.")
      }
      guard root.kind(of: ["NSMappingModel"]) != nil else {
        return try fail(.notAMappingModel("it holds an object of class \(root.className)"))
      }
      guard try root.value("NSEntityMappings") != nil else { throw root.unexpected("NSEntityMappings", "a list") }
      return try objects("NSEntityMappings", of: root, kind: "NSEntityMapping").enumerated().map {
        (place, object) throws(ModelFileProblem) in try entityMapping(object, number: place + 1)
      }
    } catch {
      throw failure ?? .archive(error)
    }
  }

  /// What is wrong where it is nothing that other archives know.
  private var failure: MappingModelFileProblem?

  mutating func fail<Value>(_ problem: MappingModelFileProblem) throws(ModelFileProblem) -> Value {
    failure = problem
    throw .notAnArchive("")
  }

  func objects(
    _ key: String, of owner: ArchivedObject, kind: String, subject: String? = nil
  ) throws(ModelFileProblem) -> [ArchivedObject] {
    let subject = subject ?? owner.subject
    return try owner.list(key).map { reference throws(ModelFileProblem) in
      guard let object = try owner.archive.object(reference, subject: subject), object.kind(of: [kind]) != nil else {
        throw owner.unexpected(key, "a list of \(kind)")
      }
      return object
    }
  }

  private mutating func entityMapping(
    _ object: ArchivedObject, number: Int
  ) throws(ModelFileProblem) -> EntityMappingEntry {
    var entry = EntityMappingEntry(
      name: try object.optional("NSMappingName"), source: try object.optional("NSSourceEntityName"),
      destination: try object.optional("NSDestinationEntityName"))
    let name = entry.name
    try refuseOthers(object, known: Self.mappingKeys, subject: name)
    entry.number = number
    guard let type = EntityMapping.MappingType(rawValue: try object.integer("NSMappingType")) else {
      throw .badArchivedValue(subject: name, key: "NSMappingType", expected: "a number from 0 to 5")
    }
    entry.mappingType = type
    entry.sourceEntityVersionHash = try hash("NSSourceEntityVersionHash", of: object, mapping: name)
    entry.destinationEntityVersionHash = try hash("NSDestinationEntityVersionHash", of: object, mapping: name)
    entry.entityMigrationPolicyClassName = try object.optional("NSEntityMigrationPolicyClassName")
    entry.filterPredicate = try filterPredicate(object, entry)
    if let dictionary = try object.object("NSUserInfo", subject: name) {
      let userInfo = try UserInfoArchive(dictionary)
      entry.userInfo = userInfo.texts
      for (key, value) in userInfo.described {
        findings.append(MappingModelFinding(.userInfoDescribed(key: key, value: value), mapping: name))
      }
    }
    entry.attributeMappings = try properties("NSAttributeMappings", of: object, mapping: name)
    entry.relationshipMappings = try properties("NSRelationshipMappings", of: object, mapping: name)
    return entry
  }

  /// Refuses what is not known, unless there is nothing in it.
  mutating func refuseOthers(
    _ object: ArchivedObject, known: Set<String>, subject: String
  ) throws(ModelFileProblem) {
    for key in object.fields.keys where !known.contains(key) {
      guard try object.value(key) != nil else { continue }
      let _: Void = try fail(
        .unrepresentable(subject: subject, key: key, reason: "a mapping model has no place for it here"))
    }
  }

  private func hash(
    _ key: String, of object: ArchivedObject, mapping: String
  ) throws(ModelFileProblem) -> VersionHash? {
    guard let value = try object.value(key) else { return nil }
    guard let bytes = value.data ?? value["NS.data"]?.data, bytes.count == 32 else {
      throw .badArchivedValue(subject: mapping, key: key, expected: "data of 32 bytes")
    }
    return VersionHash(bytes: bytes)
  }
}

package import CoreDataExpressions
package import DataModel
internal import PropertyListFormat

/// Reads the entity mappings of a compiled mapping model.
///
/// Content that entity mappings cannot hold is an error, so that nothing is lost silently.
struct CompiledMappingReader {
  private static let mappingKeys: Set = [
    "$class", "NSMappingName", "NSMappingType", "NSSourceEntityName", "NSSourceEntityVersionHash",
    "NSDestinationEntityName", "NSDestinationEntityVersionHash", "NSEntityMigrationPolicyClassName",
    "NSSourceExpression", "NSAttributeMappings", "NSRelationshipMappings", "NSUserInfo",
  ]
  private static let propertyKeys: Set = ["$class", "NSDestinationPropertyName", "NSValueExpression"]

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
      throw failure ?? .file(error)
    }
  }

  /// The problem, if it is specific to mapping models.
  private var failure: MappingModelFileProblem?

  private mutating func fail<Value>(_ problem: MappingModelFileProblem) throws(ModelFileProblem) -> Value {
    failure = problem
    throw .notAnArchive("")
  }

  func objects(
    _ key: String, of owner: ArchivedObject, kind: String, subject: String? = nil
  ) throws(ModelFileProblem) -> [ArchivedObject] {
    let objects = try owner.objects(key, "a list of \(kind)", subject: subject)
    guard objects.allSatisfy({ $0.kind(of: [kind]) != nil }) else {
      throw owner.unexpected(key, "a list of \(kind)")
    }
    return objects
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
    entry.entityMigrationPolicyClassName = EntityMapping.customPolicy(
      try object.optional("NSEntityMigrationPolicyClassName"))
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

  /// Refuses unknown fields that have a value.
  private mutating func refuseOthers(
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

extension CompiledMappingReader {
  mutating func properties(
    _ key: String, of owner: ArchivedObject, mapping: String
  ) throws(ModelFileProblem) -> [PropertyMappingEntry] {
    var entries: [String: PropertyMappingEntry] = [:]
    for object in try objects(key, of: owner, kind: "NSPropertyMapping", subject: mapping) {
      guard let name = try object.optional("NSDestinationPropertyName") else {
        throw object.unexpected("NSDestinationPropertyName", "a text")
      }
      try refuseOthers(object, known: Self.propertyKeys, subject: "\(mapping), \(name)")
      let entry = PropertyMappingEntry(name: name, value: try value(object, mapping: mapping, property: name))
      if entries.updateValue(entry, forKey: name) != nil {
        findings.append(MappingModelFinding(.duplicateProperty, mapping: mapping, property: name))
      }
    }
    return entries.values.sorted { $0.name.precedesByBytes($1.name) }
  }

  private mutating func value(
    _ object: ArchivedObject, mapping: String, property: String
  ) throws(ModelFileProblem) -> PropertyMappingEntry.Value {
    guard let archived = try object.object("NSValueExpression", subject: "\(mapping), \(property)") else {
      return .none
    }
    do throws(ModelFileProblem) {
      return .expression(try ExpressionArchiveReader().expression(archived))
    } catch {
      if case .archiveTooComplex = error { throw error }
      let reason = MappingModelFileProblem.text(error)
      findings.append(MappingModelFinding(.unreadableExpression(reason), mapping: mapping, property: property))
      return .unreadable
    }
  }

  /// Extracts the filter from the expression that fetches the source instances, which holds nothing else:
  /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", entity, predicate), …)`.
  mutating func filterPredicate(
    _ object: ArchivedObject, _ entry: EntityMappingEntry
  ) throws(ModelFileProblem) -> Predicate? {
    let key = "NSSourceExpression"
    guard let archived = try object.object(key, subject: entry.name) else {
      // Without it nothing would be fetched.
      guard entry.sourceEntityName == nil || entry.mappingType == .remove else {
        throw .badArchivedValue(subject: entry.name, key: key, expected: "an expression")
      }
      return nil
    }
    let expression = try ExpressionArchiveReader().expression(archived)
    guard case .fetch(let request, .keyPath(.variable("manager"), [.key("sourceContext")]), false) = expression,
      case .function(.variable("manager")?, "fetchRequestForSourceEntityNamed:predicateString:", let arguments) =
        request,
      arguments.count == 2, case .constant(.string(let entity)) = arguments[0],
      case .constant(.string(let format)) = arguments[1], entity == entry.sourceEntityName
    else { return try fail(.unrepresentable(subject: entry.name, key: key, reason: "'\(expression)'")) }
    do {
      let predicate = try Predicate(format: format)
      return predicate == .everything ? nil : predicate
    } catch {
      let reason = "'\(format)': \(error.sentence)"
      findings.append(MappingModelFinding(.unreadableFilterPredicate(reason), mapping: entry.name))
      return nil
    }
  }
}

extension Expression {
  /// Reads an archived expression: a keyed archive of an `NSExpression`.
  package init(archive bytes: [UInt8]) throws(ModelFileProblem) {
    guard let root = try ModelArchive(bytes).root(subject: "the expression") else {
      throw .notAnArchive("It holds no object.")
    }
    self = try ExpressionArchiveReader().expression(root)
  }
}

package import CoreDataExpressions
package import DataModel
internal import PropertyListFormat

/// Makes entity mappings of a compiled mapping model.
///
/// What entity mappings have no place for is an error, so that nothing gets lost unseen.
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

  /// What is wrong where it is nothing that other archives know.
  private var failure: MappingModelFileProblem?

  private mutating func fail<Value>(_ problem: MappingModelFileProblem) throws(ModelFileProblem) -> Value {
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

  /// Takes the filter out of the expression that fetches the source instances, which says nothing else:
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

/// Reads archived expressions object by object, without a detour by their text, which would lose types: `2.0` is `2`
/// there, and `YES` is `1`.
struct ExpressionArchiveReader {
  static let castSelector = "castObject:toType:"

  private let depth: Int

  init(depth: Int = 0) { self.depth = depth }

  func expression(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard depth < ArchivedExpression.depthLimit else {
      throw .archiveTooComplex(limit: ArchivedExpression.depthLimit)
    }
    switch try ArchivedExpression(object) {
    case .evaluatedObject: return .evaluatedObject
    case .variable(let name): return .variable(name)
    case .constant: return try ArchivedConstant.expression(object)
    case .keyPathSpecifier(let path):
      guard let path = [KeyPathComponent](keyPath: path) else { throw object.unexpected("NSKeyPath", "a key path") }
      return .keyPath(.evaluatedObject, path)
    case .keyPath(let operand, let arguments):
      guard case .keyPath(.evaluatedObject, let path)? = try parts(arguments).first else {
        throw object.unexpected("NSArguments", "a key path")
      }
      return .keyPath(try operand.map(part) ?? .evaluatedObject, path)
    case .function(let selector, let operand, let arguments): return try function(selector, operand, parts(arguments))
    case .aggregate(let elements): return .aggregate(try parts(elements))
    case .fetch(let request, let context, let onlyCounts):
      return .fetch(request: try part(request), context: try part(context), countOnly: onlyCounts)
    }
  }

  private func part(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    try ExpressionArchiveReader(depth: depth + 1).expression(object)
  }

  private func parts(_ objects: [ArchivedObject]) throws(ModelFileProblem) -> [Expression] {
    try objects.map { object throws(ModelFileProblem) in try part(object) }
  }

  private func function(
    _ selector: String, _ operand: ArchivedObject?, _ arguments: [Expression]
  ) throws(ModelFileProblem) -> Expression {
    guard let operand, try operand.optional("NSConstantValueClassName") != ArchivedExpression.functionsClass else {
      return Self.builtIn(selector, arguments)
    }
    return .function(target: try part(operand), selector: selector, arguments: arguments)
  }

  /// A function of the format language, in the form that the parser gives it.
  private static func builtIn(_ selector: String, _ arguments: [Expression]) -> Expression {
    if arguments.count == 2, let symbol = ArithmeticOperator(selector: selector) {
      return .arithmetic(symbol, arguments[0], arguments[1])
    }
    if arguments.count == 2, selector == castSelector, case .constant(.string(let type)) = arguments[1] {
      return .cast(arguments[0], type: type)
    }
    return .function(target: nil, selector: selector, arguments: arguments)
  }
}

/// The values of archived constants.
private enum ArchivedConstant {
  static func expression(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    if let text = try object.archive.text(object.fields["NSConstantValue"]) { return .constant(.string(text)) }
    switch try object.value("NSConstantValue") {
    case .integer(let number): return .constant(.integer(number))
    case .boolean(let value): return .constant(.boolean(value))
    case .real(let number): return .constant(.real(number))
    case .date(let seconds): return date(seconds)
    case nil:
      // A class is no value, only the owner of functions.
      if let name = try object.optional("NSConstantValueClassName") { throw unsupported(object, "class \(name)") }
      return .null
    default: return try value(object)
    }
  }

  /// A constant of a class that is archived as an object.
  private static func value(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard let constant = try object.object("NSConstantValue") else {
      throw unsupported(object, "a constant")
    }
    switch constant.kind(of: ["NSNull", "NSDate"]) {
    case "NSNull": return .null
    case "NSDate":
      guard let seconds = try constant.value("NS.time")?.real else { throw constant.unexpected("NS.time", "a number") }
      return date(seconds)
    default: throw unsupported(object, constant.className)
    }
  }

  private static func date(_ seconds: Double) -> Expression { .cast(.constant(.real(seconds)), type: "NSDate") }

  private static func unsupported(_ object: ArchivedObject, _ className: String) -> ModelFileProblem {
    .unsupportedExpression(subject: object.subject, className: className)
  }
}

internal import CoreDataExpressions
internal import PropertyListFormat

extension ModelArchiver {
  /// Adds a predicate from its format, which may be missing.
  private mutating func addPredicate(_ text: String?, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    guard let text else { return KeyedArchiveWriter.null }
    guard let predicate = try? Predicate(format: text) else {
      throw .unarchivable(subject: subject, part: "the predicate '\(text)'")
    }
    return try add(predicate, subject)
  }

  /// Adds a predicate, if its archived form is known from Apple's archives.
  mutating func add(_ predicate: Predicate, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    switch predicate {
    case .not(let part): return try addCompound(0, [part], subject)
    case .and(let parts): return try addCompound(1, parts, subject)
    case .or(let parts): return try addCompound(2, parts, subject)
    case .comparison(let comparison):
      guard comparison.modifier == .direct, let fields = Self.fields(of: comparison) else { break }
      let (left, right) = (try add(comparison.left, subject), try add(comparison.right, subject))
      var operatorFields = fields.fields
      operatorFields["NSModifier"] = .integer(0)
      let comparisonOperator = archive.add(fields.archivedClass, operatorFields)
      return archive.add(
        .comparisonPredicate,
        ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": comparisonOperator])
    case .constant: break
    }
    throw .unarchivable(subject: subject, part: "the predicate '\(predicate)'")
  }

  private mutating func addCompound(
    _ type: Int64, _ predicates: [Predicate], _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    var parts: [PropertyList] = []
    for predicate in predicates { parts.append(try add(predicate, subject)) }
    return archive.add(
      .compoundPredicate, ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": archive.add(.array, parts)])
  }

  /// Each kind of operator has its own class; the numbers are those of `NSComparisonPredicate.Operator`.
  private static func fields(
    of comparison: Comparison
  ) -> (archivedClass: ArchivedClass, fields: PropertyListDictionary)? {
    let options = comparison.options
    switch comparison.comparisonOperator {
    case .equal where options.isEmpty:
      return (
        .equalityOperator, ["NSOperatorType": .integer(4), "NSOptions": .integer(0), "NSNegate": .boolean(false)]
      )
    case .lessThan where options.isEmpty: return ordering(0)
    case .lessThanOrEqual where options.isEmpty: return ordering(1)
    case .greaterThan where options.isEmpty: return ordering(2)
    case .greaterThanOrEqual where options.isEmpty: return ordering(3)
    case .contains where options.subtracting([.caseInsensitive, .diacriticInsensitive]).isEmpty:
      return (.inOperator, ["NSOperatorType": .integer(99), "NSFlags": .integer(Int64(options.rawValue))])
    default: return nil
    }
  }

  private static func ordering(_ type: Int64) -> (ArchivedClass, PropertyListDictionary) {
    (
      .comparisonOperator,
      ["NSOperatorType": .integer(type), "NSVariant": .integer(type), "NSOptions": .integer(0)]
    )
  }

  // MARK: - Expressions

  /// Adds an expression, if its archived form is known from Apple's archives.
  mutating func add(_ expression: Expression, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    switch expression {
    case .evaluatedObject: return addInstance()
    case .variable(let name):
      return archive.add(
        .variableExpression, ["NSExpressionType": .integer(2), "NSVariable": archive.add(name)])
    case .constant(.integer(let number)): return addConstant(archive.add(.integer(number)))
    case .constant(.string(let text)): return addConstant(archive.add(text))
    case .keyPath(.evaluatedObject, let path) where path.count == 1:
      return try addKeyPath(path, of: addInstance(), type: 3, selector: "valueForKey:", expression, subject)
    case .keyPath(.evaluatedObject, let path):
      return try addKeyPath(path, of: addInstance(), type: 3, selector: "valueForKeyPath:", expression, subject)
    case .keyPath(.variable(let name), let path) where path.allSatisfy(\.isKey):
      let operand = try add(Expression.variable(name), subject)
      return try addKeyPath(path, of: operand, type: 4, selector: "valueForKeyPath:", expression, subject)
    case .function(nil, let selector, let arguments) where arguments.count == 1 && Self.functions.contains(selector):
      let argument = try add(arguments[0], subject)
      return addFunction(selector, archive.add(.array, [argument]))
    case .function(nil, "now", []): return addFunction("now", archive.add(.array, []))
    default: throw .unarchivable(subject: subject, part: "the expression '\(expression)'")
    }
  }

  /// Functions of one argument.
  private static let functions: Set = [
    "average:", "canonical:", "count:", "lowercase:", "max:", "min:", "sum:", "uppercase:",
  ]

  private mutating func addInstance() -> PropertyList {
    if let instance { return instance }
    let reference = archive.add(.selfExpression, ["NSExpressionType": .integer(1)])
    instance = reference
    return reference
  }

  private mutating func addConstant(_ value: PropertyList) -> PropertyList {
    archive.add(.constantExpression, ["NSExpressionType": .integer(0), "NSConstantValue": value])
  }

  private mutating func addKeyPath(
    _ path: [KeyPathComponent], of operand: PropertyList, type: Int64, selector: String, _ expression: Expression,
    _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    guard let text = path.keyPathText else {
      throw .unarchivable(subject: subject, part: "the expression '\(expression)'")
    }
    let specifier = archive.add(
      .keyPathSpecifier,
      ["NSExpressionType": .integer(10), "NSKeyPath": archive.add(text)])
    return archive.add(
      .keyPathExpression,
      [
        "NSExpressionType": .integer(type), "NSOperand": operand, "NSSelectorName": archive.add(selector),
        "NSArguments": archive.add(.mutableArray, [specifier]),
      ])
  }

  /// The functions of the format language belong to a class of Foundation.
  private mutating func addFunction(_ selector: String, _ arguments: PropertyList) -> PropertyList {
    let owner = archive.add(
      .constantExpression,
      [
        "NSExpressionType": .integer(0),
        "NSConstantValueClassName": archive.add(ExpressionArchiveReader.functionsClass),
      ])
    return archive.add(
      .functionExpression,
      [
        "NSExpressionType": .integer(4), "NSOperand": owner, "NSSelectorName": archive.add(selector),
        "NSArguments": arguments,
      ])
  }

  // MARK: - Fetch requests

  /// The fields of a fetched property.
  mutating func fields(
    _ property: FetchedPropertyDescription, of entity: EntityDescription
  ) throws(ModelFileProblem) -> PropertyListDictionary {
    var fields = fields(property, of: entity, also: .isReadOnly)
    fields["NSFetchRequest"] = try add(property.fetchRequest, "Fetched property '\(entity.name).\(property.name)'")
    fields["_NSFetchRequestEntityName"] = archive.add(property.fetchRequest.entityName)
    return fields
  }

  private mutating func add(
    _ request: FetchRequestDescription, _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    guard let entity = entities[request.entityName] else {
      throw .unarchivable(subject: subject, part: "a fetch of the unknown entity '\(request.entityName)'")
    }
    let null = KeyedArchiveWriter.null
    var fields: PropertyListDictionary = [
      "NSEntity": entity, "NSPredicate": try addPredicate(request.predicate, subject), "NSSortDescriptors": null,
      "NSFetchLimit": .integer(0), "NSFetchOffset": .integer(0), "NSBatchSize": .integer(0),
      "NSResultType": .integer(0), "NSAllocationType": .integer(0), "NSHasFetchRequestFlags": .boolean(true),
      // The value for a request with default settings.
      "NSFetchRequestFlags": .integer(30),
      "NSValuesToFetch": null, "NSValuesToGroupBy": null, "NSHavingPredicate": null,
      "NSRelationshipKeyPathsForPrefetching": null,
    ]
    for (name, text) in request.editorAttributes {
      guard let key = Self.numberKeys[name], let number = Int64(text), number >= 0 else {
        throw .unarchivable(subject: subject, part: "a fetch with \(name)=\"\(text)\"")
      }
      fields[key] = .integer(number)
    }
    return archive.add(.fetchRequest, fields)
  }

  private static let numberKeys = ["fetchLimit": "NSFetchLimit", "fetchBatchSize": "NSBatchSize"]

  // MARK: - Indexes

  /// The indexes that an entity declares.
  mutating func addFetchIndexes(
    of entity: EntityDescription, _ entityReference: PropertyList
  ) throws(ModelFileProblem) -> PropertyList {
    var indexes: [PropertyList] = []
    for index in entity.fetchIndexes {
      guard !index.name.isEmpty else {
        throw .unarchivable(subject: "Entity '\(entity.name)'", part: "an index without a name")
      }
      indexes.append(try add(index, of: entityReference, subject: "Index '\(entity.name).\(index.name)'"))
    }
    return archive.add(.mutableArray, indexes)
  }

  private mutating func add(
    _ index: FetchIndexDescription, of entity: PropertyList, subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    let reference = archive.reserve()
    var elements: [PropertyList] = []
    for element in index.elements {
      // Expressions are archived in a class that has not been seen completely.
      guard let name = element.propertyName else {
        throw .unarchivable(subject: subject, part: "an element that is not a property")
      }
      elements.append(
        archive.add(
          .fetchIndexElement,
          [
            "NSPropertyName": archive.add(name), "NSAscending": .boolean(element.isAscending),
            "NSFetchIndexElementType": .integer(Int64(element.collationType.rawValue)),
            "NSFetchIndexDescription": reference,
          ]))
    }
    let predicate = try addPredicate(index.partialIndexPredicate, subject)
    archive.fill(
      reference, .fetchIndex,
      [
        "NSIndexName": archive.add(index.name), "NSEntity": entity, "NSIndexElements": archive.add(.array, elements),
        "NSPartialIndexPredicate": predicate,
      ])
    return reference
  }
}

extension KeyPathComponent {
  /// Whether this is a key and not an operator.
  fileprivate var isKey: Bool { if case .key = self { true } else { false } }
}

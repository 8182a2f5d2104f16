internal import DataModel

extension NamedModel {
  /// The model as subclasses of `NSManagedObject`, as Xcode generates them.
  package var managedObjectSource: ClassSource { ManagedObjectSource(self).source }
}

/// Writes the classes of a model as Xcode does, all in one file: properties, fetch requests and accessors.
private struct ManagedObjectSource {
  private let model: NamedModel
  /// The classes of the entities.
  private let classNames: [String: String]
  /// The entities whose class is that of another one, too.
  private let sharing: Set<String>

  init(_ model: NamedModel) {
    self.model = model
    let entities = model.model.entities
    let byClass = Dictionary(grouping: entities) { $0.className ?? $0.name }
    sharing = Set(byClass.values.filter { $0.count > 1 }.flatMap(\.self).map(\.name))
    let sharing = sharing
    classNames = Dictionary(
      entities.map { ($0.name, sharing.contains($0.name) ? $0.name : $0.className ?? $0.name) },
      uniquingKeysWith: { first, _ in first })
  }

  var source: ClassSource {
    var source = ClassSource(of: model.name, imports: ["CoreData", "Foundation"])
    for entity in model.model.entitiesParentsFirst { write(entity, to: &source) }
    return source
  }

  private func write(_ entity: EntityDescription, to source: inout ClassSource) {
    let name = className(entity.name)
    let superclass = entity.superentityName.map { className($0) } ?? "NSManagedObject"
    source.line()
    if sharing.contains(entity.name) {
      source.remark(
        "'\(entity.name)'", "several entities have the class '\(entity.className ?? name)'; here, each has its own")
    }
    if !SwiftNames.canSay(entity.name) { source.remark("'\(entity.name)'", "Swift has no name '\(entity.name)'") }
    if SwiftNames.isPlain(name) { source.line("@objc(\(name))") }
    source.block("public class \(name): \(superclass)") { _ in }
    source.line()
    source.block("extension \(name)") { source in
      source.block("@nonobjc public class func fetchRequest() -> NSFetchRequest<\(name)>") {
        $0.line("NSFetchRequest<\(name)>(entityName: \(SwiftNames.quoted(entity.name)))")
      }
      let properties = properties(of: entity)
      if !properties.isEmpty { source.line() }
      for (property, type) in properties {
        if !SwiftNames.canSay(property) {
          source.remark("'\(entity.name).\(property)'", "Swift has no name '\(property)'; Core Data will not find it")
        }
        source.line("@NSManaged public var \(SwiftNames.identifier(property)): \(type)")
      }
    }
    for relationship in entity.ownRelationships where relationship.isToMany && SwiftNames.isPlain(relationship.name) {
      source.line()
      source.comment("MARK: Generated accessors for \(relationship.name)")
      source.block("extension \(name)") { writeAccessors(relationship, to: &$0) }
    }
    guard entity.superentityName == nil else { return }
    source.line()
    source.block("extension \(name): Identifiable") { _ in }
  }

  private func className(_ entity: String) -> String { SwiftNames.identifier(classNames[entity] ?? entity) }

  private func properties(of entity: EntityDescription) -> [(name: String, type: String)] {
    let all =
      entity.ownDeclaredAttributes.map { ($0.name, type(of: $0)) }
      + entity.ownRelationships.map { relationship in
        let many = relationship.isOrdered ? "NSOrderedSet?" : "NSSet?"
        return (relationship.name, relationship.isToMany ? many : "\(className(relationship.destinationEntityName))?")
      } + entity.ownFetchedProperties.map { ($0.name, "[\(className($0.fetchRequest.entityName))]?") }
    return all.sorted { $0.0.precedesByBytes($1.0) }
  }

  /// The type that Xcode gives a property: scalars are never optional, and objects always are.
  private func type(of attribute: AttributeDescription) -> String {
    // Only Xcode's files say which numbers are scalars; without a word, older ones mean objects.
    let scalar = attribute.editorAttributes["usesScalarValueType"]
    let isScalar = scalar.map { $0 == "YES" } ?? (model.precision == .compiled)
    let number = isScalar ? nil : "NSNumber?"
    switch attribute.type {
    case .integer16: return number ?? "Int16"
    case .integer32: return number ?? "Int32"
    case .integer64: return number ?? "Int64"
    case .double: return number ?? "Double"
    case .float: return number ?? "Float"
    case .boolean: return number ?? "Bool"
    case .date: return scalar == "YES" ? "TimeInterval" : "Date?"
    case .decimal: return "NSDecimalNumber?"
    case .string: return "String?"
    case .binaryData: return "Data?"
    case .uuid: return "UUID?"
    case .uri: return "URL?"
    case .objectID: return "NSManagedObjectID?"
    case .composite: return "[String: Any]?"
    case .undefined, .transformable:
      let name = attribute.editorAttributes["customClassName"] ?? "NSObject"
      return "\(Self.isType(name) ? name : "NSObject")?"
    }
  }

  /// Whether a class that the model names can stand in source: `UIColor`, `[String]`, `[String: Any]`.
  private static func isType(_ name: String) -> Bool {
    let parts = name.split(omittingEmptySubsequences: true) { "[]:.<>, ".contains($0) }
    return !parts.isEmpty && parts.allSatisfy { SwiftNames.isPlain(String($0)) }
      && name.count { $0 == "[" } == name.count { $0 == "]" } && name.count { $0 == "<" } == name.count { $0 == ">" }
  }

  // MARK: - Accessors

  private func writeAccessors(_ relationship: RelationshipDescription, to source: inout ClassSource) {
    let destination = className(relationship.destinationEntityName)
    let name = relationship.name
    let capital = name.prefix(1).uppercased() + name.dropFirst()
    var accessors: [(selector: String, function: String)] = []
    if relationship.isOrdered {
      accessors = [
        ("insertObject:in\(capital)AtIndex:", "insertInto\(capital)(_ value: \(destination), at idx: Int)"),
        ("removeObjectFrom\(capital)AtIndex:", "removeFrom\(capital)(at idx: Int)"),
        ("insert\(capital):atIndexes:", "insertInto\(capital)(_ values: [\(destination)], at indexes: NSIndexSet)"),
        ("remove\(capital)AtIndexes:", "removeFrom\(capital)(at indexes: NSIndexSet)"),
        ("replaceObjectIn\(capital)AtIndex:withObject:", "replace\(capital)(at idx: Int, with value: \(destination))"),
        (
          "replace\(capital)AtIndexes:with\(capital):",
          "replace\(capital)(at indexes: NSIndexSet, with values: [\(destination)])"
        ),
      ]
    }
    let set = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
    accessors += [
      ("add\(capital)Object:", "addTo\(capital)(_ value: \(destination))"),
      ("remove\(capital)Object:", "removeFrom\(capital)(_ value: \(destination))"),
      ("add\(capital):", "addTo\(capital)(_ values: \(set))"),
      ("remove\(capital):", "removeFrom\(capital)(_ values: \(set))"),
    ]
    for (place, accessor) in accessors.enumerated() {
      if place > 0 { source.line() }
      source.line("@objc(\(accessor.selector))")
      source.line("@NSManaged public func \(accessor.function)")
    }
  }
}

internal import DataModel

/// Writes one entity as a `@Model` class.
struct SwiftDataClass {
  private let model: ManagedObjectModel
  private let entity: EntityDescription
  private let names: SwiftNames
  private let members: [SwiftDataMember]
  private let inherited: [SwiftDataMember]
  private let name: String

  init(
    _ model: ManagedObjectModel, _ entity: EntityDescription, _ names: SwiftNames, _ composites: SwiftDataComposites
  ) {
    (self.model, self.entity, self.names) = (model, entity, names)
    let members = { (entity: EntityDescription) in
      SwiftDataMembers(model: model, entity: entity, names: names, composites: composites).all
    }
    self.members = members(entity)
    let ancestors = model.lineage(of: entity.name).dropFirst().reversed()
    inherited = ancestors.compactMap { model.entity(named: $0) }.flatMap(members)
    name = SwiftNames.identifier(entity.name)
  }

  func write(isNested: Bool, to source: inout ClassSource) {
    writeRemarks(to: &source)
    let superclass = entity.superentityName.map { ": \(SwiftNames.identifier($0))" } ?? ""
    if !isNested, !superclass.isEmpty { source.line(SwiftDataSource.availability) }
    source.line("@\(names.library("Model"))")
    source.block("\(entity.subentityNames.isEmpty ? "final " : "")class \(name)\(superclass)") { source in
      writeUniqueness(to: &source)
      writeIndexes(to: &source)
      for member in members {
        for problem in member.problems {
          source.remark("'\(entity.name).\(member.propertyName)'", problem.text, problem.effect)
        }
        if let declaration = member.declaration { source.line(declaration) }
      }
      for property in entity.ownFetchedProperties {
        let condition = property.fetchRequest.predicate.map { " where \($0)" } ?? ""
        source.remark(
          "'\(entity.name).\(property.name)'",
          "SwiftData has no fetched properties; '\(property.name)' fetches "
            + "'\(property.fetchRequest.entityName)'\(condition)")
      }
      writeInitializer(to: &source)
    }
  }

  private func writeRemarks(to source: inout ClassSource) {
    let (name, place) = (entity.name, "'\(entity.name)'")
    if !SwiftNames.canSay(name) { source.remark(place, "Swift has no name '\(name)'", .differs) }
    if SwiftNames.misread.contains(name) {
      source.remark(place, "Swift may take the name '\(name)' for something else, and not compile this")
    }
    if entity.isAbstract { source.remark(place, "SwiftData has no abstract entities", .differs) }
    if entity.superentityName != nil {
      source.remark(place, "it is not known how SwiftData hashes subclasses", .mayDiffer)
    }
    if entity.renamingIdentifier != entity.name {
      source.remark(
        place,
        "SwiftData cannot rename entities; it was '\(entity.renamingIdentifier)', whose rows a stage would delete")
    }
    if let modifier = entity.versionHashModifier {
      source.remark(place, "SwiftData has no hash modifiers of entities ('\(modifier)')", .differs)
    }
    if let className = entity.className, className != entity.name {
      source.remark(place, "SwiftData names an entity after its class, which is '\(className)' in the model")
    }
    if let userInfo = entity.userInfo.withoutOwnEntries.comparedText {
      source.remark(place, "SwiftData has no user info (\(userInfo))")
    }
  }

  // MARK: - Constraints and indexes

  /// Constraints of one attribute stand at the attribute.
  private func writeUniqueness(to source: inout ClassSource) {
    let own = Set(entity.ownDeclaredAttributes.map(\.name))
    var lists: [String] = []
    for constraint in entity.uniquenessConstraints {
      if constraint.count == 1, own.contains(constraint[0]) { continue }
      if let list = keyPaths(constraint) {
        lists.append(list)
      } else {
        source.remark(
          "'\(entity.name)'", "SwiftData cannot express the constraint '\(constraint.joined(separator: ", "))'",
          .differs)
      }
    }
    if !lists.isEmpty {
      source.comment("#Unique needs iOS 18 or macOS 15.")
      source.line("#\(names.library("Unique"))<\(name)>(\(lists.joined(separator: ", ")))")
    }
  }

  private func writeIndexes(to source: inout ClassSource) {
    let isTyped = entity.fetchIndexes.contains { $0.elements.first?.collationType == .rTree }
    var lists: [String] = []
    var renamed: [String] = []
    for index in entity.fetchIndexes {
      let properties = index.elements.compactMap(\.propertyName)
      let kind = index.elements.first?.collationType
      guard index.partialIndexPredicate == nil, properties.count == index.elements.count, !properties.isEmpty,
        index.elements.allSatisfy({ $0.isAscending && $0.collationType == kind }), let list = keyPaths(properties)
      else {
        source.remark("'\(entity.name)'", "SwiftData cannot express the index '\(index.name)'")
        continue
      }
      lists.append(isTyped ? "\(kind == .rTree ? ".rtree" : ".binary")(\(list))" : list)
      if index.name != "SwiftDataIndexOnBinary\(properties.joined())" { renamed.append("'\(index.name)'") }
    }
    guard !lists.isEmpty else { return }
    if !renamed.isEmpty {
      source.remark(
        "'\(entity.name)'", "SwiftData names indexes itself; in the model, they are \(renamed.joined(separator: ", "))")
    }
    source.comment("#Index needs iOS 18 or macOS 15.")
    source.line("#\(names.library("Index"))<\(name)>(\(lists.joined(separator: ", ")))")
  }

  /// The key paths of properties; `nil` if one is not a property of the class.
  private func keyPaths(_ properties: [String]) -> String? {
    let known = Set(
      entity.attributes.filter { $0.compositeName == nil }.map(\.name) + entity.composites.map(\.name)
        + entity.relationships.map(\.name))
    guard properties.allSatisfy({ known.contains($0) }) else { return nil }
    return "[\(properties.map { "\\.\(SwiftNames.identifier($0))" }.joined(separator: ", "))]"
  }

  // MARK: - Initializer

  private func writeInitializer(to source: inout ClassSource) {
    let own = members.filter { $0.parameter != nil }
    let passed = inherited.filter { $0.parameter != nil }
    let parameters = (passed + own).compactMap(\.parameter)
    // Without parameters of its own, it has the superclass's signature.
    let isOverride = entity.superentityName != nil && own.isEmpty
    if !members.isEmpty { source.line() }
    let head = isOverride ? "override init" : "init"
    let body = { (source: inout ClassSource) in
      for member in own { source.line("self.\(member.name) = \(member.name)") }
      guard entity.superentityName != nil else { return }
      source.list("super.init(", passed.map(\.argument), ")")
    }
    source.list("\(head)(", parameters, ") {")
    source.indented(body)
    source.line("}")
  }
}

extension [String: String] {
  /// The user info without what the command itself records in the models of Swift source.
  var withoutOwnEntries: [String: String] { filter { !$0.key.hasPrefix("tracks-migrate.") } }
}

extension EntityDescription {
  /// The name of the class, without its module; `nil` if the model names none.
  var className: String? {
    let name = managedObjectClassName?.split(separator: ".").last.map(String.init)
    return name == "NSManagedObject" ? nil : name
  }
}

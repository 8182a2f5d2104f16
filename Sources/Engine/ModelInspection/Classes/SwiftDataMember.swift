internal import DataModel

/// One property of a `@Model` class.
struct SwiftDataMember {
  typealias Problem = (text: String, effect: ClassSource.HashEffect)

  /// The name in the model.
  let propertyName: String
  /// The name, as Swift writes it.
  let name: String
  /// The attached macro, with a space behind it.
  fileprivate(set) var macro = ""
  /// The type; `nil` for a property that is left out.
  fileprivate(set) var type: String?
  /// The initial value.
  fileprivate(set) var initialValue: String?
  /// Whether the property is part of the schema.
  fileprivate(set) var isInSchema = true
  /// The parts that it cannot express.
  fileprivate(set) var problems: [Problem] = []

  fileprivate init(_ property: some PropertyDescription, _ names: SwiftNames) {
    propertyName = property.name
    name = SwiftNames.identifier(property.name)
    if !SwiftNames.canSay(property.name) {
      problems.append(("Swift has no name '\(property.name)'", .differs))
    } else if Self.reserved.contains(property.name) {
      problems.append(("SwiftData uses the name '\(property.name)' itself; rename it, with 'originalName'", .none))
    } else if SwiftNames.misread.contains(property.name) || names.entities.contains(property.name) {
      problems.append(("Swift may take the name '\(property.name)' for something else, and not compile this", .none))
    }
  }

  /// Members of every `@Model` class, and the name that SwiftData refuses for attributes.
  private static let reserved: Set<String> = [
    "description", "hasChanges", "isDeleted", "modelContext", "persistentBackingData", "persistentModelID",
  ]

  /// The declaration, without its problems.
  var declaration: String? {
    type.map { "\(macro)var \(name): \($0)" + (initialValue.map { " = \($0)" } ?? "") }
  }

  /// The argument that passes a parameter of its name on.
  var argument: String { "\(SwiftNames.label(propertyName)): \(name)" }

  /// The parameter of an initializer; `nil` for a property that it does not set.
  var parameter: String? {
    guard isInSchema, let type else { return nil }
    return "\(name): \(type)" + ((initialValue ?? (type.hasSuffix("?") ? "nil" : nil)).map { " = \($0)" } ?? "")
  }
}

/// Makes the properties of an entity's class.
struct SwiftDataMembers {
  let model: ManagedObjectModel
  let entity: EntityDescription
  let names: SwiftNames
  /// The types of composite attributes by the names of their definitions.
  let composites: SwiftDataComposites

  /// The attributes and relationships that the entity declares itself.
  var all: [SwiftDataMember] {
    let inherited = entity.superentityName.flatMap { model.entity(named: $0) }
    let taken = Set(
      (inherited?.composites ?? []).map(\.name) + (inherited?.attributes ?? []).map(\.name)
        + (inherited?.relationships ?? []).map(\.name))
    return entity.ownDeclaredAttributes.map { taken.contains($0.name) ? redeclared($0) : member($0) }
      + entity.ownRelationships.map { taken.contains($0.name) ? redeclared($0) : member($0) }
  }

  private func redeclared(_ property: some PropertyDescription) -> SwiftDataMember {
    var member = SwiftDataMember(property, names)
    member.problems.append(
      ("a SwiftData subclass cannot declare the inherited property '\(property.name)' again", .differs))
    return member
  }

  // MARK: - Attributes

  private func member(_ attribute: AttributeDescription) -> SwiftDataMember {
    var member = SwiftDataMember(attribute, names)
    var options = options(of: attribute)
    switch attribute.type {
    case .undefined:
      member.isInSchema = false
      member.problems.append(("SwiftData has no attributes without a type; this one is outside the schema", .none))
      member.type = "Any?"
      member.macro = "@\(names.library("Transient")) "
      return member
    case .objectID:
      member.problems.append(
        ("SwiftData has no attributes that hold object IDs; '\(attribute.name)' is left out", .differs))
      return member
    case .transformable: (member.type, options) = transformable(attribute, options, &member.problems)
    case .composite: member.type = composites.typeName(of: attribute)
    case .uri:
      member.type = names.library("URL")
      member.problems.append(("it is not known how SwiftData hashes a URL", .mayDiffer))
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binaryData, .uuid:
      member.type = names.plainType(attribute.type)
    }
    if attribute.isOptional { member.type?.append("?") }
    if let expression = attribute.derivationExpression {
      member.problems.append(("SwiftData has no derived attributes; this one is '\(expression)'", .differs))
    }
    add(validation: attribute.validation, to: &member)
    // SwiftData itself records the cases of an enumeration there.
    if attribute.type != .composite { add(userInfo: attribute.userInfo, to: &member) }
    setInitialValue(of: attribute, &member)
    member.macro = macro("Attribute", options, naming: attribute)
    return member
  }

  private func options(of attribute: AttributeDescription) -> [String] {
    let flags = [
      ("unique", entity.uniquenessConstraints.contains([attribute.name])),
      ("ephemeral", attribute.isTransient), ("externalStorage", attribute.allowsExternalBinaryDataStorage),
      ("allowsCloudEncryption", attribute.editorAttributes["allowsCloudEncryption"] == "YES"),
      ("spotlight", attribute.editorAttributes["spotlightIndexingEnabled"] == "YES"),
      ("preserveValueOnDeletion", attribute.preservesValueInHistoryOnDeletion),
    ]
    return flags.filter(\.1).map { ".\($0.0)" }
  }

  /// SwiftData makes arrays of plain values transformable, with the secure transformer.
  private func transformable(
    _ attribute: AttributeDescription, _ options: [String], _ problems: inout [SwiftDataMember.Problem]
  ) -> (type: String, options: [String]) {
    let secure = "NSSecureUnarchiveFromData"
    let className = attribute.editorAttributes["customClassName"]
    if attribute.valueTransformerName == secure {
      if let className, Self.plainArrays.contains(className) { return (className, options) }
      if className == nil || className == "NSArray" {
        problems.append(("the model does not say what the elements of this array are", .none))
        return ("[\(names.library("String"))]", options)
      }
    }
    problems.append(("it is not known how SwiftData hashes attributes with a transformer", .mayDiffer))
    if let className, !className.hasPrefix("NS") {
      problems.append(("the model does not have the class '\(className)'; declare it beside this source", .none))
    }
    let isPlain = className?.split(separator: ".").allSatisfy { SwiftNames.isPlain(String($0)) } == true
    return (
      isPlain ? className ?? "" : names.library("NSObject"),
      options + [".transformable(by: \(SwiftNames.quoted(attribute.valueTransformerName ?? secure)))"]
    )
  }

  private static let plainArrays: Set<String> = [
    "[Bool]", "[Data]", "[Date]", "[Double]", "[Float]", "[Int]", "[Int16]", "[Int32]", "[Int64]", "[String]", "[UUID]",
  ]

  private func setInitialValue(of attribute: AttributeDescription, _ member: inout SwiftDataMember) {
    if let value = attribute.defaultValue {
      member.initialValue = names.literal(value, of: attribute.type)
      guard member.initialValue == nil else { return }
    } else if attribute.unreadableDefault == nil {
      return
    }
    member.problems.append(("the default value cannot be written in Swift", .none))
  }

  private func add(validation: AttributeValidation, to member: inout SwiftDataMember) {
    let rules = [
      validation.minimum.map { "minimum \($0.comparedText)" }, validation.maximum.map { "maximum \($0.comparedText)" },
      validation.regularExpression.map { "pattern '\($0)'" },
    ].compactMap(\.self)
    guard !rules.isEmpty else { return }
    member.problems.append(("SwiftData has no validation rules (\(rules.joined(separator: ", ")))", .none))
  }

  private func add(userInfo: [String: String], to member: inout SwiftDataMember) {
    guard let text = userInfo.withoutOwnEntries.comparedText else { return }
    member.problems.append(("SwiftData has no user info (\(text))", .none))
  }

  private func macro(
    _ name: String, _ arguments: [String], inverse: String? = nil, naming property: some PropertyDescription
  ) -> String {
    var arguments = arguments
    if property.renamingIdentifier != property.name {
      arguments.append("originalName: \(SwiftNames.quoted(property.renamingIdentifier))")
    }
    if let inverse { arguments.append("inverse: \(inverse)") }
    if let modifier = property.versionHashModifier { arguments.append("hashModifier: \(SwiftNames.quoted(modifier))") }
    return arguments.isEmpty ? "" : "@\(names.library(name))(\(arguments.joined(separator: ", "))) "
  }
}

extension SwiftDataMembers {
  // MARK: - Relationships

  private func member(_ relationship: RelationshipDescription) -> SwiftDataMember {
    var member = SwiftDataMember(relationship, names)
    guard !relationship.isTransient else {
      member.problems.append(
        (
          "SwiftData has no transient relationships; '\(relationship.name)' to "
            + "'\(relationship.destinationEntityName)' is left out", .none
        ))
      return member
    }
    let destination = SwiftNames.identifier(relationship.destinationEntityName)
    let optional = relationship.isOptional ? "?" : ""
    member.type = relationship.isToMany ? "[\(destination)]\(optional)" : "\(destination)\(optional)"
    member.initialValue = relationship.isToMany && !relationship.isOptional ? "[]" : nil
    if relationship.isOrdered { member.problems.append(("SwiftData has no ordered relationships", .differs)) }
    var arguments = relationship.deleteRule == .nullify ? [] : ["deleteRule: .\(relationship.deleteRule)"]
    let maximum = relationship.isToMany ? relationship.maxCount : 0
    if relationship.minCount != 0 { arguments.append("minimumModelCount: \(relationship.minCount)") }
    if maximum != 0 { arguments.append("maximumModelCount: \(maximum)") }
    if relationship.minCount != 0 || maximum != 0 {
      member.problems.append(("it is not known how SwiftData hashes minimum and maximum counts", .mayDiffer))
    }
    add(userInfo: relationship.userInfo, to: &member)
    let side = side(of: relationship, &member.problems)
    // With a macro on both sides and no inverse, SwiftData does not pair two relationships of its own accord.
    if arguments.isEmpty, side == .alone { arguments = ["deleteRule: .nullify"] }
    let inverse = side == .binding ? relationship.inverseName : nil
    member.macro = macro(
      "Relationship", arguments, inverse: inverse.map { "\\\(destination).\(SwiftNames.identifier($0))" },
      naming: relationship)
    return member
  }

  private enum Side {
    /// It has no inverse.
    case alone
    /// It names the inverse, which binds both.
    case binding
    /// The inverse names it.
    case bound
  }

  private func side(
    of relationship: RelationshipDescription, _ problems: inout [SwiftDataMember.Problem]
  ) -> Side {
    guard let name = relationship.inverseName else { return .alone }
    guard name != relationship.name || relationship.destinationEntityName != entity.name else {
      // The macro would refer to the property that it stands at. The hash leaves such an inverse out.
      problems.append(("SwiftData cannot declare a relationship as its own inverse", .none))
      return .alone
    }
    let owner = model.owner(ofRelationship: name, from: relationship.destinationEntityName)
    guard let owner, let inverse = model.entity(named: owner)?.relationship(named: name),
      inverse.inverseName == relationship.name, isRelated(inverse.destinationEntityName), !inverse.isTransient
    else {
      problems.append(("SwiftData cannot declare the inverse '\(name)', which does not lead back", .differs))
      return .alone
    }
    // One of the two names the other: the one that deletes, or else has many.
    let mine = rank(relationship, of: entity.name), other = rank(inverse, of: owner)
    if mine < other { return .binding }
    let destination = model.entity(named: relationship.destinationEntityName)
    let hasAnotherWayBack = destination?.relationships.contains {
      $0.inverseName == nil && isRelated($0.destinationEntityName)
    }
    return hasAnotherWayBack == true ? .alone : .bound
  }

  private func rank(_ relationship: RelationshipDescription, of owner: String) -> (Int, Int, String) {
    (relationship.deleteRule == .cascade ? 0 : 1, relationship.isToMany ? 0 : 1, "\(owner).\(relationship.name)")
  }

  /// Whether instances of this entity can be of another one, too.
  private func isRelated(_ name: String) -> Bool {
    model.lineage(of: entity.name).contains(name) || model.lineage(of: name).contains(entity.name)
  }
}

/// Writes a model as Xcode does: the file `contents` of an `.xcdatamodel`.
struct ModelText {
  private(set) var text = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#
  private let composites: [(name: String, elements: [TypeShape.Element])]

  init(_ model: ModelBuilder, identifier: String) {
    composites = model.composites
    open(
      "model", 0,
      [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"), ("lastSavedToolsVersion", "1"),
        ("systemVersion", "11A491"), ("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift"),
        ("usedWithSwiftData", "YES"), ("userDefinedModelVersionIdentifier", identifier),
      ])
    for entity in model.entities { write(entity) }
    for composite in composites.sorted(by: { $0.name < $1.name }) {
      open("composite", 1, [("name", composite.name)])
      for element in composite.elements {
        var attributes = [("name", element.name), ("optional", "YES"), ("attributeType", element.type)]
        if !element.elements.isEmpty { attributes.append(("composite", element.compositeName)) }
        if element.type == "Transformable" { attributes.append(("valueTransformerName", "NSSecureUnarchiveFromData")) }
        guard let values = element.rawValues else {
          line("attribute", 2, attributes)
          continue
        }
        open("attribute", 2, attributes)
        write(userInfo: "values", values, 3)
        close("attribute", 2)
      }
      close("composite", 1)
    }
    close("model", 0)
  }

  private mutating func write(_ entity: Entity) {
    // Without the version that it is declared in: the class is the same one to the app.
    var attributes = [("name", entity.name), ("representedClassName", entity.name)]
    if let parent = entity.parent { attributes.append(("parentEntity", parent)) }
    open("entity", 1, attributes)
    for attribute in entity.attributes {
      let optional = attribute.isOptional ? [("optional", "YES")] : []
      write(
        "attribute", [("name", attribute.name)] + optional + [("attributeType", attribute.type)] + attribute.settings,
        attribute.doubts)
    }
    for relationship in entity.relationships { write(relationship) }
    for index in entity.indexes {
      open("fetchIndex", 2, [("name", index.name)])
      for property in index.properties {
        line("fetchIndexElement", 3, [("property", property), ("type", index.kind), ("order", "ascending")])
      }
      close("fetchIndex", 2)
    }
    if !entity.uniqueness.isEmpty {
      open("uniquenessConstraints", 2)
      for constraint in entity.uniqueness {
        open("uniquenessConstraint", 3)
        for name in constraint { line("constraint", 4, [("value", name)]) }
        close("uniquenessConstraint", 3)
      }
      close("uniquenessConstraints", 2)
    }
    if let doubt = entity.doubt { write(doubts: [doubt], 2) }
    close("entity", 1)
  }

  private mutating func write(_ relationship: Entity.Relationship) {
    let arguments = relationship.arguments ?? Schema.Relationship()
    var attributes = [("name", relationship.name)]
    if relationship.isOptional { attributes.append(("optional", "YES")) }
    if relationship.isToMany { attributes.append(("toMany", "YES")) }
    let maximum = relationship.isToMany ? arguments.maximumModelCount : 1
    if arguments.minimumModelCount != 0 { attributes.append(("minCount", "\(arguments.minimumModelCount)")) }
    if maximum != 0 { attributes.append(("maxCount", "\(maximum)")) }
    let rules: [Schema.Relationship.DeleteRule: String] = [
      .noAction: "No Action", .nullify: "Nullify", .cascade: "Cascade", .deny: "Deny",
    ]
    attributes.append(("deletionRule", rules[arguments.deleteRule] ?? "Nullify"))
    attributes.append(("destinationEntity", relationship.destination))
    if let inverse = relationship.inverse {
      attributes += [("inverseName", inverse), ("inverseEntity", relationship.destination)]
    }
    if let name = arguments.originalName { attributes.append(("elementID", name)) }
    if let text = arguments.hashModifier { attributes.append(("versionHashModifier", text)) }
    var doubts = relationship.doubts
    if arguments.minimumModelCount != 0 || arguments.maximumModelCount != 0 {
      doubts.append("the counts are taken as Core Data's")
    }
    write("relationship", attributes, doubts)
  }

  /// Writes a property, and what makes its part of the version hash uncertain.
  private mutating func write(_ name: String, _ attributes: [(String, String)], _ doubts: [String]) {
    guard !doubts.isEmpty else { return line(name, 2, attributes) }
    open(name, 2, attributes)
    write(doubts: doubts, 3)
    close(name, 2)
  }

  private mutating func write(doubts: [String], _ depth: Int) {
    write(userInfo: "uncertain", doubts.joined(separator: "; "), depth)
  }

  private mutating func write(userInfo key: String, _ value: String, _ depth: Int) {
    open("userInfo", depth)
    line("entry", depth + 1, [("key", "tracks-migrate.\(key)"), ("value", value)])
    close("userInfo", depth)
  }

  private mutating func open(_ name: String, _ depth: Int, _ attributes: [(String, String)] = []) {
    text += start(name, depth, attributes) + ">"
  }

  private mutating func line(_ name: String, _ depth: Int, _ attributes: [(String, String)]) {
    text += start(name, depth, attributes) + "/>"
  }

  private mutating func close(_ name: String, _ depth: Int) {
    text += "\n" + String(repeating: "    ", count: depth) + "</\(name)>"
  }

  private func start(_ name: String, _ depth: Int, _ attributes: [(String, String)]) -> String {
    attributes.reduce("\n" + String(repeating: "    ", count: depth) + "<\(name)") {
      "\($0) \($1.0)=\"\(Self.escaped($1.1))\""
    }
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t", "\r": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

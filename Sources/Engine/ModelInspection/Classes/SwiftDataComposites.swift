internal import DataModel

/// The composite attributes of a model as Codable types, which SwiftData makes composite attributes of.
struct SwiftDataComposites {
  private let definitions: CompositeDefinitions
  private let names: SwiftNames
  private let typeNames: [String: String]
  /// The definitions that are enumerations in the app.
  private var enumerations: Set<String> = []
  /// The definitions with one element of the attribute's name, as SwiftData makes them of enumerations with raw values.
  private var rawValues: Set<String> = []

  init(_ model: ManagedObjectModel, _ names: SwiftNames) {
    (definitions, self.names) = (CompositeDefinitions(model), names)
    var unique = UniqueNames(names.taken.union(SwiftNames.standard))
    var typeNames: [String: String] = [:]
    for (name, _) in definitions.all {
      typeNames[name] = unique.unique(SwiftNames.typeName(name, or: "Composite"))
    }
    self.typeNames = typeNames
    for attribute in model.entities.flatMap(\.ownComposites) {
      guard let name = definitions.name(of: attribute) else { continue }
      if attribute.userInfo["EnumType"] != nil { enumerations.insert(name) }
      guard let element = attribute.elements.first, attribute.elements.count == 1 else { continue }
      let isRawType = [.string, .integer64, .integer32, .integer16].contains(element.type)
      if isRawType, element.name == attribute.name { rawValues.insert(name) }
    }
  }

  /// The type of a composite attribute.
  func typeName(of attribute: AttributeDescription) -> String? {
    definitions.name(of: attribute).flatMap { typeNames[$0] }
  }

  func write(to source: inout ClassSource) {
    for (name, elements) in definitions.all {
      guard let typeName = typeNames[name] else { continue }
      source.line()
      let isEnumeration =
        enumerations.contains(name) && !rawValues.contains(name) && elements.allSatisfy { $0.type == .string }
      if rawValues.contains(name) {
        source.remark(
          "composite '\(name)'",
          "this is probably an enumeration, whose cases the model does not list; the struct reads the same values")
      }
      source.block("\(isEnumeration ? "enum" : "struct") \(typeName): \(names.library("Codable"))") { source in
        for element in elements {
          if isEnumeration {
            source.line("case \(SwiftNames.identifier(element.name))")
          } else {
            write(element, of: name, to: &source)
          }
        }
      }
    }
  }

  private func write(_ element: AttributeDescription, of composite: String, to source: inout ClassSource) {
    let place = "composite '\(composite).\(element.name)'"
    if !SwiftNames.canSay(element.name) { source.remark(place, "Swift has no name '\(element.name)'", .differs) }
    var type = names.plainType(element.type)
    switch element.type {
    case .composite:
      source.remark(place, "SwiftData adds the elements of an inner struct to the outer one", .differs)
      type = typeName(of: element)
    case .transformable:
      source.remark(place, "SwiftData has no transformers within structs", .differs)
      type = names.library("Data")
    case .undefined, .objectID:
      source.remark(place, "SwiftData has no values of type \(element.type.xmlName) within structs", .differs)
    case .uri: source.remark(place, "it is not known how SwiftData hashes a URL", .mayDiffer)
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binaryData, .uuid:
      break
    }
    if element.hash != AttributeDescription(element.name, element.type, elements: element.elements).hash {
      source.remark(place, "the elements of SwiftData's structs are optional and have no options", .differs)
    }
    if element.renamingIdentifier != element.name {
      source.remark(place, "SwiftData cannot rename an element; it was '\(element.renamingIdentifier)'")
    }
    guard let type else { return }
    let value = element.defaultValue.flatMap { names.literal($0, of: element.type) }.map { " = \($0)" }
    source.line("var \(SwiftNames.identifier(element.name)): \(type)?\(value ?? "")")
  }
}

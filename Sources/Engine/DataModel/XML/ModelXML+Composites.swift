// Xcode names the elements of a composite attribute once for the whole model: `attributeType="Composite" composite="Point"`
// refers to `<composite name="Point">`, which holds the attributes.

extension ModelXMLReader {
  /// Reads an attribute and, if it is a composite, its elements.
  func attributeWithElements(
    _ element: MarkupElement, of entity: String
  ) throws(ModelFileError) -> AttributeDescription {
    var count = 0
    return try attribute(element, of: entity, within: [], count: &count)
  }

  /// - Parameters:
  ///   - owner: The entity, or the composite.
  ///   - outer: The composites that the attribute is an element of.
  ///   - count: The number of elements so far: composites within composites multiply them.
  private func attribute(
    _ element: MarkupElement, of owner: String, within outer: [String], count: inout Int
  ) throws(ModelFileError) -> AttributeDescription {
    var attribute = try attribute(element, of: owner)
    guard attribute.type == .composite else { return attribute }
    let definition = try located(element) { () throws(ModelFileProblem) in
      try composite(of: attribute, subject: "Attribute '\(owner).\(attribute.name)'", within: outer)
    }
    for child in definition.element.children(named: "attribute") {
      count += 1
      guard count <= CompositeLimits.elements else {
        throw ModelFileError(.tooComplex(limit: CompositeLimits.elements), file: file, line: element.line)
      }
      attribute.elements.append(
        try self.attribute(child, of: definition.name, within: outer + [definition.name], count: &count))
    }
    return attribute
  }

  private func composite(
    of attribute: AttributeDescription, subject: String, within outer: [String]
  ) throws(ModelFileProblem) -> (name: String, element: MarkupElement) {
    let key = "composite"
    guard let name = attribute.editorAttributes[key] else { throw .missingAttribute(subject: subject, attribute: key) }
    guard let definition = composites[name] else {
      throw .badValue(subject: subject, attribute: key, value: name, expected: "the name of a composite of the model")
    }
    guard !outer.contains(name), outer.count < CompositeLimits.depth else {
      throw .badValue(
        subject: subject, attribute: key, value: name, expected: "a composite that does not contain itself")
    }
    return (name, definition)
  }
}

/// The definitions of a model's composite attributes, as its XML and the classes made of it name them.
package struct CompositeDefinitions {
  private struct Use: Hashable {
    let wantedName: String
    let elements: [AttributeDescription]

    init(_ attribute: AttributeDescription) {
      wantedName = attribute.editorAttributes["composite"] ?? attribute.name
      elements = attribute.elements
    }
  }

  private var names: [Use: String] = [:]
  /// The definitions, sorted by name.
  package private(set) var all: [(name: String, elements: [AttributeDescription])] = []

  /// Names the composites: as in the model's own XML, or as the attributes; a name that is taken gets a number.
  package init(_ model: ManagedObjectModel) {
    var taken = UniqueNames([])
    var waiting = model.entities.flatMap(\.ownComposites)
    // In order of appearance, outer composites first.
    var next = 0
    while next < waiting.count {
      let attribute = waiting[next]
      next += 1
      let use = Use(attribute)
      guard names[use] == nil else { continue }
      let name = taken.unique(use.wantedName)
      names[use] = name
      all.append((name, attribute.elements))
      waiting += attribute.elements.filter { $0.type == .composite }
    }
    all.sort { $0.name.precedesByBytes($1.name) }
  }

  /// The name of the definition of a composite attribute.
  package func name(of attribute: AttributeDescription) -> String? { names[Use(attribute)] }
}

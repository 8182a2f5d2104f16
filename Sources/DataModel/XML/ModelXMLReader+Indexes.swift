extension ModelXMLReader {
  /// The indexes of an entity: those that are written as such, and those of older Xcode versions.
  func fetchIndexes(_ entity: MarkupElement, of name: String) throws(ModelFileError) -> [FetchIndexDescription] {
    var indexes: [FetchIndexDescription] = []
    for element in entity.children(named: "fetchIndex") { indexes.append(try fetchIndex(element, of: name)) }
    var names = Set(indexes.map(\.name))
    for index in indexedAttributes(entity) + compoundIndexes(entity) where names.insert(index.name).inserted {
      indexes.append(index)
    }
    return indexes
  }

  private func fetchIndex(_ element: MarkupElement, of entity: String) throws(ModelFileError) -> FetchIndexDescription {
    var attributes = ElementAttributes(element, subject: "An index of entity '\(entity)'")
    let name = try located(element) { () throws(ModelFileProblem) in try attributes.required("name") }
    var elements: [FetchIndexElementDescription] = []
    for child in element.children(named: "fetchIndexElement") {
      elements.append(
        try located(child) { () throws(ModelFileProblem) in try indexElement(child, of: "\(entity).\(name)") })
    }
    return FetchIndexDescription(
      name, elements: elements, partialIndexPredicate: attributes.optional("partialIndexPredicate"))
  }

  private func indexElement(
    _ element: MarkupElement, of index: String
  ) throws(ModelFileProblem) -> FetchIndexElementDescription {
    var attributes = ElementAttributes(element, subject: "An element of index '\(index)'")
    let subject: FetchIndexSubject
    switch (attributes.optional("property"), attributes.optional("expression")) {
    case (_, "self"): subject = .instance
    case (_, "entity"): subject = .entity
    case (_, let expression?): subject = .expression(expression)
    case (let property?, nil): subject = .property(property)
    case (nil, nil): throw .missingAttribute(subject: attributes.subject, attribute: "property")
    }
    return FetchIndexElementDescription(
      subject, collationType: try collationType(&attributes), isAscending: try isAscending(&attributes))
  }

  private func collationType(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> FetchIndexElementType {
    switch attributes.optional("type") {
    case nil, "Binary": return .binary
    case "RTree", "R-Tree": return .rTree
    case let type?:
      throw .badValue(subject: attributes.subject, attribute: "type", value: type, expected: "Binary or RTree")
    }
  }

  private func isAscending(_ attributes: inout ElementAttributes) throws(ModelFileProblem) -> Bool {
    switch attributes.optional("order") {
    case nil, "ascending": return true
    case "descending": return false
    case let order?:
      throw .badValue(
        subject: attributes.subject, attribute: "order", value: order, expected: "ascending or descending")
    }
  }

  /// `indexed="YES"` compiles to an index named like the property; transient properties have no column to index.
  private func indexedAttributes(_ entity: MarkupElement) -> [FetchIndexDescription] {
    (entity.children(named: "attribute") + entity.children(named: "relationship"))
      .filter { $0.attributes["indexed"].flatMap { Bool(xcodeText: $0) } == true }
      .filter { $0.attributes["transient"].flatMap { Bool(xcodeText: $0) } != true }
      .compactMap { $0.attributes["name"] }
      .map { FetchIndexDescription($0, properties: [$0]) }
  }

  /// A compound index compiles to an index named by its properties, joined by `_`.
  private func compoundIndexes(_ entity: MarkupElement) -> [FetchIndexDescription] {
    entity.children(named: "compoundIndexes").flatMap { $0.children(named: "compoundIndex") }
      .map { $0.children(named: "index").compactMap { $0.attributes["value"] } }
      .filter { !$0.isEmpty }
      .map { FetchIndexDescription($0.joined(separator: "_"), properties: $0) }
  }
}

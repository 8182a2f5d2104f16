extension ModelArchiveReader {
  /// The indexes of an entity: those that are archived as such, and those of older models.
  ///
  /// - Parameter indexed: The properties that are marked as indexed themselves, as was usual before 2017.
  func fetchIndexes(
    _ entity: ArchivedObject, of name: String, indexed: [String]
  ) throws(ModelFileProblem) -> [FetchIndexDescription] {
    var indexes: [FetchIndexDescription] = []
    for reference in try entity.list("NSFetchIndexDescriptions") {
      guard let index = try entity.archive.object(reference, subject: "An index of entity '\(name)'") else {
        throw entity.unexpected("NSFetchIndexDescriptions", "a list of indexes")
      }
      indexes.append(try fetchIndex(index))
    }
    // Newer systems archive the same indexes in the old forms as well, for older ones to read.
    let compound = try nameLists(entity, "NSCompoundIndexes")
    let old = indexed.map { [$0] } + compound
    for properties in old where !indexes.contains(where: { $0.elements.map(\.propertyName) == properties }) {
      indexes.append(FetchIndexDescription(properties.joined(separator: "_"), properties: properties))
    }
    return indexes
  }

  private func fetchIndex(_ object: ArchivedObject) throws(ModelFileProblem) -> FetchIndexDescription {
    guard let name = try object.optional("NSIndexName") else { throw object.unexpected("NSIndexName", "a text") }
    var elements: [FetchIndexElementDescription] = []
    for reference in try object.list("NSIndexElements") {
      guard let element = try object.archive.object(reference, subject: "An element of index '\(name)'") else {
        throw object.unexpected("NSIndexElements", "a list of index elements")
      }
      elements.append(try indexElement(element))
    }
    let predicate = try object.object("NSPartialIndexPredicate")
    return FetchIndexDescription(
      name, elements: elements,
      partialIndexPredicate: try predicate.map { predicate throws(ModelFileProblem) in
        try PredicateFormatter.description(predicate)
      })
  }

  private func indexElement(_ object: ArchivedObject) throws(ModelFileProblem) -> FetchIndexElementDescription {
    guard let type = FetchIndexElementType(rawValue: try object.integer("NSFetchIndexElementType")) else {
      throw object.unexpected("NSFetchIndexElementType", "0 or 1")
    }
    return FetchIndexElementDescription(
      try subject(object), collationType: type, isAscending: try object.boolean("NSAscending"))
  }

  private func subject(_ element: ArchivedObject) throws(ModelFileProblem) -> FetchIndexSubject {
    let property = try element.object("NSIndexedProperty")
    let (ownName, propertyName) = (try element.optional("NSPropertyName"), try property?.optional("NSPropertyName"))
    let name = ownName ?? propertyName
    if let property, property.kind(of: ["NSExpressionDescription"]) != nil {
      let expression = try property.object("NSExpression")
      let text = try expression.map { expression throws(ModelFileProblem) in
        try ExpressionFormatter.description(expression)
      }
      switch text ?? name {
      case "self", "SELF": return .instance
      case "entity": return .entity
      case let text?: return .expression(text)
      case nil: throw element.unexpected("NSIndexedProperty", "a property or an expression")
      }
    }
    guard let name else { throw element.unexpected("NSPropertyName", "a text") }
    return .property(name)
  }
}

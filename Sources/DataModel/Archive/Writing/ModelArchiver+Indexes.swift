internal import PropertyList

extension ModelArchiver {
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
      // Expressions stand in a class whose archives were not seen whole.
      guard let name = element.propertyName else {
        throw .unarchivable(subject: subject, part: "an element that is no property")
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

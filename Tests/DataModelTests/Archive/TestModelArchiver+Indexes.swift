import DataModel
import PropertyListFormat

extension TestModelArchiver {
  mutating func add(_ index: FetchIndexDescription, of entity: PropertyList) -> PropertyList {
    let reference = archiver.reserve()
    let elements = index.elements.map { element in
      var fields: PropertyListDictionary = [
        "NSFetchIndexElementType": .integer(Int64(element.collationType.rawValue)),
        "NSAscending": .boolean(element.isAscending), "NSFetchIndexDescription": reference,
      ]
      switch element.subject {
      case .property(let name): fields["NSPropertyName"] = archiver.add(name)
      case .instance: fields["NSIndexedProperty"] = add(.instance, named: "self")
      case .entity: fields["NSIndexedProperty"] = add(.property("entity"), named: "entity")
      case .expression(let text): fields["NSIndexedProperty"] = add(expressions[text] ?? .other(text), named: text)
      }
      return archiver.add("NSFetchIndexElementDescription", fields)
    }
    let predicate = index.partialIndexPredicate.flatMap { predicates[$0] }
    archiver.fill(
      reference, "NSFetchIndexDescription",
      [
        "NSIndexName": archiver.add(index.name), "NSEntity": entity,
        "NSIndexElements": archiver.list(elements, "NSMutableArray"),
        "NSPartialIndexPredicate": predicate?.archived(by: &archiver) ?? TestArchiver.null,
      ])
    return reference
  }

  private mutating func add(_ expression: TestExpression, named name: String) -> PropertyList {
    let (expression, name) = (expression.archived(by: &archiver), archiver.add(name))
    return archiver.add("NSExpressionDescription", ["NSExpression": expression, "NSPropertyName": name])
  }
}

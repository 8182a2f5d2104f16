internal import PropertyList

extension ModelArchiver {
  /// The fields of a fetched property.
  mutating func fields(
    _ property: FetchedPropertyDescription, of entity: EntityDescription
  ) throws(ModelFileProblem) -> PropertyListDictionary {
    var fields = fields(property, of: entity, also: .isReadOnly)
    fields["NSFetchRequest"] = try add(property.fetchRequest, "Fetched property '\(entity.name).\(property.name)'")
    fields["_NSFetchRequestEntityName"] = archive.add(property.fetchRequest.entityName)
    return fields
  }

  private mutating func add(
    _ request: FetchRequestDescription, _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    guard let entity = entities[request.entityName] else {
      throw .unarchivable(subject: subject, part: "a fetch of the unknown entity '\(request.entityName)'")
    }
    let null = KeyedArchiveWriter.null
    var fields: PropertyListDictionary = [
      "NSEntity": entity, "NSPredicate": try addPredicate(request.predicate, subject), "NSSortDescriptors": null,
      "NSFetchLimit": .integer(0), "NSFetchOffset": .integer(0), "NSBatchSize": .integer(0),
      "NSResultType": .integer(0), "NSAllocationType": .integer(0), "NSHasFetchRequestFlags": .boolean(true),
      // What a request has that nothing was changed of.
      "NSFetchRequestFlags": .integer(30),
      "NSValuesToFetch": null, "NSValuesToGroupBy": null, "NSHavingPredicate": null,
      "NSRelationshipKeyPathsForPrefetching": null,
    ]
    for (name, text) in request.editorAttributes {
      guard let key = Self.numberKeys[name], let number = Int64(text), number >= 0 else {
        throw .unarchivable(subject: subject, part: "a fetch with \(name)=\"\(text)\"")
      }
      fields[key] = .integer(number)
    }
    return archive.add(.fetchRequest, fields)
  }

  private static let numberKeys = ["fetchLimit": "NSFetchLimit", "fetchBatchSize": "NSBatchSize"]
}

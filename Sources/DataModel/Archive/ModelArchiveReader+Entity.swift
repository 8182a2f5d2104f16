internal import PropertyList

extension ModelArchiveReader {
  func entity(_ outline: EntityOutline) throws(ModelFileProblem) -> EntityDescription {
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    var fetchedProperties: [FetchedPropertyDescription] = []
    var indexed: [String] = []
    for (name, reference) in outline.properties where lineages.declares(name, outline.name) {
      let (property, name) = try property(reference, name, of: outline)
      // Models before 2017 mark single properties as indexed; transient ones have no column to index.
      if try property.boolean("NSIsIndexed"), try !property.boolean("NSIsTransient") { indexed.append(name) }
      switch property.kind(of: Self.propertyClasses) {
      case "NSRelationshipDescription": relationships.append(try relationship(property, name))
      case "NSFetchedPropertyDescription": fetchedProperties.append(try fetchedProperty(property, name))
      default: attributes.append(try attribute(property, name))
      }
    }
    let object = outline.object
    return EntityDescription(
      outline.name,
      isAbstract: try object.boolean("NSIsAbstract"),
      superentityName: outline.superentityName,
      managedObjectClassName: try object.optional("NSClassNameForEntity"),
      renamingIdentifier: try object.optional("NSRenamingIdentifier"),
      versionHashModifier: try object.optional("NSVersionHashModifier"),
      userInfo: try userInfo(object),
      uniquenessConstraints: try nameLists(object, "NSUniqueTuples"),
      attributes: attributes,
      relationships: relationships,
      fetchedProperties: fetchedProperties,
      fetchIndexes: try fetchIndexes(object, of: outline.name, indexed: indexed.sorted { $0.precedesByBytes($1) }))
  }

  /// Lists of property names: uniqueness constraints, and the compound indexes of older models.
  func nameLists(_ object: ArchivedObject, _ key: String) throws(ModelFileProblem) -> [[String]] {
    var lists: [[String]] = []
    for reference in try object.list(key) {
      let holder = ArchivedObject(
        archive: object.archive, subject: object.subject, classNames: [], fields: [key: reference])
      var names: [String] = []
      for element in try holder.list(key) {
        guard let name = try object.archive.name(element, or: "NSPropertyName", subject: object.subject) else {
          throw object.unexpected(key, "a list of property names")
        }
        names.append(name)
      }
      if !names.isEmpty { lists.append(names) }
    }
    return lists
  }

  private static let propertyClasses: Set = [
    "NSAttributeDescription", "NSRelationshipDescription", "NSFetchedPropertyDescription",
  ]

  /// A property and its name; behind a proxy, the property that it stands for.
  private func property(
    _ reference: PropertyList, _ name: String, of outline: EntityOutline
  ) throws(ModelFileProblem) -> (property: ArchivedObject, name: String) {
    let subject = "Property '\(outline.name).\(name)'"
    var property = try outline.object.archive.object(reference, subject: subject)
    // A proxy of a proxy was never seen, and a circle of them must end.
    for _ in 0..<8 where property?.kind(of: ["_NSPropertyDescriptionProxy"]) != nil {
      property = try property?.object("NSUnderlyingProperty")
    }
    guard let property, property.kind(of: Self.propertyClasses) != nil else {
      throw .badArchivedValue(
        subject: outline.object.subject, key: "NSProperties", expected: "a dictionary of properties")
    }
    return (property, try property.optional("NSPropertyName") ?? name)
  }
}

internal import PropertyList

extension ModelArchiver {
  /// Archives the properties that an entity declares.
  mutating func properties(of entity: EntityDescription) throws(ModelFileProblem) -> [PropertyArchive] {
    var properties: [PropertyArchive] = []
    indexedProperties = Set(entity.fetchIndexes.compactMap(\.onlyProperty))
    for attribute in entity.ownAttributes {
      let archivedClass = attribute.isDerived ? ArchivedClass.derivedAttribute : .attribute
      let (reference, fields) = (archive.reserve(), try fields(attribute, of: entity))
      properties.append(PropertyArchive(attribute.name, archivedClass, fields, reference))
    }
    for relationship in entity.ownRelationships {
      guard let reference = relationships[entity.name]?[relationship.name] else { continue }
      properties.append(
        PropertyArchive(relationship.name, .relationship, fields(relationship, of: entity), reference))
    }
    for property in entity.ownFetchedProperties {
      let (reference, fields) = (archive.reserve(), try fields(property, of: entity))
      properties.append(PropertyArchive(property.name, .fetchedProperty, fields, reference))
    }
    for property in properties { archive.fill(property.reference, property.archivedClass, property.fields) }
    return properties
  }

  /// The fields of any kind of property.
  ///
  /// What is false or empty is left out.
  mutating func fields(
    _ property: some PropertyDescription, of entity: EntityDescription, also flags: PropertyFlags
  ) -> PropertyListDictionary {
    var fields: PropertyListDictionary = [
      "NSPropertyName": archive.add(property.name), "NSEntity": entities[entity.name] ?? KeyedArchiveWriter.null,
      "NSRenamingIdentifier": archive.add(property.renamingIdentifier),
      "_P": .integer(PropertyFlags(property).union(flags).rawValue),
    ]
    if property.isOptional { fields["NSIsOptional"] = .boolean(true) }
    if property.isTransient { fields["NSIsTransient"] = .boolean(true) }
    if flags.contains(.isReadOnly) { fields["NSIsReadOnly"] = .boolean(true) }
    if flags.contains(.isOrdered) { fields["NSIsOrdered"] = .boolean(true) }
    if !property.isTransient, indexedProperties.contains(property.name) {
      fields["NSIsIndexed"] = .boolean(true)
    }
    if let modifier = property.versionHashModifier { fields["NSVersionHashModifier"] = archive.add(modifier) }
    if !property.userInfo.isEmpty { fields["NSUserInfo"] = add(property.userInfo) }
    return fields
  }

  private mutating func fields(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) -> PropertyListDictionary {
    let destination = relationship.destinationEntityName
    let holder = relationship.inverseEntityName ?? destination
    let inverse = relationship.inverseName.flatMap { relationships[holder]?[$0] }
    var fields = fields(relationship, of: entity, also: relationship.isOrdered ? .isOrdered : [])
    fields["NSDestinationEntity"] = entities[destination] ?? KeyedArchiveWriter.null
    fields["_NSDestinationEntityName"] = archive.add(destination)
    fields["NSInverseRelationship"] = inverse ?? KeyedArchiveWriter.null
    fields["_NSInverseRelationshipName"] = archive.add(optional: relationship.inverseName)
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    fields["NSMinCount"] = .integer(Int64(relationship.minCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
    return fields
  }
}

extension FetchIndexDescription {
  /// The property, if the index sorts by one and by nothing else.
  ///
  /// Core Data marks it as indexed then, as models before 2017 did.
  fileprivate var onlyProperty: String? {
    guard let element = elements.first, elements.count == 1, element.collationType == .binary else { return nil }
    return element.propertyName
  }
}

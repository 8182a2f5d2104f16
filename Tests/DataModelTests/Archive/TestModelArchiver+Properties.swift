import DataModel
import PropertyListFormat

extension TestModelArchiver {
  mutating func common(_ property: some PropertyDescription, of entity: EntityDescription)
    -> PropertyListDictionary
  {
    var fields: PropertyListDictionary = [
      "NSPropertyName": archiver.add(property.name), "NSEntity": entities[entity.name] ?? TestArchiver.null,
      "NSRenamingIdentifier": addText(property.renamingIdentifier), "_P": .integer(241),
    ]
    // Archives leave out what is false or empty.
    if property.isOptional { fields["NSIsOptional"] = .boolean(true) }
    if property.isTransient { fields["NSIsTransient"] = .boolean(true) }
    if let modifier = property.versionHashModifier { fields["NSVersionHashModifier"] = archiver.add(modifier) }
    if !property.userInfo.isEmpty { fields["NSUserInfo"] = add(property.userInfo) }
    return fields
  }

  mutating func add(_ attribute: AttributeDescription, of entity: EntityDescription) -> PropertyList {
    var fields = common(attribute, of: entity)
    let flags =
      (attribute.allowsExternalBinaryDataStorage ? 4 : 0) | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSFlagsKey"] = .integer(Int64(flags))
    fields["NSDefaultValue"] = attribute.defaultValue.map { archiver.addDefault($0) } ?? TestArchiver.null
    fields["NSValueTransformerName"] = archiver.add(attribute.valueTransformerName)
    if attribute.editorAttributes["spotlightIndexingEnabled"] != nil { fields["NSIndexedBySpotlight"] = .boolean(true) }
    if attribute.editorAttributes["allowsCloudEncryption"] != nil { fields["NSAllowsCloudEncryption"] = .boolean(true) }
    fields["NSAttributeValueClassName"] = archiver.add(attribute.editorAttributes["customClassName"])
    let predicate = TestPredicate.other("SomebodysPredicate").archived(by: &archiver)
    fields["NSValidationPredicates"] = archiver.list([predicate])
    guard let text = attribute.derivationExpression else { return archiver.add("NSAttributeDescription", fields) }
    fields["NSIsReadOnly"] = .boolean(true)
    fields["NSDerivationExpression"] = expressions[text]?.archived(by: &archiver)
    let filter = attribute.derivationFilterPredicate.flatMap { predicates[$0] }
    fields["NSFilteringPredicate"] = filter?.archived(by: &archiver) ?? TestArchiver.null
    return archiver.add("NSDerivedAttributeDescription", fields)
  }

  mutating func fields(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) -> PropertyListDictionary {
    let destination = relationship.destinationEntityName
    var fields = common(relationship, of: entity)
    fields["NSDestinationEntity"] = entities[destination]
    fields["_NSDestinationEntityName"] = archiver.add(destination)
    fields["NSMinCount"] = .integer(Int64(relationship.minCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
    if let inverse = relationship.inverseName {
      let holder = relationship.inverseEntityName ?? destination
      fields["_NSInverseRelationshipName"] = archiver.add(inverse)
      fields["NSInverseRelationship"] = relationships["\(holder).\(inverse)"]
    }
    return fields
  }

  mutating func add(_ property: FetchedPropertyDescription, of entity: EntityDescription) -> PropertyList {
    var fields = common(property, of: entity)
    fields["NSFetchRequest"] = add(property.fetchRequest)
    fields["_NSFetchRequestEntityName"] = archiver.add(property.fetchRequest.entityName)
    fields["NSIsReadOnly"] = .boolean(true)
    return archiver.add("NSFetchedPropertyDescription", fields)
  }

  mutating func add(_ request: FetchRequestDescription) -> PropertyList {
    let predicate = request.predicate.flatMap { predicates[$0] }
    let limit = request.editorAttributes["fetchLimit"].flatMap { Int64($0) } ?? 0
    return archiver.add(
      "NSFetchRequest",
      [
        "NSEntity": entities[request.entityName] ?? TestArchiver.null, "NSFetchLimit": .integer(limit),
        "NSPredicate": predicate?.archived(by: &archiver) ?? TestArchiver.null, "NSSortDescriptors": TestArchiver.null,
      ])
  }
}

extension TestArchiver {
  /// Adds the default value of an attribute.
  mutating func addDefault(_ value: AttributeValue) -> PropertyList {
    switch value {
    case .integer(let number): return add(.integer(number))
    case .double(let number): return add(.real(number))
    case .string(let text): return add(.string(text))
    case .boolean(let value): return add(.boolean(value))
    case .date(let seconds): return add("NSDate", ["NS.time": .real(seconds)])
    case .data(let bytes): return add(.data(bytes))
    case .uuid(let bytes): return add("NSUUID", ["NS.uuidbytes": .data(bytes)])
    case .uri(let text):
      let text = add(text)
      return add("NSURL", ["NS.base": Self.null, "NS.relative": text])
    }
  }
}

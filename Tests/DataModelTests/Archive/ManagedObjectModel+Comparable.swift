import DataModel

extension ManagedObjectModel {
  /// The model without what compiling loses or adds: what only Xcode's editor needs, validation, and orders without
  /// meaning.
  func comparable() throws(ModelError) -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: entities.map { $0.comparable },
      versionIdentifiers: versionIdentifiers.sorted(),
      configurations: configurations.mapValues { $0.sorted() })
  }
}

extension EntityDescription {
  fileprivate var comparable: EntityDescription {
    EntityDescription(
      name, isAbstract: isAbstract, superentityName: superentityName,
      managedObjectClassName: managedObjectClassName == "NSManagedObject" ? nil : managedObjectClassName,
      renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier, userInfo: userInfo,
      uniquenessConstraints: uniquenessConstraints,
      attributes: ownAttributes.map {
        var attribute = $0
        attribute.editorAttributes = [:]
        attribute.validation = AttributeValidation()
        return attribute
      },
      relationships: ownRelationships.map {
        var relationship = $0
        relationship.editorAttributes = [:]
        return relationship
      },
      fetchedProperties: ownFetchedProperties.map {
        var property = $0
        property.editorAttributes = [:]
        property.fetchRequest.editorAttributes = [:]
        return property
      },
      fetchIndexes: fetchIndexes.sorted { $0.name < $1.name })
  }
}

internal import DataModel

extension ManagedObjectModel {
  /// The model with other entities, and all else as it is.
  func with(_ entities: [EntityDescription], configurations: [String: [String]]? = nil) throws(ModelError)
    -> ManagedObjectModel
  {
    var model = try ManagedObjectModel(
      entities: entities, versionIdentifiers: versionIdentifiers, configurations: configurations ?? self.configurations)
    model.fetchRequestTemplates = fetchRequestTemplates
    model.editorAttributes = editorAttributes
    return model
  }
}

extension EntityDescription {
  /// The entity with other properties of its own, and all else as it is.
  func with(attributes: [AttributeDescription]? = nil, relationships: [RelationshipDescription]? = nil)
    -> EntityDescription
  {
    var entity = EntityDescription(
      name, isAbstract: isAbstract, superentityName: superentityName, managedObjectClassName: managedObjectClassName,
      renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier, userInfo: userInfo,
      uniquenessConstraints: uniquenessConstraints, attributes: attributes ?? ownAttributes,
      relationships: relationships ?? ownRelationships, fetchedProperties: ownFetchedProperties,
      fetchIndexes: fetchIndexes)
    entity.editorAttributes = editorAttributes
    return entity
  }

  /// Whether the entity itself declares a property of this name.
  func declares(_ name: String) -> Bool {
    ownAttributes.contains { $0.name == name } || ownRelationships.contains { $0.name == name }
      || ownFetchedProperties.contains { $0.name == name }
  }
}

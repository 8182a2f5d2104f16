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

  /// The model with renaming identifiers that say that nothing was renamed.
  ///
  /// Those of a model tell what it was in its own past. Between it and what is derived from it nothing has another name,
  /// and an identifier may well be the name of something else by now.
  func withoutRenamings() throws(ModelError) -> ManagedObjectModel {
    func plain<Property: PropertyDescription>(_ property: Property, _ path: WritableKeyPath<Property, String>)
      -> Property
    {
      var property = property
      property[keyPath: path] = property.name
      return property
    }
    return try with(
      entities.map { entity in
        var entity = entity.with(
          attributes: entity.ownAttributes.map { plain($0, \.renamingIdentifier) },
          relationships: entity.ownRelationships.map { plain($0, \.renamingIdentifier) })
        entity.renamingIdentifier = entity.name
        return entity
      })
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

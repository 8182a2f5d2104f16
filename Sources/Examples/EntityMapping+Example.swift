internal import DataModel
internal import Migration

extension EntityMapping {
  /// The mapping that Xcode suggests for an entity of both models, with relationships of its own.
  ///
  /// - Parameters:
  ///   - source: The entity and its model.
  ///   - destination: Likewise.
  ///   - policy: A class of this package.
  ///   - relationships: What the relationships are connected to; those that are not named here are not mapped.
  static func example(
    from source: (name: String, model: ManagedObjectModel), to destination: (name: String, model: ManagedObjectModel),
    policy: String? = nil, relationships: [PropertyMapping] = []
  ) -> EntityMapping {
    var mapping = EntityMapping.suggested(
      from: source.model.exampleEntity(source.name), to: destination.model.exampleEntity(destination.name),
      // Xcode wants the module.
      policy: policy.map { "Policies.\($0)" })
    mapping.relationshipMappings = relationships
    return mapping
  }

  /// The mapping of an entity that has no source: a policy of another mapping makes its instances.
  static func exampleAddition(_ name: String, in model: ManagedObjectModel) -> EntityMapping {
    let entity = model.exampleEntity(name)
    return EntityMapping(
      mappingType: .add, source: nil, destination: entity,
      attributeMappings: entity.attributes.map { PropertyMapping(name: $0.name, valueExpression: nil) },
      relationshipMappings: entity.relationships.map { PropertyMapping(name: $0.name, valueExpression: nil) })
  }
}

extension PropertyMapping {
  /// A relationship that leads where the source's relationship of the same name leads, by way of an entity mapping.
  static func relationship(_ name: String, by mapping: String) -> PropertyMapping {
    PropertyMapping(
      name: name, valueExpression: .destinationInstances(entityMappingNamed: mapping, sourceInstances: .source(name)))
  }

  /// A relationship that leads where the source's relationship of the same name leads, by whichever entity mapping.
  static func relationship(_ name: String) -> PropertyMapping {
    PropertyMapping(
      name: name,
      valueExpression: .destinationInstances(sourceRelationshipNamed: name, sourceInstances: .source(name)))
  }
}

internal import CoreDataExpressions
internal import DataModel
internal import MigrationDiagnostics

/// The steps of the default policy for each instance of a mapping, prepared once.
///
/// Most expressions copy an attribute or follow a relationship to what its destinations have become. Those are done
/// without evaluating them, with the same result; all others are evaluated for each instance.
final class CompiledEntityMapping {
  enum AttributeStep {
    case copy(source: Int, destination: Int)
    case constant(AttributeValue?, destination: Int)
    case evaluate(Expression, String)
  }

  enum RelationshipStep {
    /// Takes the destinations of the source instance (without a relationship) or of the relationship's destinations
    /// under mappings.
    case follow(EntityLayout.Relationship?, mappings: [String], EntityLayout.Relationship, isByMapping: Bool)
    case evaluate(Expression, String)
  }

  let mapping: EntityMapping
  let source: EntityLayout
  let destination: EntityLayout
  let attributes: [AttributeStep]
  let relationships: [RelationshipStep]

  init(_ mapping: EntityMapping, _ source: EntityLayout, _ destination: EntityLayout, _ manager: MigrationManager) {
    self.mapping = mapping
    self.source = source
    self.destination = destination
    attributes = mapping.attributeMappings.compactMap { attribute in
      guard let expression = attribute.valueExpression else { return nil }
      return Self.step(expression, attribute.name, source, destination)
    }
    relationships = mapping.relationshipMappings.compactMap { relationship in
      guard let expression = relationship.valueExpression else { return nil }
      return destination.relationship(relationship.name)
        .flatMap { Self.step(expression, to: $0, source, mapping, manager) }
        ?? .evaluate(expression, relationship.name)
    }
  }

  /// Whether the plan is that of a mapping, which a policy may have changed, for instances of an entity.
  func fits(_ mapping: EntityMapping, _ source: EntityLayout) -> Bool {
    self.source === source && self.mapping.name == mapping.name
      && self.mapping.destinationEntityName == mapping.destinationEntityName
      && self.mapping.sourceEntityName == mapping.sourceEntityName
      && self.mapping.attributeMappings == mapping.attributeMappings
      && self.mapping.relationshipMappings == mapping.relationshipMappings
  }

  private static func step(
    _ expression: Expression, _ name: String, _ source: EntityLayout, _ destination: EntityLayout
  ) -> AttributeStep {
    guard let place = destination.attributeIndex(name) else { return .evaluate(expression, name) }
    if let key = expression.copiedSourceKey, let index = source.attributeIndex(key) {
      return .copy(source: index, destination: place)
    }
    if expression.isIndependent, let value = try? expression.value(in: EvaluationContext()).attributeValue {
      return .constant(value, destination: place)
    }
    return .evaluate(expression, name)
  }

  private static func step(
    _ expression: Expression, to destination: EntityLayout.Relationship, _ source: EntityLayout,
    _ mapping: EntityMapping, _ manager: MigrationManager
  ) -> RelationshipStep? {
    guard let call = DestinationInstancesCall(expression) else { return nil }
    let relationship = call.sourceInstances.copiedSourceKey.flatMap { source.relationship($0) }
    guard relationship != nil || call.sourceInstances == .source else { return nil }
    switch call {
    case .entityMapping(let name, _):
      guard manager.hasEntityMapping(named: name) else { return nil }
      return .follow(relationship, mappings: [name], destination, isByMapping: true)
    case .sourceRelationship(let name, _):
      guard let names = manager.entityMappingNames(forSourceRelationship: name, of: mapping.sourceEntityName) else {
        return nil
      }
      return .follow(relationship, mappings: names, destination, isByMapping: false)
    }
  }
}

extension MigrationManager {
  /// The plan of a mapping for instances of a source entity; the last one is kept.
  func plan(for mapping: EntityMapping, source: EntityLayout) throws(MigrationError) -> CompiledEntityMapping? {
    if let plan, plan.fits(mapping, source) { return plan }
    guard let name = mapping.destinationEntityName else { return nil }
    let made = CompiledEntityMapping(mapping, source, try destinationContext.layout(named: name), self)
    plan = made
    return made
  }

  /// Makes what a mapping says of a source instance.
  func createDestinationInstance(
    of source: ManagedObject, _ plan: CompiledEntityMapping
  ) throws -> ManagedObject {
    let made = try destinationContext.insertNewObject(plan.destination)
    for step in plan.attributes {
      switch step {
      case .copy(let from, let to): made.copyValue(at: from, of: source, to: to)
      case .constant(let value, let to): made.setValue(value, at: to)
      case .evaluate(let expression, let name):
        made.setValue(try value(of: expression, source: source).attributeValue, forKey: name)
      }
    }
    return made
  }

  /// Connects an instance that was made of a source instance, as a mapping says.
  func createRelationships(of instance: ManagedObject, madeOf source: ManagedObject, _ plan: CompiledEntityMapping)
    throws
  {
    for step in plan.relationships {
      switch step {
      case .follow(let relationship, let names, let destination, let isByMapping):
        let sources = try relationship.map { try sourceObjects.keys(of: source, $0) } ?? [source.objectID]
        let found = associations.destinations(of: sources, mappings: names)
        try connect(instance, destination, to: destinationObjects.existing(found), isByMapping: isByMapping)
      case .evaluate(let expression, let name):
        let instances = try value(of: expression, source: source, destination: instance).instances
        guard let relationship = instance.layout.relationship(name) else {
          instance.setInstances(instances, forKey: name)
          continue
        }
        try connect(
          instance, relationship, to: instances.map(\.objectID), isByMapping: !expression.callsSourceRelationship)
      }
    }
  }
}

internal import DataModel
internal import Expressions

/// Makes the expressions of relationships that a mapping model leaves to be generated, as Xcode's compiler makes them.
struct ExpressionGenerator {
  /// The entity mappings that make instances of an entity or of its subentities, from instances of another.
  ///
  /// Two stand for any number of them.
  private var mappingNames: [String: [String]] = [:]

  init(
    _ mappings: [(name: String, source: String?, destination: String?)],
    destination entities: [String: EntityDescription]
  ) {
    for (name, source, destination) in mappings where source != nil {
      var next = destination
      // Where there are several, there are several above, too.
      while let entity = next, mappingNames[entity]?.count ?? 0 < 2 {
        mappingNames[entity, default: []].append(name)
        next = entities[entity]?.superentityName
      }
    }
  }

  /// What the instances that a source relationship leads to have become.
  ///
  /// Where one entity mapping can have made them, the expression names it; where several can, the relationship. Where
  /// none can, or no relationship is known, there is no expression.
  func expression(
    for relationship: RelationshipDescription, source name: String?, sources: Expression
  ) -> Expression? {
    let candidates = mappingNames[relationship.destinationEntityName] ?? []
    guard candidates.count != 1 else {
      return .destinationInstances(entityMappingNamed: candidates[0], sourceInstances: sources)
    }
    guard let name, !candidates.isEmpty else { return nil }
    return .destinationInstances(sourceRelationshipNamed: name, sourceInstances: sources)
  }
}

public import CoreDataExpressions

/// The functions of the migration manager that mapping models call, as Core Data names them.
package enum ManagerFunctions {
  package static let destinationInstances = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  package static let destinationInstancesForSourceRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  package static let sourceInstances = "sourceInstancesForEntityMappingNamed:destinationInstances:"
}

extension Expression {
  /// `$source`, the source instance.
  public static var source: Expression { .variable("source") }

  /// `$source.` and a name.
  public static func source(_ key: String) -> Expression { .key(key, of: .source) }

  /// What the instances behind another expression have become under an entity mapping:
  /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", name, sources)`.
  public static func destinationInstances(
    entityMappingNamed name: String, sourceInstances: Expression
  ) -> Expression {
    .function(
      target: .variable("manager"), selector: ManagerFunctions.destinationInstances,
      arguments: [.constant(.string(name)), sourceInstances])
  }

  /// What the instances that a source relationship leads to have become, under whichever entity mappings:
  /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", name, sources)`.
  public static func destinationInstances(
    sourceRelationshipNamed name: String, sourceInstances: Expression
  ) -> Expression {
    .function(
      target: .variable("manager"), selector: ManagerFunctions.destinationInstancesForSourceRelationship,
      arguments: [.constant(.string(name)), sourceInstances])
  }
}

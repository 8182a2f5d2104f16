package import CoreDataExpressions

/// The functions of the migration manager that mapping models call, as Core Data names them.
package enum ManagerFunctions {
  package static let destinationInstances = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  package static let destinationInstancesForSourceRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  package static let sourceInstances = "sourceInstancesForEntityMappingNamed:destinationInstances:"
}

extension Expression {
  /// Whether this asks what a source relationship's destinations have become under whichever mappings, in any form: the
  /// name may be computed too.
  package var callsSourceRelationship: Bool {
    guard case .function(.variable("manager")?, let selector, _) = self else { return false }
    return selector == ManagerFunctions.destinationInstancesForSourceRelationship
  }
}

/// What an expression of a relationship asks the migration manager for, where it is one of the forms that mapping models
/// have which are generated; nobody else looks into such an expression.
package enum DestinationInstancesCall: Hashable {
  /// What instances have become under one entity mapping.
  case entityMapping(String, sourceInstances: Expression)
  /// What the destinations of a source relationship have become under whichever entity mappings.
  case sourceRelationship(String, sourceInstances: Expression)

  /// Recognises an expression.
  package init?(_ expression: Expression) {
    guard case .function(.variable("manager")?, let selector, let arguments) = expression, arguments.count == 2,
      case .constant(.string(let name)) = arguments[0]
    else { return nil }
    switch selector {
    case ManagerFunctions.destinationInstances: self = .entityMapping(name, sourceInstances: arguments[1])
    case ManagerFunctions.destinationInstancesForSourceRelationship:
      self = .sourceRelationship(name, sourceInstances: arguments[1])
    default: return nil
    }
  }

  /// The instances that are asked about.
  package var sourceInstances: Expression {
    switch self {
    case .entityMapping(_, let instances), .sourceRelationship(_, let instances): instances
    }
  }
}

extension Expression {
  /// `$source`, the source instance.
  package static var source: Expression { .variable("source") }

  /// `$source.` and a name.
  package static func source(_ key: String) -> Expression { .key(key, of: .source) }

  /// What the instances behind another expression have become under an entity mapping:
  /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", name, sources)`.
  package static func destinationInstances(
    entityMappingNamed name: String, sourceInstances: Expression
  ) -> Expression {
    .function(
      target: .variable("manager"), selector: ManagerFunctions.destinationInstances,
      arguments: [.constant(.string(name)), sourceInstances])
  }

  /// What the instances that a source relationship leads to have become, under whichever entity mappings:
  /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", name, sources)`.
  package static func destinationInstances(
    sourceRelationshipNamed name: String, sourceInstances: Expression
  ) -> Expression {
    .function(
      target: .variable("manager"), selector: ManagerFunctions.destinationInstancesForSourceRelationship,
      arguments: [.constant(.string(name)), sourceInstances])
  }
}

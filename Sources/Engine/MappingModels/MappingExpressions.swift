package import CoreDataExpressions

/// The functions of the migration manager that mapping models call, as Core Data names them.
package enum ManagerFunctions {
  package static let destinationInstances = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  package static let destinationInstancesForSourceRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  package static let sourceInstances = "sourceInstancesForEntityMappingNamed:destinationInstances:"
}

extension Expression {
  /// Whether this asks, in any form, what a source relationship's destinations have become under any mappings.
  ///
  /// The name of the relationship may also be computed.
  package var callsSourceRelationship: Bool {
    guard case .function(.variable("manager")?, let selector, _) = self else { return false }
    return selector == ManagerFunctions.destinationInstancesForSourceRelationship
  }
}

/// The call to the migration manager in a relationship's expression, if it has one of the forms that are generated.
///
/// This is the only code that looks into such expressions.
package enum DestinationInstancesCall: Hashable {
  /// The destination instances that one entity mapping created.
  case entityMapping(String, sourceInstances: Expression)
  /// The destination instances that any entity mappings created for the destinations of a source relationship.
  case sourceRelationship(String, sourceInstances: Expression)

  /// Recognises an expression, or returns `nil` for other forms.
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

  /// The source instances.
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

  /// The destination instances that an entity mapping created for source instances:
  /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", name, sources)`.
  package static func destinationInstances(
    entityMappingNamed name: String, sourceInstances: Expression
  ) -> Expression {
    .function(
      target: .variable("manager"), selector: ManagerFunctions.destinationInstances,
      arguments: [.constant(.string(name)), sourceInstances])
  }

  /// The destination instances that any entity mappings created for the destinations of a source relationship:
  /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", name, sources)`.
  package static func destinationInstances(
    sourceRelationshipNamed name: String, sourceInstances: Expression
  ) -> Expression {
    .function(
      target: .variable("manager"), selector: ManagerFunctions.destinationInstancesForSourceRelationship,
      arguments: [.constant(.string(name)), sourceInstances])
  }
}

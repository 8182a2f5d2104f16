internal import Expressions

/// The forms that the expressions of relationships have in mapping models which are generated.
enum RelationshipForm: Hashable {
  /// What the destinations of a source relationship have become under one mapping; without a key, what the source
  /// instance itself has become.
  case mapping(String, key: String?)
  /// What the destinations of a source relationship have become under whichever mapping.
  case relationship(String)

  /// Recognises an expression.
  init?(_ expression: Expression) {
    guard case .function(.variable("manager")?, let selector, let arguments) = expression, arguments.count == 2,
      case .constant(.string(let name)) = arguments[0]
    else { return nil }
    switch (selector, arguments[1]) {
    case (MigrationFunctions.destinationInstances, .variable("source")): self = .mapping(name, key: nil)
    case (MigrationFunctions.destinationInstances, let instances):
      guard let key = instances.copiedSourceKey else { return nil }
      self = .mapping(name, key: key)
    case (MigrationFunctions.destinationInstancesForSourceRelationship, let instances):
      guard let key = instances.copiedSourceKey, key == name else { return nil }
      self = .relationship(key)
    default: return nil
    }
  }

  /// The source relationship that is followed.
  var key: String? {
    switch self {
    case .mapping(_, let key): key
    case .relationship(let key): key
    }
  }
}

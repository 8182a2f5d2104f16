public import DataModel
public import Diagnostics

/// What an expression gives: a value, or instances.
public enum ExpressionResult {
  case value(AttributeValue?)
  case instances([ManagedObject])
}

extension Expression {
  /// Evaluates the expression for a source instance.
  public func evaluate(source: ManagedObject, manager: MigrationManager) throws(MigrationError) -> ExpressionResult {
    switch self {
    case .constant(let value): return .value(value)
    case .source: return .instances([source])
    case .keyPath(let operand, let key):
      guard case .instances(let objects) = try operand.evaluate(source: source, manager: manager) else {
        throw MigrationError(.invalidMappingModel, detail: "'.\(key)' is asked of a value that is no instance")
      }
      return try Self.follow(key, from: objects)
    case .destinationInstances(let mapping, let operand):
      guard case .instances(let objects) = try operand.evaluate(source: source, manager: manager) else {
        throw MigrationError(.invalidMappingModel, detail: "the sources of mapping '\(mapping)' are no instances")
      }
      return .instances(manager.destinationInstances(forEntityMappingName: mapping, sourceInstances: objects))
    }
  }

  private static func follow(_ key: String, from objects: [ManagedObject]) throws(MigrationError) -> ExpressionResult {
    guard let first = objects.first else { return .value(nil) }
    if first.entity.attribute(named: key) != nil { return .value(first.value(forKey: key)) }
    throw MigrationError(
      .invalidMappingModel, MigrationError.Subject(entity: first.entity.name, property: key),
      detail: "the mapping model asks for it, but the entity has no such attribute")
  }
}

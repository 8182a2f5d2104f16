internal import DataModel
internal import Diagnostics
public import Expressions

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
      target: .variable("manager"), selector: MigrationFunctions.destinationInstances,
      arguments: [.constant(.string(name)), sourceInstances])
  }

  /// What the instances that a source relationship leads to have become, under whichever entity mappings:
  /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", name, sources)`.
  public static func destinationInstances(
    sourceRelationshipNamed name: String, sourceInstances: Expression
  ) -> Expression {
    .function(
      target: .variable("manager"), selector: MigrationFunctions.destinationInstancesForSourceRelationship,
      arguments: [.constant(.string(name)), sourceInstances])
  }
}

extension MigrationManager {
  /// Evaluates a value expression with `$source`, `$manager` and the manager's functions.
  func value(of expression: Expression, source: ManagedObject) throws -> ExpressionValue {
    let functions = MigrationFunctions(self)
    let context = EvaluationContext(
      variables: ["source": .object(source.expressionObject), "manager": .object(functions)],
      invoker: { target, selector, arguments in
        guard case .object(let object) = target, object === functions else {
          throw MigrationError(.invalidMappingModel, detail: "there is no function '\(selector)'")
        }
        return try functions.call(selector, arguments)
      })
    do {
      return try expression.value(in: context)
    } catch let error as EvaluationError {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: source.entity.name, row: source.objectID.primaryKey),
        detail: "'\(expression)': \(error)")
    }
  }
}

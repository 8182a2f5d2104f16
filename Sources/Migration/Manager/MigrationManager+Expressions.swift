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
  /// Evaluates a value expression with the variables that Core Data gives it: `$source`, `$manager`, `$entityMapping`,
  /// `$entityPolicy`, and `$destination` where there is one already; plain keys are the source's.
  public func value(
    of expression: Expression, source: ManagedObject, destination: ManagedObject? = nil
  ) throws -> ExpressionValue {
    var context = expressionContext ?? makeExpressionContext()
    // Kept while a policy is at work, and for no longer: it holds the manager.
    expressionContext = currentPolicy == nil ? nil : context
    context.object = .object(ManagedObjectValues(source))
    context.variables["source"] = context.object
    context.variables["destination"] = destination.map { .object(ManagedObjectValues($0)) }
    do {
      return try expression.value(in: context)
    } catch let error as EvaluationError {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: source.entity.name, row: source.objectID.primaryKey),
        detail: "'\(expression)': \(error)")
    }
  }

  private func makeExpressionContext() -> EvaluationContext {
    var context = EvaluationContext(
      variables: ["manager": .object(MigrationFunctions(self)), "entityPolicy": .object(PolicyFunctions(self))],
      invoker: { target, selector, arguments in
        switch target {
        case .object(let object as MigrationFunctions): try object.call(selector, arguments)
        case .object(let object as PolicyFunctions): try object.call(selector, arguments)
        default: throw MigrationError(.invalidMappingModel, detail: "there is no function '\(selector)'")
        }
      })
    context.variables["entityMapping"] = currentEntityMapping.map { .dictionary($0.expressionValues) }
    context.fetcher = { request, _, countOnly in
      guard case .object(let request as FetchRequestValues) = request else {
        throw MigrationError(.invalidMappingModel, detail: "FETCH needs a fetch request of $manager")
      }
      let found = try self.sourceContext.fetch(request.request)
      return countOnly
        ? .integer(Int64(found.count)) : .collection(.array, found.map { .object(ManagedObjectValues($0)) })
    }
    return context
  }
}

extension EntityMapping {
  /// The mapping as expressions see it: `$entityMapping.userInfo.modelVersion`.
  fileprivate var expressionValues: [String: ExpressionValue] {
    var values: [String: ExpressionValue] = [
      "name": .string(name), "userInfo": .dictionary(userInfo.mapValues { .string($0) }),
    ]
    values["sourceEntityName"] = sourceEntityName.map { .string($0) }
    values["destinationEntityName"] = destinationEntityName.map { .string($0) }
    return values
  }
}

public import CoreDataExpressions
internal import DataModel
internal import MigrationDiagnostics

/// A request to fetch instances from a context.
public struct FetchRequest {
  /// A sort criterion.
  public struct SortDescriptor: Sendable, Hashable {
    /// The value to compare.
    public var keyPath: Expression
    /// Whether smaller values come first.
    public var isAscending: Bool

    /// Creates a sort criterion.
    public init(_ keyPath: Expression, isAscending: Bool = true) {
      self.keyPath = keyPath
      self.isAscending = isAscending
    }
  }

  /// The entity.
  public var entityName: String
  /// The condition that instances must satisfy.
  public var predicate: Predicate?
  /// The values of the predicate's variables, by name without the dollar sign.
  public var variables: [String: ExpressionValue] = [:]
  /// The order of the instances.
  public var sortDescriptors: [SortDescriptor] = []
  /// The maximum number of instances; 0 means no limit.
  public var fetchLimit = 0
  /// The number of instances to skip first.
  public var fetchOffset = 0
  /// Whether to include instances of subentities.
  public var includesSubentities = true

  /// Creates a request.
  public init(entityName: String, predicate: Predicate? = nil) {
    self.entityName = entityName
    self.predicate = predicate
  }
}

extension FetchRequest {
  func sorted(_ objects: [ManagedObject]) throws -> [ManagedObject] {
    var context = EvaluationContext()
    let keyed = try objects.enumerated().map { place, object in
      context.object = .object(ManagedObjectValues(object))
      return (object: object, place: place, keys: try sortDescriptors.map { try $0.keyPath.value(in: context) })
    }
    return try keyed.sorted { left, right in
      for (descriptor, (leftKey, rightKey)) in zip(sortDescriptors, zip(left.keys, right.keys)) {
        if try leftKey.precedesInSorting(rightKey) { return descriptor.isAscending }
        if try rightKey.precedesInSorting(leftKey) { return !descriptor.isAscending }
      }
      return left.place < right.place
    }.map(\.object)
  }
}

/// The way in which a request to a store is carried out.
package struct FetchExplanation: Sendable {
  /// The statement, with its arguments.
  package let sql: String
  /// The condition that is evaluated on its rows; `nil` if there is none.
  package let evaluated: Predicate?
  /// The reason why SQL does not evaluate that.
  package let obstacles: [SQLTranslationError]
}

/// A predicate on the rows of an entity, evaluated in SQL as far as that gives the same result, and on objects otherwise.
struct RowFilter {
  /// The condition for `WHERE`, with the table as `t0`.
  private(set) var condition: SQLFragment?
  /// The predicate to evaluate.
  private(set) var predicate: Predicate?
  /// The reason why SQL does not evaluate it.
  private(set) var obstacles: [SQLTranslationError] = []
  /// The key path of an element that a composite attribute does not have; evaluation would take it for nil.
  private var unknownElement: (keyPath: String, entity: String)?

  /// Prepares a predicate, in which `$source` and SELF refer to the row.
  init(_ predicate: Predicate?, _ layout: EntityLayout, naming: some SQLSchema) {
    guard let predicate = predicate?.substituting(["source": Expression.evaluatedObject]), predicate != .everything
    else { return }
    let table = SQLTable(entity: layout.entity.name, name: layout.table.name)
    let split = predicate.split(on: table, naming: naming)
    (condition, self.predicate, obstacles) = (split.sql, split.rest, split.obstacles)
    for case .unknownElement(let keyPath, let entity) in obstacles.map(\.reason) {
      unknownElement = (keyPath, entity)
    }
  }

  /// Returns whether an instance satisfies the part of the predicate that SQL could not evaluate.
  func accepts(_ object: ManagedObject, _ context: inout EvaluationContext) throws -> Bool {
    guard let predicate else { return true }
    if let (keyPath, entity) = unknownElement { throw ManagedObjectValues.unknown(keyPath, entity) }
    context.object = .object(ManagedObjectValues(object))
    do {
      return try predicate.evaluate(in: context)
    } catch let error as EvaluationError {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: object.entity.name, row: object.objectID.primaryKey),
        detail: "'\(predicate)': \(error)")
    }
  }
}

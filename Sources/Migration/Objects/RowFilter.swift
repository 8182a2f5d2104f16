internal import DataModel
internal import Diagnostics
internal import Expressions

/// A predicate on the rows of an entity: in SQL if that gives the same result, and on objects otherwise.
struct RowFilter {
  /// The condition for `WHERE`, of the table as `t0`.
  private(set) var condition: SQLFragment?
  private var predicate: Predicate?

  /// Prepares a predicate, in which `$source` and SELF are the row.
  init(_ predicate: Predicate?, _ layout: EntityLayout, naming: some SQLNaming) {
    guard let predicate = predicate?.substituting(["source": Expression.evaluatedObject]), predicate != .everything
    else { return }
    let table = SQLTable(entity: layout.entity.name, name: layout.table.name)
    do throws(SQLRefusal) {
      condition = try predicate.sql(on: table, alias: "t0", naming: naming)
    } catch {
      self.predicate = predicate
    }
  }

  /// Whether an instance satisfies what SQL could not tell.
  func accepts(_ object: ManagedObject, _ context: inout EvaluationContext) throws -> Bool {
    guard let predicate else { return true }
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

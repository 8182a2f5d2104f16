internal import DataModel
internal import Expressions
internal import PersistentStore
internal import SQLite

extension DestinationInstances {
  func fetch(
    _ request: FetchRequest, _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    let predicate = request.predicate ?? .everything
    if let equality = predicate.equalAttribute(of: layout, request.variables) {
      return try fetch(request, predicate, equality, layout, in: context)
    }
    var evaluation = EvaluationContext(variables: request.variables)
    var found: [ManagedObject] = []
    try forEachStored(layout, in: context) { object in
      guard request.includesSubentities || object.layout === layout else { return }
      evaluation.object = .object(ManagedObjectValues(object))
      if try predicate == .everything || predicate.evaluate(in: evaluation) { found.append(object) }
    }
    return found
  }

  /// Fetches what has a value, which an index finds, and satisfies the rest of the predicate.
  private func fetch(
    _ request: FetchRequest, _ predicate: Predicate, _ equality: (attribute: Int, value: ExpressionValue),
    _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    let evaluation =
      if case .comparison = predicate { nil as EvaluationContext? } else {
        EvaluationContext(variables: request.variables)
      }
    var found: [ManagedObject] = []
    let entry = try index(on: equality.attribute, of: layout).entry(for: equality.value)
    try entry.forEach { id in
      guard let object = context.object(with: id), request.includesSubentities || object.layout === layout else {
        return
      }
      if !entry.isExact {
        // The value may have changed since.
        let name = layout.attributeNames[equality.attribute]
        let index = object.layout.attributeIndex(name, expectedAt: equality.attribute)
        guard let index, ExpressionValue(object.value(at: index)) == equality.value else { return }
      }
      if var evaluation {
        evaluation.object = .object(ManagedObjectValues(object))
        guard try predicate.evaluate(in: evaluation) else { return }
      }
      recent.keep(object)
      found.append(object)
    }
    return found
  }

  /// Hands out all instances of an entity and its subentities, in the order of their keys.
  private func forEachStored(
    _ layout: EntityLayout, in context: ManagedObjectContext, _ body: (ManagedObject) throws -> Void
  ) throws {
    try flush()
    let rows = layout.rows(includesSubentities: true, where: nil)
    let statement = try store.writer.connection.prepare(
      fragment: "SELECT \(layout.selectedColumns) \(rows) ORDER BY Z_PK")
    while try statement.step() {
      let id = ManagedObjectID(
        store: .destination, entityNumber: layout.entityNumber(statement), primaryKey: statement.integer(0))
      guard let object = context.object(with: id) else { continue }
      if object.attributeValues.isEmpty, object.layout === layout { layout.read(statement, into: object) }
      try body(object)
    }
  }

  private func index(on attribute: Int, of layout: EntityLayout) throws -> AttributeIndex {
    if let index = index(layout, attribute) { return index }
    try flush()
    let index = AttributeIndex(layout, attribute)
    let (column, type) = (layout.attributes[attribute].column ?? "Z_PK", layout.attributes[attribute].type)
    let rows = layout.rows(includesSubentities: true, where: nil)
    let statement = try store.writer.connection.prepare(
      fragment: "SELECT Z_PK, Z_ENT, \(identifier: column) \(rows) ORDER BY Z_PK")
    while try statement.step() {
      let id = ManagedObjectID(
        store: .destination, entityNumber: layout.entityNumber(statement), primaryKey: statement.integer(0))
      index.add(id, ColumnValue(statement, 2).attributeValue(type))
    }
    add(index)
    return index
  }
}

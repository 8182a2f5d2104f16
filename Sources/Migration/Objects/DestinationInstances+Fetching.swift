internal import DataModel
internal import Expressions
internal import PersistentStore
internal import SQLite

extension DestinationInstances {
  func fetch(
    _ request: FetchRequest, _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    let predicate = request.predicate ?? .everything
    var evaluation = EvaluationContext(variables: request.variables)
    var found: [ManagedObject] = []
    func keepIfWanted(_ object: ManagedObject) throws {
      guard request.includesSubentities || object.layout === layout else { return }
      evaluation.object = .object(ManagedObjectValues(object))
      if try predicate == .everything || predicate.evaluate(in: evaluation) { found.append(object) }
    }
    if let (attribute, value) = predicate.equalAttribute(of: layout, request.variables) {
      for id in try index(on: attribute, of: layout).instances(with: value) {
        if let object = context.object(with: id) { try keepIfWanted(object) }
      }
    } else {
      try forEachStored(layout, in: context, keepIfWanted)
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

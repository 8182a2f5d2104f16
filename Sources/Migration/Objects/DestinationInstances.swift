internal import DataModel
internal import Diagnostics
internal import Expressions
internal import PersistentStore
internal import SQLite

/// The instances that policies insert: kept until there are many, then written to the new store and read again when
/// they are asked for.
///
/// Links are kept as keys to the end, for only then is it known what every relationship leads to.
final class DestinationInstances: InstanceStore {
  let kind = ManagedObjectID.Store.destination
  let layouts: EntityLayouts
  let store: DestinationStore
  var links: LinkStore
  /// The instances with something that the store has not, in the order in which they were changed first.
  var changed: [ManagedObject] = []
  /// The instances that were deleted.
  private(set) var deleted: Set<ManagedObjectID> = []
  /// The instances that were inserted, in order; some may be deleted since.
  private(set) var inserted: [ManagedObjectID] = []
  var statements: [String: Statement] = [:]
  private var indexes: [AttributeIndex] = []

  /// As many changed instances are kept in memory.
  static let changedLimit = 8192

  init(_ store: DestinationStore) {
    self.store = store
    links = LinkStore(store.schema.model)
    layouts = EntityLayouts(store.schema, ends: links.endIndexes)
  }

  var schema: StoreSchema { store.schema }

  func insert(_ layout: EntityLayout, in context: ManagedObjectContext) throws(MigrationError) -> ManagedObject {
    let key = try store.primaryKeys.next(forRootEntityNamed: layout.table.entityNames.first ?? layout.entity.name)
    let object = ManagedObject(
      layout, ManagedObjectID(store: .destination, entityNumber: layout.number, primaryKey: key), in: context)
    object.attributeValues = layout.attributes.map(\.description.defaultValue)
    context.add(object)
    markChanged(object)
    inserted.append(object.objectID)
    for index in indexes where index.covers(layout) { index.add(object) }
    return object
  }

  func delete(_ object: ManagedObject) {
    links.removeAll(of: object.objectID, ends: object.layout.relationships.compactMap(\.end))
    deleted.insert(object.objectID)
    // A row that is written already goes with the next flush.
    if object.isStored { markChanged(object) }
  }

  func attributeChanged(_ object: ManagedObject, _ index: Int, _ value: AttributeValue?) {
    markChanged(object)
    for attributeIndex in indexes where attributeIndex.covers(object.layout) {
      attributeIndex.add(object, changedAttribute: index)
    }
  }

  private func markChanged(_ object: ManagedObject) {
    guard !object.isChanged else { return }
    object.isChanged = true
    changed.append(object)
  }

  func load(_ object: ManagedObject) throws {
    let layout = object.layout
    let statement = try prepared(
      "SELECT \(layout.selectedColumns.sql) FROM \(layout.table.name.quotedIdentifier) AS t0 WHERE Z_PK = ?")
    defer { statement.reset() }
    try statement.bind(object.objectID.primaryKey, at: 1)
    guard try statement.step() else {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(entity: layout.entity.name, row: object.objectID.primaryKey),
        detail: "the instance is not there, or was deleted")
    }
    object.attributeValues = layout.values(statement)
  }

  func destinations(
    of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) -> [ManagedObjectID] {
    relationship.end.map { links.destinations($0, of: object.objectID.primaryKey) } ?? []
  }

  func setDestinations(
    _ destinations: [ManagedObject], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws {
    guard let end = relationship.end else { return }
    let description = relationship.description
    let subject = MigrationError.Subject(
      entity: object.entity.name, property: description.name, row: object.objectID.primaryKey)
    let family = layouts[description.destinationEntityName]?.family ?? []
    for destination in destinations {
      guard destination.objectID.store == .destination else {
        throw MigrationError(
          .policyFailed, subject, detail: "it is given an instance of the source, not of the destination")
      }
      guard family.contains(destination.objectID.entityNumber) else {
        throw MigrationError(
          .policyFailed, subject,
          detail: "instances of \(description.destinationEntityName) are wanted, not of \(destination.entity.name)")
      }
    }
    var seen: Set<ManagedObjectID> = []
    let distinct = destinations.map(\.objectID).filter { seen.insert($0).inserted && !deleted.contains($0) }
    guard description.isToMany || distinct.count <= 1 else {
      throw MigrationError(
        .policyFailed, subject, detail: "it is to-one, and is given \(distinct.count) instances")
    }
    links.set(end, of: object.objectID, to: distinct)
  }

  func fetch(
    _ request: FetchRequest, _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    let predicate = request.predicate ?? .everything
    var evaluation = EvaluationContext(variables: request.variables)
    func accepts(_ object: ManagedObject) throws -> Bool {
      guard !object.isDeleted, request.includesSubentities || object.layout === layout else { return false }
      evaluation.object = .object(ManagedObjectValues(object))
      return try predicate == .everything || predicate.evaluate(in: evaluation)
    }
    if let (attribute, value) = predicate.equalAttribute(of: layout) {
      let candidates = try index(layout, attribute, in: context).instances(with: value)
      return try candidates.compactMap { context.object(with: $0) }.filter(accepts)
    }
    return try storedInstances(of: layout, in: context).filter(accepts)
  }

  /// All instances of an entity and its subentities, in the order of their keys.
  private func storedInstances(of layout: EntityLayout, in context: ManagedObjectContext) throws -> [ManagedObject] {
    try flush()
    let rows = layout.rows(includesSubentities: true, where: nil)
    let statement = try store.writer.connection.prepare(query: "SELECT \(layout.selectedColumns) \(rows) ORDER BY Z_PK")
    var found: [ManagedObject] = []
    while try statement.step() {
      let id = ManagedObjectID(
        store: .destination, entityNumber: layout.entityNumber(statement), primaryKey: statement.integer(0))
      guard let object = context.object(with: id) else { continue }
      if object.attributeValues.isEmpty, object.layout === layout { object.attributeValues = layout.values(statement) }
      found.append(object)
    }
    return found
  }

  private func index(
    _ layout: EntityLayout, _ attribute: String, in context: ManagedObjectContext
  ) throws -> AttributeIndex {
    if let index = indexes.first(where: { $0.layout === layout && $0.attribute == attribute }) { return index }
    let index = AttributeIndex(layout, attribute)
    for object in try storedInstances(of: layout, in: context) { index.add(object) }
    indexes.append(index)
    return index
  }

  /// Forgets what was found out of rows, since others have been written.
  func rowsWereAdded() { indexes = [] }

  func prepared(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try store.writer.connection.prepare(sql)
    statements[sql] = statement
    return statement
  }
}

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
  /// The bytes that were set since the last flush, about.
  var changedByteCount = 0
  /// The instances that were deleted.
  private(set) var deleted: Set<ManagedObjectID> = []
  /// The keys of the instances that were inserted, by entity number; some may be deleted since.
  private(set) var inserted: [Int32: KeyRuns] = [:]
  var statements = StatementCache()
  private var indexes: [AttributeIndex] = []
  /// What was found by its value.
  var recent = RecentInstances()

  /// As many changed instances are kept in memory; about three times as many may be on their way to the store.
  static let changedLimit = 2048

  /// Fewer are kept if their values are larger than this altogether.
  static let changedByteLimit = 4 << 20

  init(_ store: DestinationStore) {
    self.store = store
    links = LinkStore(store.schema.model)
    layouts = EntityLayouts(store.schema, ends: links.endIndexes)
  }

  var schema: StoreSchema { store.schema }

  var path: String { store.writer.path }

  func insert(_ layout: EntityLayout, in context: ManagedObjectContext) throws(MigrationError) -> ManagedObject {
    let key = try store.primaryKeys.next(forRootEntityNamed: layout.rootEntityName)
    let object = ManagedObject(
      layout, ManagedObjectID(store: .destination, entityNumber: layout.number, primaryKey: key), in: context)
    object.attributeValues = layout.defaultValues
    context.add(object)
    markChanged(object)
    inserted[layout.number, default: KeyRuns()].append(key)
    for index in indexes where index.covers(layout) { index.add(object) }
    return object
  }

  func delete(_ object: ManagedObject) {
    var waiting = [object]
    while let next = waiting.popLast() {
      guard !next.isDeleted else { continue }
      next.isDeleted = true
      let relationships = next.layout.relationships
      for relationship in relationships where relationship.description.deleteRule == .cascade {
        waiting += destinations(of: next, relationship).compactMap { next.managedObjectContext.object(with: $0) }
      }
      links.removeAll(of: next.objectID, ends: relationships.compactMap(\.end))
      deleted.insert(next.objectID)
      // A row that is written already goes with the next flush.
      if next.isStored { markChanged(next) }
    }
  }

  func isDeleted(_ objectID: ManagedObjectID) -> Bool { !deleted.isEmpty && deleted.contains(objectID) }

  func attributeChanged(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?) {
    markChanged(object)
    changedByteCount += new?.byteCount ?? 0
    for attributeIndex in indexes where attributeIndex.covers(object.layout) {
      attributeIndex.change(object, index, from: old, to: new)
    }
  }

  private func markChanged(_ object: ManagedObject) {
    guard !object.isChanged else { return }
    object.isChanged = true
    changed.append(object)
  }

  func load(_ object: ManagedObject) throws {
    try store.rows.wait()
    let layout = object.layout
    let statement = try statements.statement(.load, layout) { () throws(SQLiteError) in
      try store.writer.connection.prepare(
        fragment: "SELECT \(layout.selectedColumns) FROM \(identifier: layout.table.name) AS t0 WHERE Z_PK = ?")
    }
    defer { statement.reset() }
    try statement.bind(object.objectID.primaryKey, at: 1)
    guard try statement.step() else {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(entity: layout.entity.name, row: object.objectID.primaryKey),
        detail: "the instance is not there, or was deleted")
    }
    layout.read(statement, into: object)
    recent.wasRead(object)
  }

  /// Adds an index, which is kept up from then on.
  func add(_ index: AttributeIndex) { indexes.append(index) }

  func index(_ layout: EntityLayout, _ attribute: Int) -> AttributeIndex? {
    indexes.first { $0.layout === layout && $0.attribute == attribute }
  }

  /// Forgets what was found out of rows, since others have been written.
  func rowsWereAdded() { indexes = [] }

  /// Lets go of all instances and of what keeps the store open.
  func close() {
    changed = []
    indexes = []
    recent = RecentInstances()
    statements.removeAll()
    store.rows.close()
  }
}

extension AttributeValue {
  /// The bytes that the value takes up, as far as they matter.
  var byteCount: Int {
    switch self {
    case .string(let text), .uri(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .integer, .double, .boolean, .date, .uuid: 0
    }
  }
}

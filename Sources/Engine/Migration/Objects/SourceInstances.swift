internal import CoreDataExpressions
internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The instances of the source store, which are read on demand and never written.
final class SourceInstances: InstanceStore {
  let kind = ManagedObjectID.Store.source
  let schema: StoreSchema
  let layouts: EntityLayouts
  private let reader: StoreReader
  private let naming: StoreSQLSchema
  private var statements = StatementCache()

  init(_ reader: StoreReader, schema: StoreSchema) {
    self.reader = reader
    self.schema = schema
    layouts = EntityLayouts(schema)
    naming = StoreSQLSchema(schema, reading: reader)
  }

  var path: String { reader.file.path }

  func insert(_ layout: EntityLayout, in context: ManagedObjectContext) throws(MigrationError) -> ManagedObject {
    throw MigrationError(
      .policyFailed, MigrationError.Subject(entity: layout.entity.name),
      detail: "an instance is to be inserted into the source, which is only read")
  }

  func delete(_ object: ManagedObject) {
    object.managedObjectContext.record(
      MigrationError(
        .policyFailed, MigrationError.Subject(entity: object.entity.name, row: object.objectID.primaryKey),
        detail: "an instance of the source, which is only read, is to be deleted"))
  }

  func isDeleted(_ objectID: ManagedObjectID) -> Bool { false }

  func attributeChanged(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?) {}

  func load(_ object: ManagedObject) throws {
    guard try statements.read(object, reader.connection) else {
      throw MigrationError(
        .damaged, MigrationError.Subject(path: reader.file.path),
        detail: "a relationship leads to \(object.entityName) \(object.objectID.primaryKey), which is not there")
    }
  }

  func fetch(
    _ request: FetchRequest, _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    var found: [ManagedObject] = []
    try forEach(
      layout, request.predicate, variables: request.variables, includesSubentities: request.includesSubentities,
      in: context
    ) { found.append($0) }
    return found
  }

  /// Calls a closure with the instances of an entity that satisfy a predicate, one by one in the order of their keys.
  ///
  /// If a connection is available that nothing else uses meanwhile, their rows are read ahead.
  func forEach(
    _ layout: EntityLayout, _ predicate: Predicate?, variables: [String: ExpressionValue] = [:],
    includesSubentities: Bool = false, ahead connection: SourceConnection? = nil, in context: ManagedObjectContext,
    _ body: (ManagedObject) throws -> Void
  ) throws {
    let (query, filter) = query(layout, predicate, includesSubentities: includesSubentities)
    var evaluation = EvaluationContext(variables: variables)
    /// Passes on the instance of a row, whose values are read if they are needed.
    func handOut(_ id: ManagedObjectID, _ values: () -> StoredValues) throws {
      guard let object = context.object(with: id) else { return }
      if object.attributeValues.isEmpty, object.layout === layout { object.take(values()) }
      if try filter.accepts(object, &evaluation) { try body(object) }
    }
    if let connection {
      let reading = SourceRowPrefetcher(query, layout, connection)
      defer { reading.stop() }
      while let rows = try reading.next() {
        for row in rows { try handOut(row.id) { row.values } }
      }
      return
    }
    let statement = try reader.connection.prepare(fragment: query)
    while try statement.step() {
      let id = ManagedObjectID(
        store: .source, entityNumber: layout.entityNumber(statement), primaryKey: statement.integer(0))
      try handOut(id) { layout.values(statement) }
    }
  }

  /// The statement for the rows, and what is evaluated on them.
  private func query(
    _ layout: EntityLayout, _ predicate: Predicate?, includesSubentities: Bool
  ) -> (SQLFragment, filter: RowFilter) {
    let filter = RowFilter(predicate, layout, naming: naming)
    let rows = layout.rows(includesSubentities: includesSubentities, where: filter.condition)
    return ("SELECT \(layout.selectedColumns) \(rows) ORDER BY Z_PK", filter)
  }

  /// The way in which the instances of an entity that satisfy a predicate are found.
  func explanation(
    _ layout: EntityLayout, _ predicate: Predicate?, includesSubentities: Bool
  ) throws(SQLiteError) -> FetchExplanation {
    let (query, filter) = query(layout, predicate, includesSubentities: includesSubentities)
    let statement = try reader.connection.prepare(fragment: query)
    return FetchExplanation(
      sql: statement.expandedSQL ?? query.sql, evaluated: filter.predicate, obstacles: filter.obstacles)
  }

  /// The number of instances of exactly this entity that satisfy a predicate, as far as SQL can evaluate it.
  func count(_ layout: EntityLayout, _ predicate: Predicate?) throws -> Int {
    let filter = RowFilter(predicate, layout, naming: naming)
    let rows = layout.rows(includesSubentities: false, where: filter.condition)
    let statement = try reader.connection.prepare(fragment: "SELECT count(*) \(rows)")
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  func destinations(
    of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws -> [ManagedObjectID] {
    let name = relationship.description.name
    if let known = object.knownDestinations(name) { return known }
    let found = try readDestinations(of: object, relationship, isChecked: true)
    object.know(found, of: name)
    return found
  }

  /// The same for callers that look for what the destinations have become: a dangling key has become nothing.
  func keys(
    of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws -> [ManagedObjectID] {
    if let known = object.knownDestinations(relationship.description.name) { return known }
    let destination = layouts[relationship.description.destinationEntityName]
    // With several entities, only the destinations' rows tell which belongs to which.
    return try readDestinations(of: object, relationship, isChecked: destination?.table.entityNames.count != 1)
  }

  func setDestinations(
    _ destinations: [ManagedObjectID], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws {
    guard destinations.allSatisfy({ $0.store == .source }) else {
      throw MigrationError(
        .policyFailed,
        MigrationError.Subject(
          entity: object.entity.name, property: relationship.description.name, row: object.objectID.primaryKey),
        detail: "it is given an instance of the destination, not of the source")
    }
    object.know(destinations, of: relationship.description.name)
  }

  private func readDestinations(
    of object: ManagedObject, _ relationship: EntityLayout.Relationship, isChecked: Bool
  ) throws -> [ManagedObjectID] {
    guard let layout = relationship.layout,
      let destination = layouts[relationship.description.destinationEntityName]
    else { return [] }
    let purpose: StatementCache.Key.Purpose =
      isChecked ? .follow(relationship.index) : .followKeys(relationship.index)
    let statement = try statements.statement(purpose, object.layout) { () throws(SQLiteError) in
      let source = object.layout.table.name
      let mirror = relationship.description.inverseName.flatMap(destination.relationship)?.layout
      let target = destination.table.name
      let query =
        isChecked
        ? layout.query(from: source, to: target, mirror: mirror)
        : layout.keyQuery(from: source, to: target, mirror: mirror)
      return try reader.connection.prepare(fragment: query)
    }
    defer { statement.reset() }
    try statement.bind(object.objectID.primaryKey, at: 1)
    var found: [ManagedObjectID] = []
    while try statement.step() {
      found.append(
        ManagedObjectID(
          store: .source, entityNumber: destination.entityNumber(statement), primaryKey: statement.integer(0)))
    }
    return found
  }

  /// Releases everything that keeps the store open.
  func close() { statements.removeAll() }
}

/// Keeps the most recently found instances in memory.
///
/// A policy tends to look for the same instances again, and nothing else retains them in between.
struct RecentInstances {
  /// A ring buffer: the newest instance replaces the oldest.
  private var instances: [ManagedObject?] = []
  private var oldest = 0

  private let limit: Int
  /// Larger instances are read again, so that all of them together stay small.
  private let byteLimit: Int

  init(limit: Int = 8192, byteLimit: Int = 512) {
    (self.limit, self.byteLimit) = (limit, byteLimit)
  }

  /// Keeps an instance, which may not have been read yet.
  mutating func keep(_ object: ManagedObject) {
    guard object.recentPlace == nil, isSmall(object) else { return }
    if instances.count < limit {
      object.recentPlace = instances.count
      return instances.append(object)
    }
    instances[oldest]?.recentPlace = nil
    object.recentPlace = oldest
    instances[oldest] = object
    oldest = (oldest + 1) % limit
  }

  /// Releases an instance that turned out to be large when it was read.
  mutating func wasRead(_ object: ManagedObject) {
    guard let place = object.recentPlace, !isSmall(object) else { return }
    object.recentPlace = nil
    instances[place] = nil
  }

  private func isSmall(_ object: ManagedObject) -> Bool {
    object.attributeValues.reduce(0) { $0 + ($1?.byteCount ?? 0) } <= byteLimit
  }
}

/// Reusable statements for the instances of an entity.
struct StatementCache {
  struct Key: Hashable {
    enum Purpose: Hashable {
      case load
      case insert
      case update
      case delete
      /// Follows the relationship at this index.
      case follow(Int)
      /// Follows it without reading the destinations' own rows.
      case followKeys(Int)
    }

    let purpose: Purpose
    let entityNumber: Int32
  }

  private var statements: [Key: Statement] = [:]

  mutating func statement(
    _ purpose: Key.Purpose, _ layout: EntityLayout, _ make: () throws(SQLiteError) -> Statement
  ) throws(SQLiteError) -> Statement {
    let key = Key(purpose: purpose, entityNumber: layout.number)
    if let statement = statements[key] { return statement }
    let statement = try make()
    statements[key] = statement
    return statement
  }

  /// Reads the values of an instance.
  ///
  /// - Returns: Whether there is a row for it.
  mutating func read(_ object: ManagedObject, _ connection: Connection) throws(SQLiteError) -> Bool {
    let layout = object.layout
    let statement = try statement(.load, layout) { () throws(SQLiteError) in
      try connection.prepare(
        fragment: "SELECT \(layout.selectedColumns) FROM \(identifier: layout.table.name) AS t0 WHERE Z_PK = ?")
    }
    defer { statement.reset() }
    try statement.bind(object.objectID.primaryKey, at: 1)
    guard try statement.step() else { return false }
    object.take(layout.values(statement))
    return true
  }

  /// Releases everything that keeps the store open.
  mutating func removeAll() { statements = [:] }
}

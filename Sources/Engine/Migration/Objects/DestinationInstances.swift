internal import CoreDataExpressions
internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The instances that policies insert.
///
/// They are kept until there are many, then written to the new store, and read again on demand.
///
/// Links are kept as keys until the end, because only then are the destinations of every relationship known.
final class DestinationInstances: InstanceStore {
  let kind = ManagedObjectID.Store.destination
  let layouts: EntityLayouts
  let store: DestinationStore
  @exclusivity(unchecked) var links: LinkStore
  /// The instances with unsaved changes, in the order of their first change.
  @exclusivity(unchecked) var changed: [ManagedObject] = []
  /// The approximate number of bytes set since the last flush.
  @exclusivity(unchecked) var changedByteCount = 0
  /// The instances that were deleted.
  @exclusivity(unchecked) private(set) var deleted: Set<ManagedObjectID> = []
  /// The keys of the inserted instances, by the place of the entity; some may have been deleted since.
  @exclusivity(unchecked) private var inserted: [(keys: PrimaryKeys, runs: KeyRuns)]
  var statements = StatementCache()
  @exclusivity(unchecked) private var indexes: [AttributeIndex] = [] {
    didSet { indexesByPlace = layouts.all.map { layout in indexes.filter { $0.covers(layout) } } }
  }
  /// The indexes that hold instances of an entity, by its place.
  @exclusivity(unchecked) private var indexesByPlace: [[AttributeIndex]]
  /// Instances that were found by a value.
  @exclusivity(unchecked) var recent = RecentInstances()

  /// The number of changed instances kept in memory; about three times as many may be waiting to be written.
  private static let changedLimit = 2048

  /// Fewer are kept if the total size of their values exceeds this.
  private static let changedByteLimit = 4 << 20

  init(_ store: DestinationStore) {
    self.store = store
    links = LinkStore(store.schema.model)
    layouts = EntityLayouts(store.schema, ends: links.endIndexes)
    indexesByPlace = layouts.all.map { _ in [] }
    inserted = layouts.all.map { (store.primaryKeys.keys(forRootEntityNamed: $0.rootEntityName), KeyRuns()) }
  }

  var schema: StoreSchema { store.schema }

  var path: String { store.writer.path }

  func insert(_ layout: EntityLayout, in context: ManagedObjectContext) throws(MigrationError) -> ManagedObject {
    let key = try inserted[layout.place].keys.next()
    let object = ManagedObject(
      layout, ManagedObjectID(store: .destination, entityNumber: layout.number, primaryKey: key), in: context)
    object.attributeValues = layout.defaultValues
    context.add(object)
    markChanged(object)
    inserted[layout.place].runs.append(key)
    for index in indexesByPlace[layout.place] { index.add(object) }
    return object
  }

  /// The keys of the inserted instances of exactly this entity; some may have been deleted since.
  func insertedKeys(of layout: EntityLayout) -> KeyRuns { inserted[layout.place].runs }

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
      // A row that is already written is updated by the next flush.
      if next.isStored { markChanged(next) }
    }
  }

  func isDeleted(_ objectID: ManagedObjectID) -> Bool { !deleted.isEmpty && deleted.contains(objectID) }

  func attributeChanged(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?) {
    markChanged(object)
    changedByteCount += new?.byteCount ?? 0
    for attributeIndex in indexesByPlace[object.layout.place] {
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
    guard try statements.read(object, store.writer.connection) else {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(entity: object.entityName, row: object.objectID.primaryKey),
        detail: "the instance does not exist or was deleted")
    }
    recent.wasRead(object)
  }

  /// Adds an index, which is updated from then on.
  func add(_ index: AttributeIndex) { indexes.append(index) }

  func index(_ layout: EntityLayout, _ attribute: Int) -> AttributeIndex? {
    indexesByPlace[layout.place].first { $0.layout === layout && $0.attribute == attribute }
  }

  /// Discards the indexes built from rows, because other rows have been written.
  func rowsWereAdded() { indexes = [] }

  /// Releases all instances and everything that keeps the store open.
  func close() {
    changed = []
    indexes = []
    recent = RecentInstances()
    statements.removeAll()
    store.rows.close()
  }
}

extension AttributeValue {
  /// The approximate number of bytes that the value takes up.
  var byteCount: Int {
    switch self {
    case .string(let text), .uri(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .integer, .double, .boolean, .date, .uuid: 0
    }
  }
}

extension DestinationInstances {
  func fetch(
    _ request: FetchRequest, _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    let predicate = request.predicate ?? .everything
    if let equality = predicate.equalAttribute(of: layout, request.variables) {
      let found = try instances(
        of: layout, where: equality.attribute, equals: equality.value, request.includesSubentities, in: context)
      // The comparison may be all that there is.
      if case .comparison = predicate { return found }
      var evaluation = EvaluationContext(variables: request.variables)
      return try found.filter { object in
        evaluation.object = .object(ManagedObjectValues(object))
        return try predicate.evaluate(in: evaluation)
      }
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

  /// Finds the instances with a value, using an index.
  func instances(
    of layout: EntityLayout, where attribute: Int, equals value: ExpressionValue, _ includesSubentities: Bool,
    in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    var found: [ManagedObject] = []
    try forEachInstance(of: layout, where: attribute, equals: value, includesSubentities, in: context) {
      found.append($0)
    }
    return found
  }

  /// Calls a closure with the instances with a value, which are found using an index.
  func forEachInstance(
    of layout: EntityLayout, where attribute: Int, equals value: ExpressionValue, _ includesSubentities: Bool,
    in context: ManagedObjectContext, _ body: (ManagedObject) -> Void
  ) throws {
    let entry = try index(on: attribute, of: layout).entry(for: value)
    entry.forEach { id in
      guard let object = context.object(with: id), includesSubentities || object.layout === layout else { return }
      if !entry.isExact {
        // The value may have changed since.
        let index = object.layout.attributeIndex(layout.attributeNames[attribute], expectedAt: attribute)
        guard let index, ExpressionValue(object.value(at: index)) == value else { return }
      }
      recent.keep(object)
      body(object)
    }
  }

  /// Calls a closure with all instances of an entity and its subentities, in the order of their keys.
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
      if object.attributeValues.isEmpty, object.layout === layout { object.take(layout.values(statement)) }
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

  // MARK: - Links

  func destinations(
    of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) -> [ManagedObjectID] {
    existing(relationship.end.map { links.destinations($0, of: object.objectID.primaryKey) } ?? [])
  }

  /// Excludes deleted instances: relationships without an inverse may still refer to them.
  func existing(_ destinations: [ManagedObjectID]) -> [ManagedObjectID] {
    deleted.isEmpty ? destinations : destinations.filter { !deleted.contains($0) }
  }

  func setDestinations(
    _ destinations: [ManagedObjectID], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws {
    try setDestinations(destinations, of: object.objectID, object.layout, relationship)
  }

  /// Sets the destinations of a relationship, ignoring deleted instances on either side.
  func setDestinations(
    _ destinations: [ManagedObjectID], of owner: ManagedObjectID, _ layout: EntityLayout,
    _ relationship: EntityLayout.Relationship
  ) throws(MigrationError) {
    guard let end = relationship.end, !isDeleted(owner) else { return }
    let description = relationship.description
    func refusal(_ detail: String) -> MigrationError {
      MigrationError(
        .policyFailed,
        MigrationError.Subject(entity: layout.entity.name, property: description.name, row: owner.primaryKey),
        detail: detail)
    }
    for destination in destinations {
      guard destination.store == .destination else {
        throw refusal("it is given an instance of the source, not of the destination")
      }
      guard relationship.accepts(destination.entityNumber) else {
        let name = layouts[destination.entityNumber]?.entity.name ?? ""
        throw refusal("instances of \(description.destinationEntityName) are wanted, not of \(name)")
      }
    }
    let distinct = existing(destinations.count < 2 ? destinations : destinations.distinct)
    guard description.isToMany || distinct.count <= 1 else {
      throw refusal("it is to-one, and is given \(distinct.count) instances")
    }
    links.set(end, of: owner, to: distinct)
  }
}

extension [ManagedObjectID] {
  /// The elements without duplicates, in order of first occurrence.
  fileprivate var distinct: [ManagedObjectID] {
    // A set costs more than comparing a few elements.
    if count <= 8, indices.dropFirst().allSatisfy({ !self[..<$0].contains(self[$0]) }) { return self }
    var seen: Set<ManagedObjectID> = []
    return filter { seen.insert($0).inserted }
  }
}

extension DestinationInstances {
  /// Writes the changes if there are many, and releases them from memory.
  ///
  /// Writing may still be in progress when this returns.
  func flushIfNeeded() throws {
    guard changed.count >= Self.changedLimit || changedByteCount >= Self.changedByteLimit else { return }
    try store.rows.write(takeChangedRows())
  }

  /// Writes the changed values; links are written at the end.
  func flush() throws { try store.rows.writeNow(takeChangedRows()) }

  /// Writes everything, and releases what keeps the store open.
  func save() throws {
    try flush()
    for (index, end) in links.ends.enumerated() { try writeKeys(index, end) }
    try writeJoinTables()
    statements.removeAll()
    store.rows.close()
  }

  /// The rows of the changed instances, which count as written from now on.
  private func takeChangedRows() -> [ChangedRow] {
    let objects = changed
    changed = []
    changedByteCount = 0
    return objects.compactMap { object in
      object.isChanged = false
      let wasStored = object.isStored
      object.isStored = !object.isDeleted
      if object.isDeleted, !wasStored { return nil }
      return ChangedRow(
        change: object.isDeleted ? .deletion : wasStored ? .update : .insertion, layout: object.layout,
        primaryKey: object.objectID.primaryKey,
        values: StoredValues(
          attributes: object.attributeValues, externalFileNames: object.externalFileNames,
          invalidTexts: object.invalidTexts))
    }
  }

  // MARK: - Saving links

  /// Writes the foreign keys of a relationship: into the rows of its own instances, or hidden in those of its
  /// destinations.
  private func writeKeys(_ index: Int, _ end: LinkStore.End) throws {
    let isInJoinTable = end.isToMany && end.inverse.map { links.ends[$0].isToMany } ?? false
    defer { if !isInJoinTable { links.forget(index) } }
    guard let description = end.description, let owner = layouts[end.key.entity] else { return }
    let table = owner.table
    switch owner.relationship(description.name)?.layout {
    case .own(let key, let entity, _):
      let entityColumn = entity.map { ", \($0.quotedIdentifier) = ?3" } ?? ""
      let statement = try store.writer.connection.prepare(
        "UPDATE \(table.name.quotedIdentifier) SET \(key.quotedIdentifier) = ?1\(entityColumn) WHERE Z_PK = ?2")
      try links.one[index].forEach { owner, destination in
        guard !isDeleted(destination) else { return }
        try statement.bind(destination.primaryKey, at: 1)
        try statement.bind(owner, at: 2)
        if entity != nil { try statement.bind(Int64(destination.entityNumber), at: 3) }
        try statement.run()
      }
    case .destination(let table, let key, let order):
      if let order { try writeOrder(index, table, order) }
      // If there is an inverse, the inverse writes the key.
      guard description.inverseName == nil else { return }
      let statement = try store.writer.connection.prepare(
        "UPDATE \(table.quotedIdentifier) SET \(key.quotedIdentifier) = ?1 WHERE Z_PK = ?2")
      try links.many[index].forEachLink { owner, destination in
        try statement.bind(owner, at: 1)
        try statement.bind(destination.primaryKey, at: 2)
        try statement.run()
      }
    case .join, nil: break
    }
  }

  /// Writes the positions of an ordered relationship's destinations into their rows.
  private func writeOrder(_ index: Int, _ table: String, _ column: String) throws {
    let statement = try store.writer.connection.prepare(
      "UPDATE \(table.quotedIdentifier) SET \(column.quotedIdentifier) = ?1 WHERE Z_PK = ?2")
    try links.many[index].forEach { _, destinations in
      for (place, destination) in destinations.enumerated() {
        try statement.bind(OrderKey.key(at: place), at: 1)
        try statement.bind(destination.primaryKey, at: 2)
        try statement.run()
      }
    }
  }

  /// Writes the links of all many-to-many relationships.
  private func writeJoinTables() throws {
    for table in schema.joinTables {
      guard let naming = links.endIndexes[table.naming.key], let inverse = links.endIndexes[table.inverse.key] else {
        continue
      }
      if !table.isOrdered {
        let (end, side) = links.isBehind(naming) ? (inverse, table.inverse) : (naming, table.naming)
        if inverse != naming { links.forget(end == naming ? inverse : naming) }
        guard !links.isEmpty(end) else { continue }
        let buffer = try store.links(forRelationship: side.relationshipName, ofEntityNamed: side.entityName)
        links.forEachLink(end) { buffer.append(from: $0, to: $1.primaryKey) }
      } else {
        try writeOrdered(table, naming, inverse)
      }
      links.forget(naming)
      links.forget(inverse)
    }
  }

  private func writeOrdered(_ table: JoinTable, _ naming: Int, _ inverse: Int) throws {
    /// The positions of instances among the destinations of the other side.
    var places: [Link: Int64] = [:]
    if table.inverse.orderColumn != nil {
      links.many[inverse].forEach { owner, destinations in
        for (place, destination) in destinations.enumerated() {
          places[Link(first: destination.primaryKey, second: owner)] = OrderKey.key(at: place)
        }
      }
    }
    var rows: [OrderedLink] = []
    links.many[naming].forEach { owner, destinations in
      for (place, destination) in destinations.enumerated() {
        let link = Link(first: owner, second: destination.primaryKey)
        rows.append(
          OrderedLink(
            link: link, inverseOrder: places[link], namingOrder: OrderKey.key(at: place)))
      }
    }
    let count = try store.writer.insertOrderedLinks(rows, into: table)
    store.addLinkCount(count, of: table)
  }
}

extension JoinTable.Side {
  fileprivate var key: RelationshipKey { RelationshipKey(entity: entityName, name: relationshipName) }
}

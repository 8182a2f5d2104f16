public import MigrationDiagnostics
public import PersistentStore
internal import SQLiteDatabase

/// The store that a migration writes, as seen by policies that work in bulk.
public final class DestinationStore {
  /// The layout of the store.
  public var schema: StoreSchema { writer.schema }
  let writer: StoreWriter
  let primaryKeys = PrimaryKeyAllocator()
  /// Writes the rows of the instances that policies insert into the context.
  let rows: BackgroundRowWriter
  private var linkBuffers: [String: LinkBuffer] = [:]
  /// The number of rows written into join tables without a buffer.
  private var orderedLinkCounts: [String: Int] = [:]

  init(_ writer: StoreWriter) {
    self.writer = writer
    rows = BackgroundRowWriter(writer.connection)
  }

  /// The next free primary key of an entity.
  public func nextPrimaryKey(forEntityNamed name: String) throws(MigrationError) -> Int64 {
    try primaryKeys.next(forRootEntityNamed: schema.table(forEntityNamed: name)?.entityNames.first ?? name)
  }

  /// Prepares to add instances of an entity with values for the named properties.
  public func inserter(forEntityNamed entity: String, properties: [String]) throws(MigrationError) -> InstanceInserter {
    try keepRowsInStep()
    return try writer.inserter(forEntityNamed: entity, properties: properties)
  }

  /// Prepares to change the named properties of instances that have been added.
  public func updater(forEntityNamed entity: String, properties: [String]) throws(MigrationError) -> InstanceUpdater {
    try keepRowsInStep()
    return try writer.updater(forEntityNamed: entity, properties: properties)
  }

  /// Writes rows on this thread from now on, because other code uses the connection.
  func keepRowsInStep() throws(MigrationError) {
    do {
      try rows.stayInStep()
    } catch {
      throw MigrationError(error, path: writer.path)
    }
  }

  /// The links of a many-to-many relationship, which are collected and written at the end of the migration.
  public func links(forRelationship relationship: String, ofEntityNamed entity: String) throws(MigrationError)
    -> LinkBuffer
  {
    guard let table = schema.joinTable(forRelationship: relationship, ofEntityNamed: entity) else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: entity, property: relationship),
        detail: "it is no many-to-many relationship")
    }
    // A reflexive table has no column for the order.
    guard table.isReflexive || table.naming.orderColumn == nil && table.inverse.orderColumn == nil else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: entity, property: relationship),
        detail: "an ordered relationship cannot be written in bulk")
    }
    if let buffer = linkBuffers[table.name] { return buffer }
    let buffer = LinkBuffer(table)
    linkBuffers[table.name] = buffer
    return buffer
  }

  func addLinkCount(_ count: Int, of table: JoinTable) { orderedLinkCounts[table.name, default: 0] += count }

  /// Writes all links, and returns their number by join table.
  func writeLinks() throws(MigrationError) -> [String: Int] {
    var counts = orderedLinkCounts
    for (name, buffer) in linkBuffers.sorted(by: { $0.key < $1.key }) {
      counts[name] = try writer.insertLinks(buffer.takeAll(), into: buffer.table)
    }
    return counts
  }
}

/// Collects the links of one many-to-many relationship.
public final class LinkBuffer {
  let table: JoinTable
  private var links = LinkList()
  /// Whether the first column of the table holds the keys of the naming side's instances.
  ///
  /// It usually does: that column is named after the inverse, and these instances are the inverse's destinations. Only
  /// in a reflexive table are the columns swapped.
  private let isNamingFirst: Bool

  init(_ table: JoinTable) {
    self.table = table
    isNamingFirst = !table.isReflexive
  }

  /// Links an instance of the entity that names the table with one of the other.
  public func append(namingInstance: Int64, inverseInstance: Int64) {
    links.append(
      isNamingFirst
        ? Link(first: namingInstance, second: inverseInstance) : Link(first: inverseInstance, second: namingInstance))
  }

  func takeAll() -> LinkList {
    defer { links = LinkList() }
    return links
  }
}

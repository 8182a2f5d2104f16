public import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// The store that a migration writes, as seen by policies that work in bulk.
public final class DestinationStore {
  /// The layout of the store.
  package var schema: StoreSchema { writer.schema }
  package let writer: StoreWriter
  let primaryKeys = PrimaryKeyAllocator()
  /// Writes the rows of the instances that policies insert into the context.
  let rows: BackgroundRowWriter
  /// The root entities by the names of their entities, which are looked up for every new instance.
  private var rootNames: [String: String] = [:]
  private var linkTables: [String: LinkBuffer.Table] = [:]
  /// The rows that were written into join tables without a buffer.
  private var orderedLinkCounts: [String: Int] = [:]

  init(_ writer: StoreWriter) {
    self.writer = writer
    rows = BackgroundRowWriter(writer.connection)
  }

  /// The next free primary key of an entity.
  public func nextPrimaryKey(forEntityNamed name: String) throws(MigrationError) -> Int64 {
    try primaryKeys.next(forRootEntityNamed: rootName(ofEntityNamed: name))
  }

  /// The primary keys of an entity, for callers that take many.
  package func primaryKeys(forEntityNamed name: String) -> PrimaryKeys {
    primaryKeys.keys(forRootEntityNamed: rootName(ofEntityNamed: name))
  }

  /// The entity that keys are handed out for.
  private func rootName(ofEntityNamed name: String) -> String {
    if let known = rootNames[name] { return known }
    let root = schema.table(forEntityNamed: name)?.entityNames.first ?? name
    rootNames[name] = root
    return root
  }

  /// Prepares to add instances of an entity, giving the named properties values.
  package func inserter(forEntityNamed entity: String, properties: [String]) throws(MigrationError) -> InstanceInserter
  {
    try keepRowsInStep()
    return try writer.inserter(forEntityNamed: entity, properties: properties)
  }

  /// Prepares to change the named properties of instances that have been added.
  package func updater(forEntityNamed entity: String, properties: [String]) throws(MigrationError) -> InstanceUpdater {
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
    guard let links = schema.layouts.links(ofRelationship: relationship, ofEntityNamed: entity) else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: entity, property: relationship),
        detail: "it is not a many-to-many relationship")
    }
    guard !links.table.isOrdered else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: entity, property: relationship),
        detail: "an ordered relationship cannot be written in bulk")
    }
    let table = linkTables[links.table.name] ?? LinkBuffer.Table(links.table, besideStoreAt: writer.path)
    linkTables[links.table.name] = table
    return LinkBuffer(links, table)
  }

  /// Writes the links of a many-to-many relationship at once.
  ///
  /// The app has given their table a rule, and what breaks it is known then. Otherwise links are collected
  /// faster, and this is `nil`.
  package func linkWriter(
    forRelationship relationship: String, ofEntityNamed entity: String
  ) throws(MigrationError) -> LinkWriter? {
    guard let links = schema.layouts.links(ofRelationship: relationship, ofEntityNamed: entity),
      !links.table.isOrdered, try writer.hasOwnRule(links.table)
    else { return nil }
    return LinkWriter(store: self, links: links, inserter: try LinkInserter(writer, links.table))
  }

  func addLinkCount(_ count: Int, of table: JoinTable) { orderedLinkCounts[table.name, default: 0] += count }

  /// Writes all links, and returns their number by join table.
  func writeLinks() throws(MigrationError) -> [String: Int] {
    var counts = orderedLinkCounts
    for (name, table) in linkTables.sorted(by: { $0.key < $1.key }) {
      counts[name, default: 0] += try writer.insertLinks(table.takeLinks(), into: table.table)
    }
    return counts
  }
}

/// Writes the links of one many-to-many relationship as they come.
package struct LinkWriter {
  fileprivate let store: DestinationStore
  fileprivate let links: JoinTable.Links
  fileprivate let inserter: LinkInserter

  /// Links an instance that has the relationship with one of its destinations, both given by their primary keys.
  package func append(from source: Int64, to destination: Int64) throws(MigrationError) {
    try inserter.insert(links.link(from: source, to: destination))
    store.addLinkCount(1, of: links.table)
  }
}

extension JoinTable.Links {
  /// Whether the first column has the instances that have the relationship.
  fileprivate var isSourceFirst: Bool { sourceColumn == table.keyColumns.first }

  fileprivate func link(from source: Int64, to destination: Int64) -> Link {
    isSourceFirst ? Link(first: source, second: destination) : Link(first: destination, second: source)
  }
}

/// Collects the links of one many-to-many relationship.
public struct LinkBuffer {
  /// The links of a join table, which both of its relationships share.
  final class Table {
    let table: JoinTable
    // A link is appended more than a million times, and nothing happens meanwhile that could look at the others.
    @exclusivity(unchecked) fileprivate var links: LinkList

    init(_ table: JoinTable, besideStoreAt path: String) {
      self.table = table
      links = LinkList(besideStoreAt: path)
    }

    func takeLinks() -> LinkList {
      var taken = LinkList(besideStoreAt: links.path)
      swap(&taken, &links)
      return taken
    }
  }

  private let rows: Table
  private let isSourceFirst: Bool

  init(_ links: JoinTable.Links, _ rows: Table) {
    self.rows = rows
    isSourceFirst = links.isSourceFirst
  }

  /// Links an instance that has the relationship with one of its destinations, both given by their primary keys.
  ///
  /// It does not matter from which side an instance is linked, nor how often.
  public func append(from source: Int64, to destination: Int64) {
    rows.links.append(
      isSourceFirst ? Link(first: source, second: destination) : Link(first: destination, second: source))
  }
}

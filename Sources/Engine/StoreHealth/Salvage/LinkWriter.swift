internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Collects the links of a join table whose rows were found, and writes them.
final class LinkWriter {
  let shape: JoinShape
  /// The number of links that are not in the new store.
  private(set) var rejectedCount = 0
  private let writer: StoreWriter
  private let rejects: SalvageRejects
  private let (first, second): (Statement, Statement)
  private var links: LinkList?
  private var orderedLinks: [Link: OrderedLink] = [:]

  init(_ writer: StoreWriter, _ shape: JoinShape, _ rejects: SalvageRejects) throws(MigrationError) {
    (self.writer, self.shape, self.rejects) = (writer, shape, rejects)
    let table = shape.destination
    func lookup(_ column: String) throws -> Statement {
      // The column that is named after a relationship has the keys of its destinations.
      let side = column == table.naming.destinationColumn ? table.naming : table.inverse
      let relationship = writer.schema.model.entity(named: side.entityName)?.relationship(named: side.relationshipName)
      guard let entity = relationship?.destinationEntityName, let rows = writer.schema.table(forEntityNamed: entity)
      else {
        throw MigrationError(.migrationFailed, path: writer.path, detail: "'\(table.name)' leads to no table")
      }
      return try writer.connection.prepare("SELECT 1 FROM \(rows.name.quotedIdentifier) WHERE Z_PK = ?")
    }
    (first, second) = try reporting(path: writer.path) {
      (try lookup(table.keyColumns[0]), try lookup(table.keyColumns[1]))
    }
    if !table.isOrdered { links = LinkList(besideStoreAt: writer.path) }
  }

  /// Whether both rows of a link are in the new store.
  func hasRows(_ entry: LinkEntry) throws(MigrationError) -> Bool {
    let link = shape.link(entry)
    return try reporting(path: writer.path) {
      for (statement, key) in [(first, link.first), (second, link.second)] {
        try statement.bind(key, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return false }
      }
      return true
    }
  }

  /// Adds a link.
  ///
  /// - Parameter orders: The order keys, in the order of the new table's columns.
  func add(_ entry: LinkEntry, _ orders: [Int64?], page: Int) throws(MigrationError) {
    guard try hasRows(entry) else { return try reject(.missingDestination, entry, page: page) }
    let link = shape.link(entry)
    guard shape.destination.isOrdered else {
      links?.append(link)
      return
    }
    orderedLinks[link] =
      orderedLinks[link]
      ?? OrderedLink(
        link: link, inverseOrder: orders.first ?? nil, namingOrder: orders.count > 1 ? orders[1] : nil)
  }

  /// Keeps a link out of the new store.
  func reject(_ reason: RowFault, _ entry: LinkEntry, page: Int) throws(MigrationError) {
    rejectedCount += 1
    let columns = shape.source.keyColumns
    try rejects.add(
      reason, table: shape.source.name, row: entry.row, page: page,
      [(columns[0], entry.first), (columns[1], entry.second)])
  }

  /// Writes the links, and returns their number.
  func finish() throws(MigrationError) -> Int {
    if let links = links.take() { return try writer.insertLinks(links, into: shape.destination) }
    return try writer.insertOrderedLinks(Array(orderedLinks.values), into: shape.destination)
  }
}

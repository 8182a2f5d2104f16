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
  /// The tables that the keys are of, in their order.
  private let destinations: (String, String)
  private var linkLookup: Statement?
  private var links: LinkList?
  private var orderedLinks: [Link: OrderedLink] = [:]

  init(_ writer: StoreWriter, _ shape: JoinShape, _ rejects: SalvageRejects) throws(MigrationError) {
    (self.writer, self.shape, self.rejects) = (writer, shape, rejects)
    let table = shape.destination
    func destination(_ column: String) throws(MigrationError) -> String {
      // The column that is named after a relationship has the keys of its destinations.
      let side = column == table.naming.destinationColumn ? table.naming : table.inverse
      let relationship = writer.schema.model.entity(named: side.entityName)?.relationship(named: side.relationshipName)
      guard let entity = relationship?.destinationEntityName, let rows = writer.schema.table(forEntityNamed: entity)
      else {
        throw MigrationError(.migrationFailed, path: writer.path, detail: "'\(table.name)' leads to no table")
      }
      return rows.name
    }
    destinations = (try destination(table.keyColumns[0]), try destination(table.keyColumns[1]))
    func lookup(_ name: String) throws -> Statement {
      try writer.connection.prepare("SELECT 1 FROM \(name.quotedIdentifier) WHERE Z_PK = ?")
    }
    let names = destinations
    (first, second) = try reporting(path: writer.path) { (try lookup(names.0), try lookup(names.1)) }
    if !table.isOrdered { links = LinkList(besideStoreAt: writer.path) }
  }

  /// Whether both rows of a link are in the new store.
  func hasRows(_ entry: LinkEntry) throws(MigrationError) -> Bool { try missingRows(of: entry).isEmpty }

  /// The rows of a link that are not in the new store, with their tables.
  func missingRows(of entry: LinkEntry) throws(MigrationError) -> [(table: String, key: Int64)] {
    let link = shape.link(entry)
    return try reporting(path: writer.path) {
      var missing: [(table: String, key: Int64)] = []
      for (statement, table, key) in [(first, destinations.0, link.first), (second, destinations.1, link.second)] {
        try statement.bind(key, at: 1)
        defer { statement.reset() }
        if try !statement.step() { missing.append((table, key)) }
      }
      return missing
    }
  }

  /// Whether a link is in the new store.
  func hasLink(_ entry: LinkEntry) throws(MigrationError) -> Bool {
    let (link, table) = (shape.link(entry), shape.destination)
    return try reporting(path: writer.path) {
      let columns = table.keyColumns.map { "\($0.quotedIdentifier) = ?" }.joined(separator: " AND ")
      let statement =
        try linkLookup
        ?? writer.connection.prepare("SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(columns)")
      linkLookup = statement
      try statement.bind(link.first, at: 1)
      try statement.bind(link.second, at: 2)
      defer { statement.reset() }
      return try statement.step()
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

package import MigrationDiagnostics
internal import SQLiteDatabase

extension StoreWriter {
  /// Fills a join table.
  ///
  /// The links are sorted first, so that the same links always produce the same file, and duplicates are removed.
  ///
  /// - Returns: The number of rows.
  package func insertLinks(_ links: consuming LinkList, into table: JoinTable) throws(MigrationError) -> Int {
    let links = try SortedLinks(links)
    try reporting(path: path) {
      if links.count >= Self.linksWorthPages, links.areNarrow, try isPlainAndEmpty(table) {
        return try buildPages(links, of: table)
      }
      let inserter = try LinkInserter(self, table)
      try links.forEach { link throws(MigrationError) in try inserter.insert(link) }
    }
    return links.count
  }

  /// Whether the app has given a join table a rule that new links may break.
  package func hasOwnRule(_ table: JoinTable) throws(MigrationError) -> Bool {
    guard keepsFile else { return false }
    let name = table.name.quotedLiteral
    return try reporting(path: path) {
      try connection.integer(
        """
        SELECT 1 FROM pragma_index_list(\(name), 'main') WHERE "unique" AND origin <> 'pk' UNION ALL
        SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = \(name) COLLATE NOCASE AND sql LIKE '%CHECK%'
        """) != nil
    }
  }

  /// Whether a table has only the two keys, and no rows.
  private func isPlainAndEmpty(_ table: JoinTable) throws -> Bool {
    guard !keepsFile, table.naming.orderColumn == nil, table.inverse.orderColumn == nil else { return false }
    return try connection.integer("SELECT 1 FROM \(table.name.quotedIdentifier) LIMIT 1") == nil
  }
}

/// Adds links to one join table, one by one.
package final class LinkInserter {
  private let statement: Statement
  private let path: String

  package init(_ writer: StoreWriter, _ table: JoinTable) throws(MigrationError) {
    let columns = table.keyColumns.map(\.quotedIdentifier).joined(separator: ", ")
    path = writer.path
    statement = try reporting(path: writer.path) {
      try writer.connection.prepare(
        "INSERT OR ABORT INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (?, ?)")
    }
  }

  package func insert(_ link: Link) throws(MigrationError) {
    do throws(SQLiteError) {
      try statement.bind(link.first, at: 1)
      try statement.bind(link.second, at: 2)
      try statement.run()
    } catch {
      throw MigrationError(error, path: path)
    }
  }
}

/// One row of the join table of a relationship that is ordered on at least one side.
package struct OrderedLink: Sendable, Hashable {
  /// The keys, in the order of the columns.
  package var link: Link
  /// The order key among the destinations of the inverse relationship, if that is ordered.
  package var inverseOrder: Int64?
  /// The order key among the destinations of the relationship that names the table, if that is ordered.
  package var namingOrder: Int64?

  /// Creates a row.
  package init(link: Link, inverseOrder: Int64?, namingOrder: Int64?) {
    self.link = link
    self.inverseOrder = inverseOrder
    self.namingOrder = namingOrder
  }
}

extension StoreWriter {
  /// Fills the join table of an ordered relationship.
  ///
  /// - Returns: The number of rows.
  package func insertOrderedLinks(_ rows: [OrderedLink], into table: JoinTable) throws(MigrationError) -> Int {
    let orders = [table.inverse.orderColumn, table.naming.orderColumn]
    let columns = (table.keyColumns + orders.compactMap { $0 }).map(\.quotedIdentifier)
    return try reporting(path: path) {
      let statement = try connection.prepare(
        """
        INSERT INTO \(table.name.quotedIdentifier) (\(columns.joined(separator: ", "))) \
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """)
      for row in rows.sorted(by: { $0.link < $1.link }) {
        try statement.bind(row.link.first, at: 1)
        try statement.bind(row.link.second, at: 2)
        var index: Int32 = 3
        if orders[0] != nil {
          try statement.bind(row.inverseOrder, at: index)
          index += 1
        }
        if orders[1] != nil { try statement.bind(row.namingOrder, at: index) }
        try statement.run()
      }
      return rows.count
    }
  }

  // MARK: - Link pages

  // Inserting a link takes a microsecond, and sorting it again for the index as long: together more than reading all JSON.
  // So the three trees of a large join table (its rows, the index of its primary key, and the index for the other
  // direction) are built page by page from the sorted links. SQLite creates the empty table and indexes before, and uses
  // them afterwards.

  /// The minimum number of links for which pages are built.
  private static let linksWorthPages = 500
  /// The minimum number of links whose check is worth another thread.
  private static let linksWorthThread = 100_000

  /// Fills an empty join table and its indexes, and checks that SQLite finds all rows.
  private func buildPages(_ links: SortedLinks, of table: JoinTable) throws {
    try connection.execute(table.indexStatement)
    createdIndexes.insert(table.indexStatement)
    let roots = try self.roots(of: table)
    let count = links.count
    try besideSQLite { () throws(MigrationError) in
      let pages = try DatabasePages(path: path)
      var rows = BTreeWriter(.table, count: count, in: pages, path: path)
      var keys = BTreeWriter(.index, count: count, in: pages, path: path)
      var row: Int64 = 0
      try links.forEach { link throws(MigrationError) in
        row += 1
        try rows.append(link.first, link.second, row: row)
        try keys.append(link.first, link.second, row: row)
      }
      try rows.finish(root: roots.table)
      try keys.finish(root: roots.primaryKey)
      var inverse = BTreeWriter(.index, count: count, in: pages, path: path)
      try links.forEachInverse { link, row throws(MigrationError) in
        try inverse.append(link.second, link.first, row: row)
      }
      try inverse.finish(root: roots.index)
      try pages.finish()
    }
    try requireRows(count, in: table)
  }

  /// The root pages of the three trees.
  private func roots(of table: JoinTable) throws -> (table: UInt32, primaryKey: UInt32, index: UInt32) {
    let statement = try connection.prepare(
      """
      SELECT max(rootpage) FILTER (WHERE type = 'table'), max(rootpage) FILTER (WHERE type = 'index' AND sql IS NULL),
        max(rootpage) FILTER (WHERE type = 'index' AND sql IS NOT NULL), count(*)
      FROM main.sqlite_schema WHERE tbl_name = ?
      """)
    try statement.bind(table.name, at: 1)
    guard try statement.step(), statement.integer(3) == 3,
      let rows = UInt32(exactly: statement.integer(0)), let primaryKey = UInt32(exactly: statement.integer(1)),
      let index = UInt32(exactly: statement.integer(2))
    else { throw MigrationError(.migrationFailed, path: path, detail: "'\(table.name)' has other indexes") }
    return (rows, primaryKey, index)
  }

  /// Counts the rows in each of the trees through SQLite.
  private func requireRows(_ count: Int, in table: JoinTable) throws {
    let name = table.name.quotedIdentifier
    let keys = table.keyColumns.map(\.quotedIdentifier)
    // The first query reads the table itself; the others walk an index in its order.
    let queries = [
      "SELECT count(*) FROM \(name) NOT INDEXED", "SELECT count(\(keys[1])) FROM \(name) WHERE \(keys[0]) > -1",
      "SELECT count(\(keys[0])) FROM \(name) WHERE \(keys[1]) > -1",
    ]
    // The indexes take longest, so a second connection walks the last one meanwhile: the file does not change.
    let last =
      count < Self.linksWorthThread
      ? nil
      : Background { [path] () throws(MigrationError) in
        try reporting(path: path) {
          try Connection(path: path, access: .immutable).integer(queries[2])
        }
      }
    for (index, query) in queries.enumerated() {
      let found = if index == 2, let last { try last.result().get() } else { try connection.integer(query) }
      guard found == Int64(count) else {
        throw MigrationError(
          .migrationFailed, path: path, detail: "'\(table.name)' shows \(found ?? 0) of \(count) rows")
      }
    }
  }
}

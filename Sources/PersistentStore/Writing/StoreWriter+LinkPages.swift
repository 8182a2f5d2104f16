internal import Diagnostics
internal import SQLite

// One statement per link costs a microsecond, and sorting them again for the index as much: together they would take
// longer than reading all JSON. So the three trees of a large join table (its rows, the index of its primary key, and
// the index that leads the other way) are built page by page from the sorted links. SQLite has made the table and its
// indexes, empty, and goes on with them afterwards.

extension StoreWriter {
  /// From this many links on, pages are built.
  static let linksWorthPages = 500

  /// Fills an empty join table and its indexes, and makes sure that SQLite finds all of it.
  func buildPages(_ links: consuming [UInt64], of table: JoinTable) throws {
    try connection.execute(table.indexStatement)
    createdIndexes.insert(table.indexStatement)
    let roots = try self.roots(of: table)
    let count = links.count
    // What is in memory must be in the file, and SQLite must look at the file again afterwards, which it does only where
    // others may have written to it.
    try connection.execute("COMMIT; PRAGMA main.locking_mode = NORMAL")
    _ = try connection.integer("SELECT count(*) FROM main.sqlite_schema")

    let pages = try DatabasePages(path: path)
    var rows = BTreeWriter(.table, count: count, in: pages, path: path)
    var keys = BTreeWriter(.index, count: count, in: pages, path: path)
    for (place, link) in links.enumerated() {
      let (first, second, row) = (Int64(link >> 32), Int64(link & 0xFFFF_FFFF), Int64(place) + 1)
      try rows.append(first, second, row: row)
      try keys.append(first, second, row: row)
    }
    try rows.finish(root: roots.table)
    try keys.finish(root: roots.primaryKey)
    var inverse = BTreeWriter(.index, count: count, in: pages, path: path)
    for place in links.placesByLowerHalf() {
      let link = links[Int(place)]
      try inverse.append(Int64(link & 0xFFFF_FFFF), Int64(link >> 32), row: Int64(place) + 1)
    }
    try inverse.finish(root: roots.index)
    try pages.finish()

    try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE; BEGIN")
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

  /// Counts the rows in each of the trees, by way of SQLite.
  private func requireRows(_ count: Int, in table: JoinTable) throws {
    let name = table.name.quotedIdentifier
    let keys = table.keyColumns.map(\.quotedIdentifier)
    // The first query reads the table itself; the others walk an index in its order.
    let queries = [
      "SELECT count(*) FROM \(name) NOT INDEXED", "SELECT count(\(keys[1])) FROM \(name) WHERE \(keys[0]) > -1",
      "SELECT count(\(keys[0])) FROM \(name) WHERE \(keys[1]) > -1",
    ]
    for query in queries {
      let found = try connection.integer(query)
      guard found == Int64(count) else {
        throw MigrationError(
          .migrationFailed, path: path, detail: "'\(table.name)' shows \(found ?? 0) of \(count) rows")
      }
    }
  }
}

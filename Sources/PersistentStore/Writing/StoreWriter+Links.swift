public import Diagnostics
internal import SQLite

extension StoreWriter {
  /// Fills a join table.
  ///
  /// The links are sorted first, so that the same links always give the same file; what occurs twice is written once.
  ///
  /// - Returns: The number of rows.
  public func insertLinks(_ links: consuming LinkList, into table: JoinTable) throws(MigrationError) -> Int {
    links.sortAndUnique()
    let count = links.count
    try reporting(path: path) {
      if count >= Self.linksWorthPages, links.wide.isEmpty, try isPlainAndEmpty(table) {
        try buildPages(links.narrow, of: table)
      } else {
        try insertRows(links, into: table)
      }
    }
    return count
  }

  private func insertRows(_ links: LinkList, into table: JoinTable) throws {
    let columns = table.keyColumns.map(\.quotedIdentifier).joined(separator: ", ")
    let statement = try connection.prepare(
      "INSERT INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (?, ?)")
    func insert(_ first: Int64, _ second: Int64) throws {
      try statement.bind(first, at: 1)
      try statement.bind(second, at: 2)
      try statement.run()
    }
    for link in links.narrow { try insert(Int64(link >> 32), Int64(link & 0xFFFF_FFFF)) }
    for link in links.wide { try insert(link.first, link.second) }
  }

  /// Whether a table has nothing but the two keys, and no rows.
  private func isPlainAndEmpty(_ table: JoinTable) throws -> Bool {
    guard table.naming.orderColumn == nil, table.inverse.orderColumn == nil else { return false }
    return try connection.integer("SELECT 1 FROM \(table.name.quotedIdentifier) LIMIT 1") == nil
  }
}

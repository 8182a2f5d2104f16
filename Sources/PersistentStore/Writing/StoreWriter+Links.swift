public import Diagnostics
internal import SQLite

extension StoreWriter {
  /// Fills a join table.
  ///
  /// The links are sorted first, so that the same links always give the same file, and the table and its index grow
  /// at their ends only; what occurs twice is written once.
  ///
  /// - Returns: The number of rows.
  public func insertLinks(_ links: consuming [Link], into table: JoinTable) throws(MigrationError) -> Int {
    links.sort()
    do {
      let columns = table.keyColumns.map(\.quotedIdentifier).joined(separator: ", ")
      let statement = try connection.prepare(
        "INSERT INTO \(table.name.quotedIdentifier) (\(columns)) VALUES (?, ?)")
      var previous: Link?
      var count = 0
      for link in links where link != previous {
        try statement.bind(link.first, at: 1)
        try statement.bind(link.second, at: 2)
        try statement.run()
        previous = link
        count += 1
      }
      return count
    } catch {
      throw MigrationError(error, path: path)
    }
  }
}

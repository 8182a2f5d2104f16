package import Diagnostics
internal import SQLite

/// One row of the join table of a relationship that is ordered on at least one side.
package struct OrderedLink: Sendable, Hashable {
  /// The keys, in the order of the columns.
  package var link: Link
  /// The place of the naming instance among the destinations of the inverse relationship, if that is ordered.
  package var inverseOrder: Int64?
  /// The place of the other instance among the destinations of the relationship that names the table.
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
}

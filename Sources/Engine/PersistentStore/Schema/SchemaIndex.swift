/// An index that Core Data makes of a table.
struct SchemaIndex: Hashable {
  /// The reason for which Core Data makes an index.
  enum Purpose: Hashable {
    /// Follows a relationship, or finds the rows of one entity. Every store has it.
    case key
    /// Keeps values unique, which enters into the version hash.
    case uniqueness
    /// Makes fetches faster. It does not enter into the version hash, so a store need not be migrated for it.
    case fetching
  }

  /// The name of the index.
  let name: String
  /// The table.
  let table: String
  /// The columns, in their order.
  let columns: [String]
  /// Whether each column is in descending order; empty if the statement does not say.
  var isDescending: [Bool] = []
  let purpose: Purpose

  /// The statement that creates the index, with Core Data's spacing.
  var createStatement: String {
    let unique = purpose == .uniqueness ? "UNIQUE " : ""
    let parts = columns.enumerated().map { place, column in
      let order = isDescending.isEmpty ? "" : " COLLATE BINARY \(isDescending[place] ? "DESC" : "ASC")"
      return column.schemaIdentifier + order
    }
    let list = parts.joined(separator: ", ")
    return "CREATE \(unique)INDEX \(name.schemaIdentifier) ON \(table.schemaIdentifier) (\(list))"
  }
}

/// The rows of a to-many relationship, seen from one row.
struct SQLMany {
  /// The row at the other end, by whose alias its columns are named.
  let row: SQLRow
  /// `FROM` and the condition that links the rows.
  let source: SQLFragment
  let link: SQLFragment
  /// The primary key that the link starts from, if the path to it may end at nil.
  let nullableKey: SQLFragment?
  /// What a SUBQUERY asks of the rows besides.
  var filter: SQLFragment?
  /// What follows the relationship in the path.
  var rest: [KeyPathComponent]
  /// The whole, for messages.
  let part: String

  /// A query of the rows.
  func select(_ columns: SQLFragment, where condition: SQLFragment? = nil) -> SQLFragment {
    var sql: SQLFragment = "SELECT \(columns) FROM \(source) WHERE \(link)"
    if let filter { sql.append(" AND (\(filter))") }
    if let condition { sql.append(" AND (\(condition))") }
    return sql
  }
}

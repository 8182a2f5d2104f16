/// A row that keys are asked of: a table under the name that it has in a query.
struct SQLRow {
  let table: SQLTable
  let alias: String

  /// Its primary key.
  var key: SQLFragment { column(table.primaryKey) }

  func column(_ name: String) -> SQLFragment { "\(identifier: alias).\(identifier: name)" }
}

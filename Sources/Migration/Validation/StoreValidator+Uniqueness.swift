internal import DataModel
internal import Expressions
internal import PersistentStore
internal import SQLite

extension StoreValidator {
  /// The values that occur more than once, constraint by constraint.
  ///
  /// As to the index that keeps them unique, NULL equals nothing, and all rows of the table count.
  func findDuplicates() throws(SQLiteError) -> [ValidationFailure] {
    var found: [ValidationFailure] = []
    for name in schema.entityNames {
      for constraint in schema.model.entity(named: name)?.uniquenessConstraints ?? [] {
        if let failure = try duplicates(constraint, name) { found.append(failure) }
      }
    }
    return found
  }

  private func duplicates(_ constraint: [String], _ entity: String) throws(SQLiteError) -> ValidationFailure? {
    let columns = constraint.compactMap { schema.column(forProperty: $0, ofEntityNamed: entity)?.name }
    guard let table = schema.table(forEntityNamed: entity), columns.count == constraint.count, !columns.isEmpty else {
      return nil
    }
    let keys = columns.map { "\(identifier: $0) COLLATE BINARY" as SQLFragment }
    let filled = columns.map { "\(identifier: $0) IS NOT NULL" as SQLFragment }
    let groups: SQLFragment =
      "(SELECT min(Z_PK) AS k, max(Z_PK) AS l FROM \(.destinationTable(table.name)) WHERE \(filled.joined(by: " AND ")) GROUP BY \(keys.joined(by: ", ")) HAVING count(*) > 1)"
    guard let count = try connection.integer(fragment: "SELECT count(*) FROM \(groups)"), count > 0 else { return nil }
    let statement = try connection.prepare(fragment: "SELECT k, l FROM \(groups) ORDER BY k LIMIT 2")
    var rows: [Int64] = []
    while try statement.step() { rows += [statement.integer(0), statement.integer(1)] }
    return ValidationFailure(
      entity: entity, property: constraint.joined(separator: ", "), kind: .notUnique, count: Int(clamping: count),
      rows: rows)
  }
}

internal import DataModel
internal import MigrationDiagnostics
internal import SQLiteDatabase

/// Looks for values in the new store that belong to nothing: they are never read, and no migration writes them.
///
/// A copy of a store keeps those that it had, so what the old store has of a kind may be in the new one.
struct StrayValueCheck {
  let old: StoreSide
  let new: StoreSide
  let log: DifferenceLog

  /// A value that belongs to nothing.
  private struct StrayValue {
    let table: String
    let row: Int64?
    let column: String
    let value: String?
  }

  func run() throws {
    for find in [valuesOfOtherEntities, placesWithoutLink, halfLinks] {
      var isInOld = false
      try find(old) { _ in isInOld = true }
      if isInOld { continue }
      try find(new) { stray in
        try log.add(.value) {
          ($0.entity, $0.row, $0.property) = (stray.table, stray.row, stray.column)
          ($0.found, $0.detail) = (stray.value, "it belongs to nothing")
        }
      }
    }
  }

  /// Values in the columns of properties that the row's entity does not have.
  private func valuesOfOtherEntities(_ side: StoreSide, _ add: (StrayValue) throws -> Void) throws {
    for table in side.schema.tables where table.entityNames.count > 1 {
      for column in table.columns where table.entityNames.contains(column.entityName) {
        // The key of a to-many relationship without an inverse lies with the destination.
        let owner = side.schema.model.entity(named: column.entityName)
        if owner?.relationship(named: column.propertyName)?.isToMany == true { continue }
        let owners = table.entityNames.filter { side.schema.model.lineage(of: $0).contains(column.entityName) }
        guard owners.count < table.entityNames.count else { continue }
        let numbers = owners.map { "\(side.schema.entityNumber($0))" }.joined(separator: ", ")
        try find(
          "Z_PK", column.name, in: table.name,
          "\(column.name.quotedIdentifier) IS NOT NULL AND Z_ENT NOT IN (\(numbers))",
          side, add)
      }
    }
  }

  /// Places in an order, of rows that have no destination.
  private func placesWithoutLink(_ side: StoreSide, _ add: (StrayValue) throws -> Void) throws {
    for table in side.schema.tables {
      for order in table.columns where order.content == .order {
        let key = table.columns.first {
          $0.content == .foreignKey && $0.propertyName == order.propertyName && $0.entityName == order.entityName
        }
        guard let key else { continue }
        try find(
          "Z_PK", order.name, in: table.name,
          "\(order.name.quotedIdentifier) IS NOT NULL AND \(key.name.quotedIdentifier) IS NULL", side, add)
      }
    }
  }

  /// Rows of join tables with one end only.
  private func halfLinks(_ side: StoreSide, _ add: (StrayValue) throws -> Void) throws {
    for table in side.schema.joinTables {
      for column in table.keyColumns {
        try find("NULL", column, in: table.name, "\(column.quotedIdentifier) IS NULL", side, add)
      }
    }
  }

  private func find(
    _ key: String, _ column: String, in table: String, _ condition: String, _ side: StoreSide,
    _ add: (StrayValue) throws -> Void
  ) throws {
    let rows = try side.connection.prepare(
      "SELECT \(key), \(column.quotedIdentifier) FROM \(table.quotedIdentifier) WHERE \(condition)")
    while try rows.step() {
      try add(
        StrayValue(
          table: table, row: rows.isNull(0) ? nil : rows.integer(0), column: column, value: StoredValue.text(rows, 1)))
    }
  }
}

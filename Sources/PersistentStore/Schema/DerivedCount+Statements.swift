internal import SQLite

extension DerivedCount {
  /// The statement that counts for all instances.
  var countStatement: String {
    let filter = entityNumbers.map { " WHERE Z_ENT IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
    return """
      UPDATE \(table.schemaIdentifier) SET \(column.schemaIdentifier) = \
      (SELECT COUNT(*) FROM \(destinationTable.schemaIdentifier) AS other \
      WHERE other.\(key.schemaIdentifier) = \(table.schemaIdentifier).Z_PK)\(filter)
      """
  }

  /// The triggers on the table of the destinations, spaced as Core Data spaces them.
  var destinationTriggers: [String] {
    let (column, key) = (column.schemaIdentifier, key.schemaIdentifier)
    return [
      ("INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
      ("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(column) + 1"),
      ("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(column) - 1"),
      ("DELETE", "DELETE", "OLD", "\(column) - 1"),
    ].map { name, event, row, value in
      trigger(
        on: destinationTable, "PARAMETER_\(name)", "AFTER \(event)", " WHEN (\(row).\(key) NOT NULL)", value: value,
        row: "\(row).\(key)", function: "NSCoreDataDATriggerUpdatedAffectedObjectValue")
    }
  }

  /// The trigger on the table with the count.
  var sourceTrigger: String {
    let key = key.schemaIdentifier
    return trigger(
      on: table, "SOURCE_INSERT", "AFTER INSERT", "",
      value: "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(destinationTable.schemaIdentifier) WHERE \(key) = NEW.Z_PK)",
      row: "NEW.Z_PK", function: "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue")
  }

  private func trigger(
    on watched: String, _ suffix: String, _ event: String, _ condition: String, value: String, row: String,
    function: String
  ) -> String {
    let name = "Z_DA_\(watched)_\(entityName)_\(attributeName)_\(suffix)".schemaIdentifier
    let (counted, column) = (table.schemaIdentifier, column.schemaIdentifier)
    return """
      CREATE TRIGGER \(name) \(event) ON \(watched.schemaIdentifier) FOR EACH ROW\(condition) BEGIN \
      UPDATE \(counted) SET \(column) = \(value) WHERE Z_PK = \(row); \
      SELECT \(function)(\(table.quotedLiteral), Z_ENT, Z_PK, \(attributeName.quotedLiteral), \(column)) \
      FROM \(counted) WHERE Z_PK = \(row); END
      """
  }
}

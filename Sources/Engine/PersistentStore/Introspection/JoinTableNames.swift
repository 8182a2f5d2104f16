internal import DataModel
internal import SQLiteDatabase

/// Finds join tables and columns whose names have other numbers than `Z_PRIMARYKEY` gives their entities.
///
/// Core Data makes the names from these numbers, and renames the tables when a migration in place gives entities others. What
/// it reads under another name is another program's work, and the app finds no such table.
struct JoinTableNames {
  private let schema: StoreSchema
  private let connection: Connection

  init(_ schema: StoreSchema, _ connection: Connection) { (self.schema, self.connection) = (schema, connection) }

  func faults() throws(SQLiteError) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    for table in schema.joinTables {
      let name = expectedName(of: table)
      let columns = [(table.naming, table.inverse), (table.inverse, table.naming)].compactMap { side, other in
        renamed(side.destinationColumn, prefix: "Z_", side, numberedAs: other)
      }
      let orders = [(table.naming, table.inverse), (table.inverse, table.naming)].compactMap { side, other in
        side.orderColumn.flatMap { renamed($0, prefix: "Z_FOK_", side, numberedAs: other) }
      }
      guard name != table.name || !columns.isEmpty else { continue }
      faults.append(try fault(table, name, columns + orders))
    }
    return faults
  }

  private func fault(
    _ table: JoinTable, _ name: String, _ columns: [(found: String, expected: String)]
  ) throws(SQLiteError) -> SchemaFault {
    let isTaken =
      try connection.integer("SELECT 1 FROM main.sqlite_schema WHERE name = \(name.quotedLiteral) COLLATE NOCASE")
      != nil
    let renaming =
      name == table.name ? "" : "ALTER TABLE \(table.name.quotedIdentifier) RENAME TO \(name.quotedIdentifier); "
    let statements = columns.map { found, expected in
      "ALTER TABLE \(name.quotedIdentifier) RENAME COLUMN \(found.quotedIdentifier) TO \(expected.quotedIdentifier);"
    }
    let wanted = ([name == table.name ? nil : name] + columns.map(\.expected)).compactMap { $0 }
    return SchemaFault(
      .foreignJoinTable, table: table.name, object: name == table.name ? nil : name,
      fact:
        "the links of '\(table.naming.entityName).\(table.naming.relationshipName)' are in the table '\(table.name)', where "
        + "the numbers of the entities are not those of 'Z_PRIMARYKEY', so Core Data looks for "
        + wanted.map { "'\($0)'" }.joined(separator: ", "),
      remedy: name == table.name || !isTaken ? renaming + statements.joined(separator: " ") : nil)
  }

  /// The name of a table after the side that it is named after.
  private func expectedName(of table: JoinTable) -> String {
    let sides = [table.naming, table.inverse]
    let names = sides.map { "Z_\(schema.entityNumber($0.entityName))\($0.relationshipName.uppercased())" }
    guard !names.contains(where: { $0.sqlNameKey == table.name.sqlNameKey }) else { return table.name }
    return zip(sides, names).first { side, _ in match(table.name, prefix: "Z_", side, mayHaveSuffix: false) != nil }?.1
      ?? names[0]
  }

  /// A column that has another number than that of its entity; `nil` if it has that.
  private func renamed(
    _ column: String, prefix: String, _ side: JoinTable.Side, numberedAs other: JoinTable.Side
  ) -> (found: String, expected: String)? {
    let number = schema.entityNumber(other.entityName)
    guard let match = match(column, prefix: prefix, side), match.entityNumber != number else { return nil }
    return (column, "\(prefix)\(number)\(column.dropFirst(prefix.count + "\(match.entityNumber)".count))")
  }

  private func match(
    _ name: String, prefix: String, _ side: JoinTable.Side, mayHaveSuffix: Bool = true
  ) -> NamePattern.Match? {
    NamePattern(
      prefix: prefix, hasEntityNumber: true, stem: side.relationshipName, mayHaveSuffix: mayHaveSuffix
    ).match(name)
  }
}

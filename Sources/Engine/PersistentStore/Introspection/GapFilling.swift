internal import DataModel
internal import MigrationDiagnostics
internal import SQLiteDatabase

/// Finds out which of the missing parts can be made without a loss.
struct GapFilling {
  let store: StoreReader
  let schema: StoreSchema
  let gaps: [LayoutGap]

  func fault(_ gap: LayoutGap) throws(SQLiteError) -> SchemaFault {
    switch gap.part {
    case .entity(let name, let number):
      return fault(.absentEntity, gap, name, remedy: try row(of: name, number))
    case .table(let table):
      let given = keysGiven(in: table)
      guard given > 0 else { return fault(.absentTable, gap, remedy: "\(table.createStatement);") }
      return SchemaFault(
        .absentTable, table: gap.table,
        fact: "\(gap.fact), in which \(Int64(given).counting("key")) had been given, so its rows are gone with it",
        remedy: nil)
    case .joinTable(let table):
      guard try hasRows(atBothEndsOf: table) else {
        return fault(.absentTable, gap, remedy: "\(table.createStatement);")
      }
      return SchemaFault(
        .absentTable, table: gap.table, fact: "\(gap.fact), so the links that it had are gone with it", remedy: nil)
    case .joinOrder(let name):
      let isEmpty = try !hasRows("\(gap.table.quotedIdentifier)")
      return fault(.absentColumn, gap, name, remedy: isEmpty ? adding(name, "INTEGER", to: gap.table) : nil)
    case .column(let column) where try isGenerated(column.name, in: gap.table):
      return SchemaFault(
        .absentColumn, table: gap.table, object: column.name,
        fact: "\(gap.fact) that keeps values: the one with that name is computed from others", remedy: nil)
    case .column(let column):
      if let other = try renamedColumn(column, in: gap.table) {
        return SchemaFault(
          .absentColumn, table: gap.table, object: column.name,
          fact: "\(gap.fact), and has '\(other)' with values, which the model does not have and which may be it",
          remedy: "ALTER TABLE \(gap.table.quotedIdentifier) RENAME COLUMN \(other.quotedIdentifier) TO "
            + "\(column.name.quotedIdentifier);",
          isLossless: false)
      }
      return fault(.absentColumn, gap, column.name, remedy: try statements(making: column, in: gap.table))
    }
  }

  private func fault(
    _ kind: SchemaFault.Kind, _ gap: LayoutGap, _ object: String? = nil, remedy: String?
  ) -> SchemaFault {
    SchemaFault(kind, table: gap.table, object: object, fact: gap.fact, remedy: remedy)
  }

  /// Returns the statement that gives an entity its row, which the greatest key of its table belongs to.
  private func row(of name: String, _ number: Int) throws(SQLiteError) -> String {
    let parent = schema.model.entity(named: name)?.superentityName.map { schema.entityNumber($0) } ?? 0
    var greatest = "0"
    if parent == 0, let table = schema.table(forEntityNamed: name)?.name, try store.connection.hasPlainTable(table) {
      greatest = "(SELECT ifnull(max(Z_PK), 0) FROM \(table.quotedIdentifier))"
    }
    return "INSERT INTO Z_PRIMARYKEY VALUES (\(number), \(name.quotedLiteral), \(parent), \(greatest));"
  }

  /// The greatest key that was ever given in a table that is missing.
  private func keysGiven(in table: EntityTable) -> Int64 {
    let number = table.entityNames.first.map { Int64(schema.entityNumber($0)) }
    return store.primaryKeys.first { $0.entityNumber == number }?.greatestKey ?? 0
  }

  /// Whether there are instances at both ends of a many-to-many relationship: without them, there were no links.
  private func hasRows(atBothEndsOf table: JoinTable) throws(SQLiteError) -> Bool {
    for side in [table.naming, table.inverse] {
      guard let name = schema.table(forEntityNamed: side.entityName)?.name,
        try store.connection.hasPlainTable(name)
      else { return false }
      let numbers = schema.model.tree(of: side.entityName).map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
      guard try hasRows("\(name.quotedIdentifier) WHERE Z_ENT IN (\(numbers))") else { return false }
    }
    return true
  }

  private func hasRows(_ rows: String) throws(SQLiteError) -> Bool {
    try store.connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil
  }

  /// The entities that may say that a column's values are unique.
  private func relatives(of column: EntityTable.Column) -> [EntityDescription] {
    let names = schema.model.lineage(of: column.entityName) + schema.model.tree(of: column.entityName)
    return names.compactMap { schema.model.entity(named: $0) }
  }

  /// The only column of a table that has values of the same kind and is not the model's, which may be one that is missing
  /// under another name; an empty column in its place would hide its values.
  private func renamedColumn(_ column: EntityTable.Column, in table: String) throws(SQLiteError) -> String? {
    let own = schema.tables.first { $0.name == table }?.columns.map(\.name) ?? []
    let known = Set((FoundColumns.fixed + own).map(\.sqlNameKey))
    var others: [String] = []
    let found = try store.connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    while try found.step() {
      guard let name = found.text(1), !known.contains(name.sqlNameKey),
        ColumnAffinity(found.text(2) ?? "") == ColumnAffinity(column.sqlType)
      else { continue }
      if try hasRows("\(table.quotedIdentifier) WHERE \(name.quotedIdentifier) IS NOT NULL") { others.append(name) }
    }
    let missing = gaps.filter { gap in
      if case .column = gap.part { gap.table == table } else { false }
    }
    return others.count == 1 && missing.count == 1 ? others.first : nil
  }

  /// Whether a table has a column with a name that is computed, which keeps nothing.
  private func isGenerated(_ column: String, in table: String) throws(SQLiteError) -> Bool {
    let found = try store.connection.prepare("PRAGMA main.table_xinfo(\(table.quotedIdentifier))")
    while try found.step() {
      if found.text(1)?.sqlNameKey == column.sqlNameKey, found.integer(6) > 1 { return true }
    }
    return false
  }

  private func adding(_ column: String, _ type: String, to table: String) -> String {
    "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN \(column.schemaIdentifier) \(type);"
  }

  /// Returns the statements that make a column; `nil` if its rows need values that nothing says.
  private func statements(making column: EntityTable.Column, in table: String) throws(SQLiteError) -> String? {
    let adding = adding(column.name, column.sqlType, to: table)
    guard let entity = schema.model.entity(named: column.entityName) else { return nil }
    let owners = schema.model.tree(of: entity.name).map { "\(schema.entityNumber($0))" }
    let rows = "\(table.quotedIdentifier) WHERE Z_ENT IN (\(owners.joined(separator: ", ")))"
    switch column.content {
    case .attribute:
      guard let attribute = entity.attribute(named: column.propertyName) else { return nil }
      if attribute.isOptional || attribute.isDerived { return adding }
      if try !hasRows(rows) { return adding }
      // As a migration does that adds the attribute.
      guard let value = attribute.defaultValue else { return nil }
      // Many rows would get one value of which there may be one only.
      let isUnique = relatives(of: column).contains {
        $0.uniquenessConstraints.contains { $0.contains(attribute.name) }
      }
      let rowCount = isUnique ? try store.connection.integer("SELECT count(*) FROM \(rows)") ?? 0 : 0
      guard rowCount < 2 else { return nil }
      let set =
        "UPDATE \(table.quotedIdentifier) SET \(column.name.quotedIdentifier) = \(ColumnValue(value).sqlLiteral)"
      return "\(adding) \(set) WHERE Z_ENT IN (\(owners.joined(separator: ", ")));"
    case .foreignKey:
      let relationship = entity.relationship(named: column.propertyName)
      if relationship?.isOptional == true || relationship?.isToMany == true { return adding }
      return try hasRows(rows) ? nil : adding
    case .order:
      let key = schema.tables.first { $0.name == table }?.columns.first {
        $0.content == .foreignKey && $0.entityName == column.entityName && $0.propertyName == column.propertyName
      }
      // The order of links that are there is lost; without their column there are none.
      guard let key, !isMissing(key, in: table) else { return adding }
      return try hasRows("\(table.quotedIdentifier) WHERE \(key.name.quotedIdentifier) IS NOT NULL") ? nil : adding
    case .destinationEntity: return nil
    }
  }

  private func isMissing(_ key: EntityTable.Column, in table: String) -> Bool {
    gaps.contains { gap in
      if case .column(key) = gap.part { gap.table == table } else { false }
    }
  }
}

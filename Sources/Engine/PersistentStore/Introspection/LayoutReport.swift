package import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase

/// Everything in which a store's tables are not those of a model, where `requireLayout(of:)` stops at the first error.
package struct LayoutReport: Sendable {
  /// The layout; `nil` if parts of the model are missing, so that its rows cannot be looked at yet.
  package let schema: StoreSchema?
  /// The faults.
  package let faults: [SchemaFault]
  /// The derived attributes whose triggers cannot be looked for, because their text is not known, as `Entity.attribute`.
  package let uncheckedTriggers: [String]
}

extension StoreReader {
  /// Compares the store's tables with a model whose version hashes it has.
  ///
  /// If parts of the model are missing as a whole, only these are reported: the others may be there once they are made.
  package func layoutReport(of model: ManagedObjectModel) throws(MigrationError) -> LayoutReport {
    let own = try? writtenModel()
    let gaps = LayoutGaps()
    let schema: StoreSchema
    do throws(MigrationError) {
      schema = try StoreSchema(own ?? model, introspecting: self, collecting: gaps)
    } catch let error where error.code == .damaged {
      let fact = error.detail.map(LayoutFault.withoutDoubt) ?? "its tables and the model cannot be matched"
      let fault = SchemaFault(.unmatchedLayout, table: "", fact: fact, remedy: nil)
      return LayoutReport(schema: nil, faults: [fault], uncheckedTriggers: [])
    }
    return try boundingLongQuestions { () throws(MigrationError) in
      try reporting(path: file.path) {
        guard gaps.all.isEmpty else {
          let filling = GapFilling(store: self, schema: schema, gaps: gaps.all)
          return LayoutReport(schema: nil, faults: try gaps.all.map(filling.fault), uncheckedTriggers: [])
        }
        let found = try FoundIndexes(schema, connection)
        let triggers = try CountTriggers(schema, connection)
        let refusals = try TableRefusals(schema, connection).all(indexes: found)
        // One that refuses too much is made again with what it should do.
        let missing = found.faults(schema, isOwnModel: own != nil).filter { fault in
          !refusals.contains { $0.object == fault.object && $0.isLossless && $0.remedy != nil }
        }
        return LayoutReport(
          schema: schema,
          faults: schema.missingEntityColumns.map(\.fault) + (try PrimaryKeyFaults(schema, self).all()) + refusals
            + missing + triggers.faults + (try columnTypeFaults(schema)) + (try LayoutRemarks(schema, self).faults()),
          uncheckedTriggers: triggers.unchecked)
      }
    }
  }

  /// The columns whose types convert the values that Core Data stores: text in a column of numbers becomes a number.
  private func columnTypeFaults(_ schema: StoreSchema) throws(SQLiteError) -> [SchemaFault] {
    var expected = schema.tables.map { table in
      (table.name, [("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")] + table.columns.map { ($0.name, $0.sqlType) })
    }
    expected += schema.joinTables.map { table in
      (table.name, (table.keyColumns + table.orderColumns).map { ($0, "INTEGER") })
    }
    var faults: [SchemaFault] = []
    for (table, columns) in expected {
      var types: [[UInt8]: String] = [:]
      let declared = try connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
      while try declared.step() { types[(declared.text(1) ?? "").sqlNameKey] = declared.text(2) ?? "" }
      for (column, type) in columns {
        guard let found = types[column.sqlNameKey], ColumnAffinity(found) != ColumnAffinity(type) else { continue }
        let shown = found.isEmpty ? "no type" : "the type \(found.prefix(40))"
        faults.append(
          SchemaFault(
            .foreignColumnType, table: table, object: column,
            fact: "its column '\(table).\(column)' has \(shown) instead of \(type)",
            remedy: nil))
      }
    }
    return faults
  }
}

/// The way in which SQLite converts values for a column (sqlite.org/datatype3.html#determination_of_column_affinity).
private enum ColumnAffinity: Hashable {
  case integer, text, blob, real, numeric

  init(_ type: String) {
    let type = type.uppercased()
    self =
      if type.contains("INT") {
        .integer
      } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
        .text
      } else if type.isEmpty || type.contains("BLOB") {
        .blob
      } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
        .real
      } else {
        .numeric
      }
  }
}

extension FoundIndexes {
  /// The indexes that are missing, as faults.
  fileprivate func faults(_ schema: StoreSchema, isOwnModel: Bool) -> [SchemaFault] {
    tablesWithoutKey(schema).map { table in
      // It does what the index of the key does; a table with a key would have to be written again.
      let columns = table.keyColumns.map(\.quotedIdentifier).joined(separator: ", ")
      let name = "\(table.name)_KEY"
      return SchemaFault(
        .absentIndex, table: table.name, object: name, fact: table.missingKeyFact,
        remedy:
          "CREATE UNIQUE INDEX \(name.quotedIdentifier) ON \(table.name.quotedIdentifier) (\(columns));")
    }
      + missing(in: schema, isOwnModel: isOwnModel).map { index in
        SchemaFault(
          .absentIndex, table: index.table, object: index.name, fact: "it lacks the index \(index.placedName)",
          remedy: statement(making: index))
      }
  }
}

extension MissingEntityColumn {
  /// The column is filled from the rows that it repeats.
  fileprivate var fault: SchemaFault {
    let (table, column) = (table.quotedIdentifier, name.quotedIdentifier)
    let remedy = destinationTable.map { destination in
      """
      ALTER TABLE \(table) ADD COLUMN \(name.schemaIdentifier) INTEGER; UPDATE \(table) SET \(column) = (SELECT d.Z_ENT \
      FROM \(destination.quotedIdentifier) AS d WHERE d.Z_PK = \(table).\(key.name.quotedIdentifier));
      """
    }
    return SchemaFault(.absentColumn, table: self.table, object: name, fact: fact, remedy: remedy)
  }
}

/// The triggers with which Core Data keeps the counts of a model.
private struct CountTriggers {
  /// The counts that triggers are missing for.
  private(set) var faults: [SchemaFault] = []
  /// The derived attributes that have triggers of an unknown text, or none.
  private(set) var unchecked: [String] = []

  init(_ schema: StoreSchema, _ connection: Connection) throws(SQLiteError) {
    let names = try connection.strings("SELECT name FROM main.sqlite_schema WHERE type = 'trigger'")
    let found = Set(names.map(\.sqlNameKey))
    for count in schema.keptCounts {
      let missing = count.triggers.filter { !found.contains($0.name.sqlNameKey) }
      guard !missing.isEmpty else { continue }
      faults.append(
        SchemaFault(
          .absentTrigger, table: count.table, object: count.name,
          fact: "it lacks triggers that keep '\(count.name)' up to date: "
            + missing.map { "'\($0.name)'" }.joined(separator: ", "),
          // Since then, instances may have come and gone.
          remedy: (missing.map(\.statement) + [count.countStatement]).map { "\($0);" }.joined(separator: " ")))
    }
    unchecked = schema.omissions.filter { $0.kind == .derivedAttributeTriggers }.map { "\($0.entityName).\($0.name)" }
  }
}

/// Finds out which of the missing parts can be made without a loss.
private struct GapFilling {
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
    case .joinTable(let table): return fault(.absentTable, gap, remedy: "\(table.createStatement);")
    case .joinOrder(let name):
      let isEmpty = try !hasRows("\(gap.table.quotedIdentifier)")
      return fault(.absentColumn, gap, name, remedy: isEmpty ? adding(name, "INTEGER", to: gap.table) : nil)
    case .column(let column):
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

  private func hasRows(_ rows: String) throws(SQLiteError) -> Bool {
    try store.connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil
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

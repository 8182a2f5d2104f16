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
            + missing + triggers.faults + (try columnTypeFaults(schema))
            + (try TableRefusals(schema, connection).collations()) + (try LayoutRemarks(schema, self).faults()),
          uncheckedTriggers: triggers.unchecked)
      }
    }
  }

  /// The columns whose types convert the values that Core Data stores: text in a column of numbers becomes a number.
  func columnTypeFaults(_ schema: StoreSchema) throws(SQLiteError) -> [SchemaFault] {
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
            ColumnAffinity(found).changes(type) ? .convertingColumnType : .foreignColumnType, table: table,
            object: column,
            fact: "its column '\(table).\(column)' has \(shown) instead of \(type)",
            remedy: nil))
      }
    }
    return faults
  }
}

/// The way in which SQLite converts values for a column (sqlite.org/datatype3.html#determination_of_column_affinity).
enum ColumnAffinity: Hashable {
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

  /// Whether values of a type of Core Data's are other ones when they are read back: text becomes a number, such as 7 of
  /// '007', and a large number loses digits.
  func changes(_ type: String) -> Bool {
    switch Self(type) {
    case .text: [.integer, .real, .numeric].contains(self)
    case .integer: self == .real
    case .blob, .real, .numeric: false
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
      + missing(in: schema, isOwnModel: isOwnModel, isExact: true).map { index in
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

extension StoreReader {
  /// The tables with CHECK constraints, which SQLite does not test in a file that it may not write to.
  package func tablesWithChecks() throws(MigrationError) -> [String] {
    try reporting(path: file.path) { try TableRefusals.tablesWithChecks(connection) }
  }
}

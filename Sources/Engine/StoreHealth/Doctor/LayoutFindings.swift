internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

extension HealthNotes {
  /// Takes the faults of tables for findings.
  mutating func take(_ report: LayoutReport, of store: StoreReader) throws {
    for fault in report.faults { add(try finding(fault, report.schema, store)) }
    for attribute in report.uncheckedTriggers {
      leave(part: "the triggers of the derived attribute '\(attribute)', whose text is not known here")
    }
  }

  private func finding(_ fault: SchemaFault, _ schema: StoreSchema?, _ store: StoreReader) throws -> Finding {
    let repair = fault.remedy.flatMap { sql in
      fault.isLossless ? Repair(deed: fault.deed, work: .statements(sql)) : nil
    }
    var finding = Finding(Finding.Code(fault.kind), fault.fact, repair: repair)
    finding.table = fault.table.isEmpty ? nil : fault.table
    if repair == nil { finding.statement = fault.remedy }
    if fault.kind == .absentColumn { finding.statementCondition = "if that is the same" }
    if fault.kind == .foreignJoinTable { finding.repair?.newName = fault.object }
    // Nothing brings back what was converted, and what the app stores next is converted too.
    if fault.kind == .convertingColumnType { finding.remedy = .backup }
    guard fault.kind == .foreignEntityNumber, let table = schema?.tables.first(where: { $0.name == fault.table }) else {
      if fault.kind == .absentTrigger {
        finding.repair?.computedColumns = schema?.derivedColumns(of: fault.table) ?? []
      }
      return finding
    }
    let numbers = table.entityNames.compactMap { schema?.entityNumber($0) }.map(String.init).joined(separator: ", ")
    try finding.takeRows(
      store.connection, "\(table.name.quotedIdentifier) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
    finding.repair?.computedColumns = ["\(table.name).Z_ENT"]
    return finding
  }
}

extension Finding {
  /// Takes the number of some rows, and the keys of the first few.
  mutating func takeRows(_ connection: Connection, _ rows: String, key: String = "Z_PK") throws(SQLiteError) {
    count = try connection.integer("SELECT count(*) FROM \(rows)") ?? 0
    let statement = try connection.prepare("SELECT \(key) FROM \(rows) ORDER BY 1 LIMIT \(Self.exampleLimit)")
    // A row of a join table need not have a key at this end.
    while try statement.step() {
      if !statement.isNull(0) { self.rows.append(statement.integer(0)) }
    }
  }
}

extension Finding.Code {
  /// The kind of finding that a fault of a table is.
  init(_ kind: SchemaFault.Kind) {
    self =
      switch kind {
      case .unmatchedLayout: .unmatchedLayout
      case .absentTable: .missingTable
      case .absentColumn: .missingColumn
      case .absentEntity: .missingEntity
      case .foreignEntityName: .entityName
      case .foreignEntityNumber: .unknownEntity
      case .lowGreatestKey: .greatestKey
      case .foreignJoinTable: .joinTableName
      case .unknownEntityName: .unknownEntityName
      case .refusingConstraint: .refusingConstraint
      case .refusingTrigger: .refusingTrigger
      case .absentIndex: .missingIndex
      case .absentTrigger: .missingTrigger
      case .foreignColumnType, .convertingColumnType: .columnType
      case .foreignKeyValue: .oddKey
      }
  }
}

extension SchemaFault {
  /// The work of its remedy, as a clause.
  fileprivate var deed: String {
    let object = object ?? ""
    return switch kind {
    case .absentTable: "made the table '\(table)', which has no rows"
    case .absentColumn: "added the column '\(table).\(object)' (values that it had before are not brought back)"
    case .absentEntity: "gave the entity '\(object)' its row in 'Z_PRIMARYKEY'"
    case .foreignEntityName: "gave the entity '\(object)' its name in 'Z_PRIMARYKEY'"
    case .foreignEntityNumber: "gave 'Z_PRIMARYKEY' and the rows of '\(table)' the same number for its only entity"
    case .foreignJoinTable: "gave the table '\(table)' and its columns the names that Core Data looks for"
    case .lowGreatestKey: "set the greatest key (Z_MAX) of '\(table)'"
    case .absentIndex: "made the index '\(object)' of '\(table)'"
    case .absentTrigger: "made triggers of '\(object)', and counted again"
    case .refusingConstraint: "made the unique index '\(object)' of '\(table)' as the model has it"
    case .unmatchedLayout, .refusingTrigger, .foreignColumnType, .convertingColumnType, .foreignKeyValue,
      .unknownEntityName:
      "mended '\(table)'"
    }
  }
}

extension StoreSchema {
  /// The columns of derived attributes in a table, as `TABLE.COLUMN`.
  fileprivate func derivedColumns(of table: String) -> [String] {
    let columns = tables.first { $0.name == table }?.columns ?? []
    return columns.filter { column in
      model.entity(named: column.entityName)?.attribute(named: column.propertyName)?.isDerived == true
    }.map { "\(table).\($0.name)" }
  }
}

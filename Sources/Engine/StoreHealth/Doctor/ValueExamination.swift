internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Looks for numbers and dates that the types of their attributes cannot hold, and for versions of rows that are none.
///
/// SQLite stores any number in a column of numbers; Core Data writes none of these.
struct ValueExamination {
  private let connection: Connection
  private let schema: StoreSchema

  init(_ store: StoreReader, _ schema: StoreSchema) {
    (connection, self.schema) = (store.connection, schema)
  }

  func run(_ notes: inout HealthNotes) throws {
    for name in schema.entityNames {
      guard let entity = schema.model.entity(named: name), let table = schema.table(forEntityNamed: name)?.name else {
        continue
      }
      try examine(entity, in: table, &notes)
    }
    for table in schema.tables {
      try examineOthers(of: table, &notes)
      if let finding = try versions(of: table) { notes.add(finding) }
    }
  }

  private struct Rule {
    let attribute: String
    let type: AttributeType
    /// True for values that break it.
    let condition: String
  }

  /// SQLite limits the depth of an expression.
  private static let rulesPerPass = 100

  private func examine(
    _ entity: EntityDescription, in table: String, _ notes: inout HealthNotes
  ) throws(SQLiteError) {
    let rules = entity.attributes.filter { !$0.isTransient }.compactMap { attribute -> Rule? in
      guard let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)?.name,
        let condition = attribute.type.condition(forUnfit: column.quotedIdentifier)
      else { return nil }
      return Rule(attribute: attribute.name, type: attribute.type, condition: "(\(condition))")
    }
    let rows = "\(table.quotedIdentifier) WHERE Z_ENT = \(schema.entityNumber(entity.name)) AND "
    for start in stride(from: 0, to: rules.count, by: Self.rulesPerPass) {
      let pass = rules[start..<min(start + Self.rulesPerPass, rules.count)]
      let isAny = "(\(pass.map(\.condition).joined(separator: " OR ")))"
      guard try connection.integer("SELECT 1 FROM \(rows)\(isAny) LIMIT 1") != nil else { continue }
      for rule in pass {
        var finding = Finding(
          .unfitValue, "'\(entity.name).\(rule.attribute)' has values that its type '\(rule.type.xmlName)' cannot have")
        (finding.table, finding.entity, finding.property) = (table, entity.name, rule.attribute)
        try finding.takeRows(connection, rows + rule.condition)
        if finding.count != 0 { notes.add(finding) }
      }
    }
  }

  /// Looks for values in columns that the entities of their rows do not have.
  private func examineOthers(of table: EntityTable, _ notes: inout HealthNotes) throws(SQLiteError) {
    for column in table.columns {
      let owners = Set(schema.model.tree(of: column.entityName))
      let others = table.entityNames.filter { !owners.contains($0) }.map { "\(schema.entityNumber($0))" }
      guard !others.isEmpty else { continue }
      let rows =
        "\(table.name.quotedIdentifier) WHERE Z_ENT IN (\(others.joined(separator: ", "))) AND \(column.name.quotedIdentifier) "
        + "IS NOT NULL"
      guard try connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil else { continue }
      var finding = Finding(
        .foreignValue,
        "'\(table.name).\(column.name)' has values in rows whose entity has no '\(column.entityName).\(column.propertyName)'"
      )
      (finding.table, finding.entity, finding.property) = (table.name, column.entityName, column.propertyName)
      try finding.takeRows(connection, rows)
      notes.add(finding)
    }
  }

  private func versions(of table: EntityTable) throws(SQLiteError) -> Finding? {
    let isNone = "typeof(Z_OPT) <> 'integer' OR Z_OPT < 0"
    let rows = "\(table.name.quotedIdentifier) WHERE \(isNone)"
    guard try connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil else { return nil }
    var finding = Finding(
      .rowVersion, "its table '\(table.name)' has rows whose version (Z_OPT) is not a number of saves",
      repair: Repair(
        deed: "set the versions (Z_OPT) of rows of '\(table.name)' that had none to 1",
        work: .statements("UPDATE \(table.name.quotedIdentifier) SET Z_OPT = 1 WHERE \(isNone)"),
        computedColumns: ["\(table.name).Z_OPT"]))
    finding.table = table.name
    try finding.takeRows(connection, rows)
    return finding
  }
}

extension AttributeType {
  /// The condition for values of a column that this type cannot have; `nil` if it can have all that its column keeps.
  fileprivate func condition(forUnfit column: String) -> String? {
    switch self {
    case .boolean: "typeof(\(column)) = 'integer' AND \(column) NOT IN (0, 1)"
    case .integer16: "typeof(\(column)) = 'integer' AND \(column) NOT BETWEEN \(Int16.min) AND \(Int16.max)"
    case .integer32: "typeof(\(column)) = 'integer' AND \(column) NOT BETWEEN \(Int32.min) AND \(Int32.max)"
    // Infinity is a value of its own.
    case .float:
      "typeof(\(column)) = 'real' AND abs(\(column)) > \(Float.greatestFiniteMagnitude) AND abs(\(column)) < 9e999"
    // More than 300,000 years.
    case .date: "typeof(\(column)) IN ('integer', 'real') AND \(column) NOT BETWEEN -1e13 AND 1e13"
    case .undefined, .integer64, .decimal, .double, .string, .binaryData, .uuid, .uri, .transformable, .objectID,
      .composite:
      nil
    }
  }
}

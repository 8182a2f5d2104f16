internal import DataModel
internal import SQLiteDatabase

/// Finds constraints in the tables of a model that refuse rows which the model allows.
///
/// Core Data's own tables have none but primary keys and the uniqueness constraints of the model. A table that another
/// program made again may have more, and then the app fails when it saves. What an app adds for itself, and new rows
/// cannot violate, is not an obstacle.
struct TableRefusals {
  private let schema: StoreSchema
  private let connection: Connection

  init(_ schema: StoreSchema, _ connection: Connection) {
    (self.schema, self.connection) = (schema, connection)
  }

  /// One of the model's tables, as far as its constraints matter.
  private struct Table {
    let name: String
    /// The columns that Core Data writes.
    let columns: Set<[UInt8]>
    /// Those of them that have a value in each row.
    let filled: Set<[UInt8]>
    /// The sets of columns that the model keeps unique.
    let uniqueSets: [Set<[UInt8]>]
  }

  func all(indexes: FoundIndexes) throws(SQLiteError) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    for table in entityTables + joinTables {
      let columns = try columns(of: table)
      faults += columns.compactMap { $0.fault(table.name, isOfModel: table.columns.contains($0.name.sqlNameKey)) }
      faults += try checks(of: table)
      // A new row has NULL in them, which is equal to nothing.
      let open = Set(columns.filter { !$0.hasDefault }.map(\.name.sqlNameKey)).subtracting(table.columns)
      for index in indexes.indexes(of: table.name) where index.isUnique {
        if let fault = try fault(of: index, in: table, open: open) { faults.append(fault) }
      }
    }
    return faults
  }

  /// The columns of the model whose text is compared in another way than Core Data's, which is by its bytes.
  func collations() throws(SQLiteError) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    for table in entityTables {
      for (column, collation) in try sql(of: table.name, type: "table").collations
      where table.columns.contains(column.sqlNameKey) && collation.uppercased() != "BINARY" {
        faults.append(
          SchemaFault(
            .foreignColumnType, table: table.name, object: column,
            fact:
              "its column '\(table.name).\(column)' compares text by \(collation.prefix(40)) instead of by its bytes",
            remedy: nil))
      }
    }
    return faults
  }

  /// The tables of a file with CHECK constraints.
  static func tablesWithChecks(_ connection: Connection) throws(SQLiteError) -> [String] {
    let list = try connection.prepare(
      "SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND sql LIKE '%check%' ORDER BY name")
    var tables: [String] = []
    while try list.step() {
      if !SchemaStatement(list.text(1) ?? "").checks.isEmpty { tables += list.text(0).map { [$0] } ?? [] }
    }
    return tables
  }

  // MARK: - Tables

  private var entityTables: [Table] {
    let byName = schema.model.entitiesByName
    return schema.tables.map { table in
      let filled = table.columns.filter { column in
        table.entityNames.compactMap { byName[$0] }.filter { !$0.isAbstract }.allSatisfy { Self.isFilled(column, $0) }
      }
      return Table(
        name: table.name, columns: Set((FoundColumns.fixed + table.columns.map(\.name)).map(\.sqlNameKey)),
        filled: Set((FoundColumns.fixed + filled.map(\.name)).map(\.sqlNameKey)),
        uniqueSets: [["Z_PK".sqlNameKey]]
          + table.fetchIndexes.filter { $0.purpose == .uniqueness }.map { Set($0.columns.map(\.sqlNameKey)) })
    }
  }

  /// Whether each row of an entity has a value in a column: siblings share a table, and leave each other's columns empty.
  private static func isFilled(_ column: EntityTable.Column, _ entity: EntityDescription) -> Bool {
    switch column.content {
    case .attribute:
      entity.attribute(named: column.propertyName).map { !$0.isOptional && !$0.isDerived } ?? false
    case .foreignKey, .destinationEntity:
      entity.relationship(named: column.propertyName).map { !$0.isOptional && !$0.isToMany } ?? false
    case .order: false
    }
  }

  private var joinTables: [Table] {
    schema.joinTables.map { table in
      let columns = Set((table.keyColumns + table.orderColumns).map(\.sqlNameKey))
      return Table(
        name: table.name, columns: columns, filled: columns, uniqueSets: [Set(table.keyColumns.map(\.sqlNameKey))])
    }
  }

  // MARK: - Columns

  private struct Column {
    let name: String
    let isRequired: Bool
    let hasDefault: Bool

    func fault(_ table: String, isOfModel: Bool) -> SchemaFault? {
      // Core Data names the model's columns when it inserts a row, so their defaults do not count.
      guard isRequired, isOfModel || !hasDefault else { return nil }
      return SchemaFault(
        .refusingConstraint, table: table,
        fact: "its table '\(table)' refuses rows without a value in '\(name)' (NOT NULL), "
          + (isOfModel ? "which the model allows" : "a column that the model does not have"), remedy: nil)
    }
  }

  /// The columns of a table, without those that may be NOT NULL.
  private func columns(of table: Table) throws(SQLiteError) -> [Column] {
    let statement = try connection.prepare("PRAGMA main.table_info(\(table.name.quotedIdentifier))")
    var columns: [Column] = []
    while try statement.step() {
      guard let name = statement.text(1) else { continue }
      columns.append(
        Column(
          name: name, isRequired: statement.integer(3) == 1 && !table.filled.contains(name.sqlNameKey),
          hasDefault: !statement.isNull(4) && statement.text(4)?.uppercased() != "NULL"))
    }
    return columns
  }

  // MARK: - CHECK

  private func checks(of table: Table) throws(SQLiteError) -> [SchemaFault] {
    let sql = try sql(of: table.name, type: "table")
    return sql.checks.compactMap { check in
      // Most conditions hold for NULL, which an app's own column has in a new row.
      guard sql.mentions(table.columns, in: check) || check.contains(where: \.isAboutNull) else { return nil }
      let text = check.map(\.sql).joined(separator: " ")
      return SchemaFault(
        .refusingConstraint, table: table.name,
        fact: "its table '\(table.name)' has a constraint that the model does not have: "
          + "CHECK (\(text.prefix(Self.longestCheck)))",
        remedy: nil)
    }
  }

  private static let longestCheck = 200

  private func sql(of name: String, type: String) throws(SQLiteError) -> SchemaStatement {
    let statement = try connection.prepare(
      "SELECT sql FROM main.sqlite_schema WHERE type = \(type.quotedLiteral) AND name = \(name.quotedLiteral)")
    return SchemaStatement(try statement.step() ? statement.text(0) ?? "" : "")
  }

  // MARK: - Unique indexes

  private func fault(
    of index: FoundIndexes.Index, in table: Table, open: Set<[UInt8]>
  ) throws(SQLiteError) -> SchemaFault? {
    let columns = Set(index.columns.compactMap { $0 })
    let isOfModel = table.uniqueSets.contains { $0.isSubset(of: columns) }
    guard !isOfModel || index.hasOtherCollation, columns.isDisjoint(with: open),
      !columns.contains("Z_PK".sqlNameKey)
    else { return nil }
    if index.columns.contains(nil) {
      // An app's own, of its own columns.
      let sql = try sql(of: index.name, type: "index")
      guard sql.mentions(table.columns, in: sql.tokens) else { return nil }
    }
    let names = index.columns.map { $0.map { String(decoding: $0, as: UTF8.self).uppercased() } ?? "an expression" }
    let list = names.joined(separator: ", ")
    let expected = schema.indexes.first { $0.purpose == .uniqueness && $0.name.sqlNameKey == index.name.sqlNameKey }
    return SchemaFault(
      .refusingConstraint, table: table.name, object: index.name,
      fact: "its table '\(table.name)' refuses rows that are the same in '\(index.name)' (\(list)), "
        + (isOfModel
          ? "which compares text in another way than the model's constraint"
          : "a constraint that the model does not have"),
      remedy: index.isOfTable
        ? nil : "DROP INDEX \(index.name.quotedIdentifier);" + (expected.map { " \($0.createStatement);" } ?? ""),
      // An index of the app's own may be a rule that the app wants.
      isLossless: expected != nil)
  }
}

/// A statement of a file's schema, for finding the columns that its conditions name.
private struct SchemaStatement {
  /// The tokens; empty where the statement has anything that is not known.
  let tokens: [SchemaToken]

  init(_ sql: String) {
    tokens = SchemaToken.all(in: sql) ?? []
  }

  /// The conditions of its CHECK constraints.
  var checks: [[SchemaToken]] {
    var checks: [[SchemaToken]] = []
    for index in tokens.indices where tokens[index].keyword == "CHECK" {
      guard tokens.dropFirst(index + 1).first == .symbol("(") else { continue }
      var depth = 0
      let condition = tokens.dropFirst(index + 1).prefix { token in
        depth += token == .symbol("(") ? 1 : token == .symbol(")") ? -1 : 0
        return depth > 0
      }
      checks.append(Array(condition.dropFirst()))
    }
    return checks
  }

  /// The collations of columns, each with the column.
  var collations: [(column: String, collation: String)] {
    var found: [(column: String, collation: String)] = []
    var (depth, column, begins) = (0, String?.none, false)
    for index in tokens.indices {
      switch tokens[index] {
      case .symbol("("):
        depth += 1
        begins = depth == 1
      case .symbol(")"): depth -= 1
      case .symbol(","): begins = depth == 1
      case .word(let name), .quotedName(let name):
        if begins { column = name }
        begins = false
        guard depth == 1, tokens[index].keyword == "COLLATE", let column, index + 1 < tokens.count else { continue }
        if case .word(let collation) = tokens[index + 1] { found.append((column, collation)) }
        if case .quotedName(let collation) = tokens[index + 1] { found.append((column, collation)) }
      case .text, .literal, .symbol: begins = false
      }
    }
    return found
  }

  /// Whether tokens name one of these columns.
  func mentions(_ columns: Set<[UInt8]>, in tokens: some Sequence<SchemaToken>) -> Bool {
    tokens.contains { token in
      switch token {
      case .word(let name), .quotedName(let name): columns.contains(name.sqlNameKey)
      case .text, .literal, .symbol: false
      }
    }
  }
}

extension SchemaToken {
  /// Whether a condition with this word can fail for NULL.
  fileprivate var isAboutNull: Bool { ["NULL", "ISNULL", "NOTNULL", "IFNULL", "COALESCE", "TYPEOF"].contains(keyword) }
}

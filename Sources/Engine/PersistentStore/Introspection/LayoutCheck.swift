package import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase

extension StoreReader {
  /// Checks that the store has the tables, columns and indexes of a model whose version hashes it has, and that Core Data
  /// can write to them.
  ///
  /// Version hashes are metadata: a store may have those of a model although another program has dropped a table, a column
  /// or an index. Only a store that has all of them is current. It may have more, and under other names.
  ///
  /// A model's fetch indexes do not enter into its version hashes, and a store is not migrated for them. So the ones that
  /// count are those of the copy of the model that the store keeps.
  ///
  /// Of the rows, only the numbers of their entities are read, and where several properties share a name, what shows whose
  /// columns are whose.
  ///
  /// - Returns: What else may be in the app's way, as sentences.
  /// - Throws: `MigrationError` with `damaged`, which names what is missing or refuses rows.
  @discardableResult
  package func requireLayout(of model: ManagedObjectModel) throws(MigrationError) -> [String] {
    let own = try? writtenModel()
    let schema = try StoreSchema(own ?? model, introspecting: self)
    try requireEntityColumns(of: schema)
    let found = try reporting(path: file.path) { try FoundIndexes(schema, connection) }
    let faults = try boundingLongQuestions { () throws(MigrationError) in
      try reporting(path: file.path) {
        try TableRefusals(schema, connection).all(indexes: found)
          + PrimaryKeyFaults(schema, self).all()
          + columnTypeFaults(schema).filter { $0.kind == .convertingColumnType }
      }
    }
    if !faults.isEmpty { throw SchemaFault.error(faults, path: file.path) }
    if let table = found.tablesWithoutKey(schema).first {
      throw LayoutFault.error(
        self, entity: table.naming.entityName, property: table.naming.relationshipName, table.missingKeyFact)
    }
    let missing = found.missing(in: schema, isOwnModel: own != nil)
    guard !missing.isEmpty else { return try reporting(path: file.path) { try LayoutRemarks(schema, self).all() } }
    var error = MigrationError(
      .damaged, path: file.path,
      detail: "it lacks \(missing.count == 1 ? "the index" : "the indexes") "
        + missing.map(\.placedName).joined(separator: ", "))
    error.advice =
      "Nothing was changed. Restore it from a backup, let \(.repair(file.path)) mend it, or create "
      + "\(missing.count == 1 ? "it" : "them") again in the program 'sqlite3', with: "
      + "\(missing.map { found.statement(making: $0) }.joined(separator: " "))"
    throw error
  }

  /// Checks that the entities in `Z_PRIMARYKEY` and in the rows are those of a model, before rows are added.
  ///
  /// - Returns: What else may be in the app's way, as sentences.
  /// - Throws: `MigrationError` with `damaged`.
  package func requireEntities(of model: ManagedObjectModel) throws(MigrationError) -> [String] {
    let schema = try StoreSchema(model, introspecting: self)
    let faults = try boundingLongQuestions { () throws(MigrationError) in
      try reporting(path: file.path) { try PrimaryKeyFaults(schema, self).ofEntities() }
    }
    if !faults.isEmpty { throw SchemaFault.error(faults, path: file.path) }
    return try reporting(path: file.path) { try LayoutRemarks(schema, self).all() }
  }

  /// Checks that the key of each to-one relationship has its entity column, which reading can do without.
  private func requireEntityColumns(of schema: StoreSchema) throws(MigrationError) {
    guard let column = schema.missingEntityColumns.first else { return }
    throw LayoutFault.error(self, entity: column.key.entityName, property: column.key.propertyName, column.fact)
  }
}

/// The column with the entity of a to-one relationship's destination, which a table lacks.
struct MissingEntityColumn {
  let table: String
  let key: EntityTable.Column
  let name: String
  /// The table of the destinations, whose rows say their entities.
  let destinationTable: String?

  var fact: String {
    "its table '\(table)' has no column '\(name)' for the entity of '\(key.entityName).\(key.propertyName)'"
  }
}

extension StoreSchema {
  /// The entity columns that the tables of a file lack.
  var missingEntityColumns: [MissingEntityColumn] {
    let byName = model.entitiesByName
    return tables.flatMap { table in
      let known = Set(
        table.columns.filter { $0.content == .destinationEntity }.map { [$0.entityName, $0.propertyName] })
      return table.columns.compactMap { key -> MissingEntityColumn? in
        guard key.content == .foreignKey, !known.contains([key.entityName, key.propertyName]),
          let relationship = byName[key.entityName]?.relationship(named: key.propertyName), !relationship.isToMany,
          byName[relationship.destinationEntityName]?.subentityNames.isEmpty == false
        else { return nil }
        let number = entityNumber(relationship.destinationEntityName)
        return MissingEntityColumn(
          table: table.name, key: key, name: "Z\(number)_\(key.name.dropFirst())",
          destinationTable: self.table(forEntityNamed: relationship.destinationEntityName)?.name)
      }
    }
  }
}

/// The indexes that the tables of a model have in a store, whatever their names: in a store that was migrated in place, or
/// written by an old framework, indexes have other names, and those of a primary key have none.
struct FoundIndexes {
  /// An index.
  struct Index {
    let name: String
    let isUnique: Bool
    /// Whether it has a part of the rows only, and so does not find the others.
    let isPartial: Bool
    /// Whether a constraint in the table's own statement makes it.
    let isOfTable: Bool
    /// The columns; `nil` for an expression.
    var columns: [[UInt8]?] = []
    /// Whether each column is in descending order.
    var isDescending: [Bool] = []
    /// Whether it compares text in another way than by its bytes, as Core Data's do.
    var hasOtherCollation = false
  }

  private var indexes: [[UInt8]: [Index]] = [:]

  init(_ schema: StoreSchema, _ connection: Connection) throws(SQLiteError) {
    for table in schema.tables.map(\.name) + schema.joinTables.map(\.name) {
      var found: [Index] = []
      let list = try connection.prepare("PRAGMA main.index_list(\(table.quotedIdentifier))")
      while try list.step() {
        guard let name = list.text(1) else { continue }
        var index = Index(
          name: name, isUnique: list.integer(2) == 1, isPartial: list.integer(4) != 0, isOfTable: list.text(3) != "c")
        let parts = try connection.prepare("PRAGMA main.index_xinfo(\(name.quotedIdentifier))")
        while try parts.step() {
          guard parts.integer(5) == 1 else { continue }
          index.columns.append(parts.text(2)?.sqlNameKey)
          index.isDescending.append(parts.integer(3) == 1)
          if parts.text(4)?.uppercased() != "BINARY" { index.hasOtherCollation = true }
        }
        found.append(index)
      }
      indexes[table.sqlNameKey] = found
    }
  }

  /// The indexes of a table.
  func indexes(of table: String) -> [Index] { indexes[table.sqlNameKey] ?? [] }

  /// Whether there is an index that begins with the same columns; one that the model declares has them alone.
  ///
  /// - Parameter isExact: Whether an index for fetches must be one of its own in the same order. A unique one, or one in the
  ///   other direction, finds the same rows.
  func contains(_ expected: SchemaIndex, isExact: Bool = false) -> Bool {
    let columns = expected.columns.map(\.sqlNameKey)
    return indexes(of: expected.table).contains { index in
      guard !index.isPartial else { return false }
      switch expected.purpose {
      case .uniqueness: return index.isUnique && !index.hasOtherCollation && Set(index.columns) == Set(columns)
      case .fetching:
        let isOwn = !index.isUnique && (expected.isDescending.isEmpty || expected.isDescending == index.isDescending)
        return index.columns == columns && (isOwn || !isExact)
      case .key: return index.columns.starts(with: columns)
      }
    }
  }

  /// The indexes of a model that are not there.
  ///
  /// A model's fetch indexes do not enter into its version hashes, so only those of the store's own model are missed.
  func missing(in schema: StoreSchema, isOwnModel: Bool, isExact: Bool = false) -> [SchemaIndex] {
    schema.indexes.filter { (isOwnModel || $0.purpose != .fetching) && !contains($0, isExact: isExact) }
  }

  /// The join tables that may hold a link twice.
  func tablesWithoutKey(_ schema: StoreSchema) -> [JoinTable] {
    schema.joinTables.filter { !contains($0.key) }
  }

  /// The statements that make an index, in place of another one with its name.
  func statement(making index: SchemaIndex) -> String {
    let other = indexes(of: index.table).first { $0.name.sqlNameKey == index.name.sqlNameKey }
    return (other.map { "DROP INDEX \($0.name.quotedIdentifier); " } ?? "") + index.createStatement + ";"
  }
}

extension SchemaIndex {
  /// The name with the table and the columns.
  var placedName: String { "'\(name)' of '\(table)' (\(columns.joined(separator: ", ")))" }
}

extension JoinTable {
  /// The fact that the table has no primary key, as a clause.
  var missingKeyFact: String { "its table '\(name)' has no primary key (\(keyColumns.joined(separator: ", ")))" }
}

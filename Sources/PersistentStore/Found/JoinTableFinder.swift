internal import DataModel
internal import Diagnostics

/// Finds the join tables of a store.
///
/// In a store that was migrated in place a table may carry other numbers than a fresh one would, or be named from the
/// other side. Relationships whose table and columns have the expected numbers take them first; for the rest only one
/// may fit at all.
struct JoinTableFinder {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  let found: FoundTables
  let tables: [EntityTable]
  private let entityTables: Set<[UInt8]>
  private var taken: Set<[UInt8]> = []

  init(
    store: StoreReader, model: ManagedObjectModel, numbering: EntityNumbering, found: FoundTables,
    tables: [EntityTable]
  ) {
    self.store = store
    self.model = model
    self.numbering = numbering
    self.found = found
    self.tables = tables
    entityTables = Set(tables.map(\.name.sqlNameKey))
  }

  mutating func tables(_ expected: [JoinTable]) throws(MigrationError) -> [JoinTable] {
    var resolved: [Int: JoinTable] = [:]
    for isExact in [true, false] {
      for (index, table) in expected.enumerated() where resolved[index] == nil {
        let names = isExact ? [table.name, table.inverse.tableName(numbering)] : similarNames(to: table)
        resolved[index] = try resolve(table, names: names, isExact: isExact)
      }
    }
    for (index, table) in expected.enumerated() where resolved[index] == nil {
      throw LayoutFault.error(
        store, entity: table.naming.entityName, property: table.naming.relationshipName,
        """
        it has no table such as '\(table.name)' for '\(table.naming.entityName).\(table.naming.relationshipName)' and \
        '\(table.inverse.entityName).\(table.inverse.relationshipName)'
        """)
    }
    return expected.indices.compactMap { resolved[$0] }
  }

  /// The tables that would be named after one of the sides if entities had other numbers.
  private func similarNames(to table: JoinTable) -> [String] {
    let patterns = [table.naming, table.inverse].map {
      NamePattern(prefix: "Z_", hasEntityNumber: true, stem: $0.relationshipName, mayHaveSuffix: false)
    }
    return found.names.filter { name in patterns.contains { $0.match(name) != nil } }
  }

  private mutating func resolve(
    _ expected: JoinTable, names: [String], isExact: Bool
  ) throws(MigrationError) -> JoinTable? {
    var fitting: [JoinTable] = []
    for name in names.compactMap({ found.name(for: $0) }) where !entityTables.contains(name.sqlNameKey) {
      let columns = JoinTableColumns(
        store: store, model: model, numbering: numbering, tables: tables, expected: expected, tableName: name,
        names: found.columns(of: name), requiresNumbers: isExact)
      if let table = try columns.table() { fitting.append(table) }
      if isExact, !fitting.isEmpty { break }
    }
    // Where another relationship's table would fit too, the numbers that it was found by say nothing.
    guard fitting.count == 1, let table = fitting.first, !taken.contains(table.name.sqlNameKey) else { return nil }
    taken.insert(table.name.sqlNameKey)
    return table
  }
}

extension JoinTable.Side {
  /// The name of the join table where this side names it.
  func tableName(_ numbering: EntityNumbering) -> String {
    "Z_\(numbering[entityName])\(relationshipName.uppercased())"
  }
}

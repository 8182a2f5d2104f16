internal import DataModel
internal import MigrationDiagnostics
internal import SQLiteDatabase

/// Finds the join tables of a store.
///
/// In a store that was migrated in place, a table may have other numbers than in a new store, or be named after the other
/// side. Relationships whose table and columns have the expected numbers take them first; for each of the others, exactly
/// one table must fit.
struct JoinTableFinder {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  let found: FoundTables
  let tables: [EntityTable]
  /// Collects the tables and order columns that are missing; without it, the first one is an error.
  let gaps: LayoutGaps?
  private let entityTables: Set<[UInt8]>
  /// The names of all tables by what is left of them without the prefix `Z_` and digits.
  ///
  /// Only a few of a model's thousands of tables are then compared with each relationship.
  private let namesByEnding: [[UInt8]: [String]]
  private var taken: Set<[UInt8]> = []

  init(
    store: StoreReader, model: ManagedObjectModel, numbering: EntityNumbering, found: FoundTables,
    tables: [EntityTable], gaps: LayoutGaps? = nil
  ) {
    self.store = store
    self.gaps = gaps
    self.model = model
    self.numbering = numbering
    self.found = found
    self.tables = tables
    entityTables = Set(tables.map(\.name.sqlNameKey))
    namesByEnding = Dictionary(grouping: found.names) { Self.ending(of: $0.uppercased().utf8.dropFirst(2)) }
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
      let error = LayoutFault.error(
        store, entity: table.naming.entityName, property: table.naming.relationshipName,
        """
        it has no table such as '\(table.name)' for '\(table.naming.entityName).\(table.naming.relationshipName)' and \
        '\(table.inverse.entityName).\(table.inverse.relationshipName)'
        """)
      // A table that could be meant must not get a rival.
      let names = [table.name, table.inverse.tableName(numbering)] + similarNames(to: table)
      guard let gaps, names.allSatisfy({ found.name(for: $0) == nil }) else { throw error }
      gaps.note(.joinTable(table), error, table: table.name)
      resolved[index] = table
    }
    return expected.indices.compactMap { resolved[$0] }
  }

  /// The tables that could be named after one of the sides if entities had other numbers.
  private func similarNames(to table: JoinTable) -> [String] {
    let patterns = [table.naming, table.inverse].map {
      NamePattern(prefix: "Z_", hasEntityNumber: true, stem: $0.relationshipName, mayHaveSuffix: false)
    }
    let endings = Set(patterns.map { Self.ending(of: $0.stem.uppercased().utf8[...]) })
    // Sorted as the tables are, so that errors name the same one.
    return endings.flatMap { namesByEnding[$0] ?? [] }.filter { name in patterns.contains { $0.match(name) != nil } }
      .sorted { $0.precedesByBytes($1) }
  }

  /// A name without the digits that it begins with: those of an entity's number, and those of a stem.
  private static func ending(of name: Substring.UTF8View) -> [UInt8] {
    Array(name.drop { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
  }

  private mutating func resolve(
    _ expected: JoinTable, names: [String], isExact: Bool
  ) throws(MigrationError) -> JoinTable? {
    var fitting: [JoinTable] = []
    for name in names.compactMap({ found.name(for: $0) }) where !entityTables.contains(name.sqlNameKey) {
      let columns = JoinTableColumns(
        store: store, model: model, numbering: numbering, tables: tables, expected: expected, tableName: name,
        names: found.columns(of: name), requiresNumbers: isExact, gaps: gaps)
      if let table = try columns.table() { fitting.append(table) }
      if isExact, !fitting.isEmpty { break }
    }
    // If the table of another relationship fits too, the numbers prove nothing.
    guard fitting.count == 1, let table = fitting.first, !taken.contains(table.name.sqlNameKey) else { return nil }
    taken.insert(table.name.sqlNameKey)
    return table
  }
}

extension JoinTable.Side {
  /// The name of the join table if it is named after this side.
  func tableName(_ numbering: EntityNumbering) -> String {
    "Z_\(numbering[entityName])\(relationshipName.uppercased())"
  }
}

/// Finds the columns of a join table in a store.
private struct JoinTableColumns {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  let tables: [EntityTable]
  let expected: JoinTable
  let tableName: String
  let names: FoundNames
  /// Whether the columns must have the entity numbers of the store.
  let requiresNumbers: Bool
  let gaps: LayoutGaps?

  /// The columns that hold the keys of the destinations of each side.
  private struct Keys: Hashable {
    let naming: String
    let inverse: String
  }

  /// The table with its names in the file; `nil` if its columns do not belong to these relationships.
  func table() throws(MigrationError) -> JoinTable? {
    guard let keys = expected.isReflexive ? reflexiveKeys() : try keys() else { return nil }
    let naming = try side(expected.naming, keys.naming)
    // A relationship that is its own inverse has one order.
    let inverse = expected.isReflexive ? nil : try side(expected.inverse, keys.inverse)
    let other =
      inverse
      ?? JoinTable.Side(
        entityName: expected.inverse.entityName, relationshipName: expected.inverse.relationshipName,
        destinationColumn: expected.inverse.destinationColumn, orderColumn: nil)
    let isNamedAsExpected = pattern(of: expected.naming, prefix: "Z_", mayHaveSuffix: false).match(tableName) != nil
    return JoinTable(
      name: tableName, naming: isNamedAsExpected ? naming : other, inverse: isNamedAsExpected ? other : naming)
  }

  private func reflexiveKeys() -> Keys? {
    let inverse = expected.inverse.destinationColumn
    let candidates = candidates(for: expected.naming)
    guard names.name(for: inverse) != nil, candidates.count == 1, let naming = candidates.first else { return nil }
    return Keys(naming: naming, inverse: inverse)
  }

  private func keys() throws(MigrationError) -> Keys? {
    let exact = names.name(for: expected.naming.destinationColumn).flatMap { naming in
      names.name(for: expected.inverse.destinationColumn).map { Keys(naming: naming, inverse: $0) }
    }
    let possible = candidates(for: expected.naming).flatMap { naming in
      candidates(for: expected.inverse).filter { $0 != naming }.map { Keys(naming: naming, inverse: $0) }
    }
    guard possible.count > 1 else { return possible.first }
    let isNameEnough = expected.naming.relationshipName.uppercased() != expected.inverse.relationshipName.uppercased()
    if isNameEnough, let exact { return exact }
    return try best(possible, exact)
  }

  /// The assignment with the most keys that refer to instances of their destination's entity.
  ///
  /// If the rows do not decide, it is the expected one, or else the one whose numbers are in the same order as those of the
  /// entities, which renumbering rarely changes.
  private func best(_ possible: [Keys], _ exact: Keys?) throws(MigrationError) -> Keys? {
    let evidence = JoinTableEvidence(store: store, model: model, numbering: numbering, tables: tables)
    var ranked: [(keys: Keys, rank: (Int64, Int))] = []
    for keys in possible {
      let count =
        try evidence.count(keys.naming, in: tableName, for: expected.naming)
        + evidence.count(keys.inverse, in: tableName, for: expected.inverse)
      ranked.append((keys, (count, keys == exact ? 2 : isInOrder(keys) ? 1 : 0)))
    }
    return ranked.max { $0.rank < $1.rank }?.keys
  }

  private func isInOrder(_ keys: Keys) -> Bool {
    guard let naming = pattern(of: expected.naming, prefix: "Z_").match(keys.naming),
      let inverse = pattern(of: expected.inverse, prefix: "Z_").match(keys.inverse)
    else { return false }
    let isExpectedBefore = numbering[expected.inverse.entityName] < numbering[expected.naming.entityName]
    return (naming.entityNumber < inverse.entityNumber) == isExpectedBefore
  }

  private func candidates(for side: JoinTable.Side) -> [String] {
    // The number is that of the entity whose keys the column holds, which is the other side's.
    let other = side == expected.naming ? expected.inverse : expected.naming
    return names.names.filter { name in
      guard let match = pattern(of: side, prefix: "Z_").match(name) else { return false }
      return !requiresNumbers || match.entityNumber == numbering[other.entityName]
    }
  }

  private func pattern(of side: JoinTable.Side, prefix: String, mayHaveSuffix: Bool = true) -> NamePattern {
    NamePattern(prefix: prefix, hasEntityNumber: true, stem: side.relationshipName, mayHaveSuffix: mayHaveSuffix)
  }

  private func side(_ side: JoinTable.Side, _ column: String) throws(MigrationError) -> JoinTable.Side {
    JoinTable.Side(
      entityName: side.entityName, relationshipName: side.relationshipName, destinationColumn: column,
      orderColumn: try side.orderColumn.map { name throws(MigrationError) in
        try orderColumn(side, expectedName: name, besides: column)
      })
  }

  private func orderColumn(
    _ side: JoinTable.Side, expectedName: String, besides column: String
  ) throws(MigrationError) -> String {
    if let name = names.name(for: "Z_FOK_\(column.dropFirst(2))") ?? names.name(for: expectedName) { return name }
    let candidates = names.names.filter { pattern(of: side, prefix: "Z_FOK_").match($0) != nil }
    if candidates.count == 1, let name = candidates.first { return name }
    let error = LayoutFault.error(
      store, entity: side.entityName, property: side.relationshipName,
      """
      its table '\(tableName)' has no column '\(expectedName)' for the order of \
      '\(side.entityName).\(side.relationshipName)'
      """)
    guard let gaps, candidates.isEmpty else { throw error }
    let name = "Z_FOK_\(column.dropFirst(2))"
    gaps.note(.joinOrder(name), error, table: tableName)
    return name
  }
}

/// Determines from rows whose keys a column of a join table holds.
private struct JoinTableEvidence {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  let tables: [EntityTable]

  /// The number of keys in a column that refer to an instance of the destination of a side's relationship.
  func count(_ column: String, in joinTable: String, for side: JoinTable.Side) throws(MigrationError) -> Int64 {
    let relationship = model.entity(named: side.entityName)?.relationship(named: side.relationshipName)
    guard let destination = relationship?.destinationEntityName,
      let table = tables.first(where: { $0.entityNames.contains(destination) })
    else { return 0 }
    let entities = table.entityNames.filter { model.lineage(of: $0).contains(destination) }
    let numbers = entities.map { "\(numbering[$0])" }.joined(separator: ", ")
    // If the table has only one entity, its rows belong to that entity, whatever their Z_ENT.
    let filter = entities.count == table.entityNames.count ? "" : " AND instance.Z_ENT IN (\(numbers))"
    return try reporting(path: store.file.path) {
      try store.connection.integer(
        """
        SELECT count(*) FROM \(joinTable.quotedIdentifier) AS link WHERE EXISTS (
          SELECT 1 FROM \(table.name.quotedIdentifier) AS instance
          WHERE instance.Z_PK = link.\(column.quotedIdentifier)\(filter))
        """) ?? 0
    }
  }
}

package import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase

/// The rows that may differ between two stores of one model, found by one walk through both in the order of their keys.
///
/// Rows that are the same byte for byte, with the same links, are passed over without making values of them: of two stores that
/// are compared, that is nearly all.
package struct DifferingRows {
  private let stores: [Side]
  private let model: ManagedObjectModel
  /// The keys, by the root entity of their table.
  private var keys: [String: Set<Int64>] = [:]
  /// Those of rows that are instances of their entity in one of the stores only, in the same way.
  private var loneKeys: [String: Set<Int64>] = [:]

  /// Walks through both stores.
  ///
  /// - Returns: `nil` if their tables are not laid out alike, so that only instances can be compared.
  package init?(_ old: StoreReader, _ new: StoreReader, _ model: ManagedObjectModel) throws(MigrationError) {
    stores = try [old, new].map { reader throws(MigrationError) in
      try Side(reader, model)
    }
    self.model = model
    let (old, new) = (stores[0], stores[1])
    let tables = Array(zip(old.schema.tables, new.schema.tables))
    let joinTables = Array(zip(old.schema.joinTables, new.schema.joinTables))
    guard tables.count == old.schema.tables.count, tables.allSatisfy({ $0.isLaidOut(as: $1) }),
      joinTables.count == old.schema.joinTables.count, joinTables.allSatisfy({ $0.isLaidOut(as: $1) })
    else { return nil }
    for store in stores { store.reader.requireBoundedTablesOfLongQuestions() }
    try reporting(path: old.reader.file.path) {
      for (table, other) in tables { try walk(table, other) }
      for (table, other) in joinTables { try walk(table, other) }
      guard !loneKeys.isEmpty else { return }
      for table in old.schema.tables { try addLinksToLoneRows(of: table) }
      for table in old.schema.joinTables { try addLinksToLoneRows(of: table) }
    }
  }

  /// The keys of rows of an entity's table that may differ, in order; of some, only the links do.
  private func keys(ofEntityNamed name: String) -> [Int64] {
    model.lineage(of: name).last.flatMap { keys[$0] }?.sorted() ?? []
  }

  /// Calls a closure with each row that may differ and is one of exactly this entity in one of the stores.
  package func forEach(
    ofEntityNamed name: String, _ body: (_ key: Int64, _ isInOld: Bool, _ isInNew: Bool) throws -> Void
  ) throws {
    let finders = try stores.map { try $0.finder(of: name) }
    for key in keys(ofEntityNamed: name) {
      let found = try finders.map { try $0?(key) ?? false }
      if found[0] || found[1] { try body(key, found[0], found[1]) }
    }
  }

  // MARK: - Walks

  private mutating func walk(_ table: EntityTable, _ other: EntityTable) throws {
    guard let root = table.entityNames.first else { return }
    let columns = table.columns
    // What an external data file holds is not in its row.
    let external = columns.indices.filter { place in
      model.entity(named: columns[place].entityName)?.attribute(named: columns[place].propertyName)?
        .allowsExternalBinaryDataStorage == true
    }
    let owners = links(of: table)
    let rows = try zip(stores, [table, other]).map { store, table in
      try KeyedRows(
        store, ["Z_PK", "Z_ENT"] + table.columns.map(\.name), of: table.name, keyCount: 1,
        isOneEntity: table.entityNames.count == 1)
    }
    try KeyedRows.forEachPair(rows[0], rows[1]) { old, new in
      if let old, let new, old.isSame(as: new),
        external.allSatisfy({ old.statement.storageClass($0 + 2) == .null })
      {
        return
      }
      // A link to a row that is not there is no link.
      let isInBoth = if let old, let new { old.isOfSameEntity(as: new) } else { false }
      if !isInBoth, let row = old ?? new { loneKeys[root, default: []].insert(row.key[0]) }
      for row in [old, new].compactMap(\.self) {
        keys[root, default: []].insert(row.key[0])
        // The other ends of its links differ too.
        for owner in owners where !row.statement.isNull(owner.place + 2) {
          keys[owner.root, default: []].insert(row.statement.integer(owner.place + 2))
        }
      }
    }
  }

  private mutating func walk(_ table: JoinTable, _ other: JoinTable) throws {
    let roots = roots(of: table)
    let rows = try zip(stores, [table, other]).map { store, table in
      try KeyedRows(store, table.keyColumns + table.orderColumns, of: table.name, keyCount: 2, isOneEntity: true)
    }
    try KeyedRows.forEachPair(rows[0], rows[1]) { old, new in
      if let old, let new, old.isSame(as: new) { return }
      guard let row = old ?? new else { return }
      for (root, key) in zip(roots, row.key) {
        if let root { keys[root, default: []].insert(key) }
      }
    }
  }

  /// Adds the rows that name a row of ``loneKeys``, although they are the same in both stores.
  private mutating func addLinksToLoneRows(of table: EntityTable) throws {
    guard let root = table.entityNames.first else { return }
    for link in links(of: table) {
      guard let lone = loneKeys[link.root] else { continue }
      let column = table.columns[link.place].name.quotedIdentifier
      let rows = try stores[0].reader.connection.prepare(
        "SELECT Z_PK, \(column) FROM \(table.name.quotedIdentifier) WHERE \(column) IS NOT NULL")
      while try rows.step() {
        if lone.contains(rows.integer(1)) { keys[root, default: []].insert(rows.integer(0)) }
      }
    }
  }

  private mutating func addLinksToLoneRows(of table: JoinTable) throws {
    let roots = roots(of: table)
    let lone = roots.map { $0.flatMap { loneKeys[$0] } }
    guard lone.contains(where: { $0 != nil }) else { return }
    let list = table.keyColumns.map(\.quotedIdentifier).joined(separator: ", ")
    let rows = try stores[0].reader.connection.prepare("SELECT \(list) FROM \(table.name.quotedIdentifier)")
    while try rows.step() {
      for (end, other) in [(0, 1), (1, 0)] where lone[end]?.contains(rows.integer(end)) == true {
        if let root = roots[other] { keys[root, default: []].insert(rows.integer(other)) }
      }
    }
  }

  /// The columns of a table with keys of other rows, each with the root entity of these.
  private func links(of table: EntityTable) -> [(place: Int, root: String)] {
    table.columns.indices.compactMap { place in
      let column = table.columns[place]
      guard column.content == .foreignKey,
        let relationship = model.entity(named: column.entityName)?.relationship(named: column.propertyName),
        let root = model.lineage(of: relationship.destinationEntityName).last
      else { return nil }
      return (place, root)
    }
  }

  /// The root entities of the rows that the key columns of a join table name.
  private func roots(of table: JoinTable) -> [String?] {
    let links = table.namingLinks
    let destination = model.entity(named: links.entityName)?.relationship(named: links.relationshipName)?
      .destinationEntityName
    return table.keyColumns.map { column in
      // Where the relationship is its own inverse, both keys are of one table.
      let name = table.isReflexive || column == links.sourceColumn ? links.entityName : destination
      return name.flatMap { model.lineage(of: $0).last }
    }
  }
}

/// A store of a comparison.
private struct Side {
  let reader: StoreReader
  let schema: StoreSchema
  /// The names of the entities by their numbers, which each store has for itself.
  let entityNames: [Int64: String]

  init(_ reader: StoreReader, _ model: ManagedObjectModel) throws(MigrationError) {
    let schema = try StoreSchema(model, introspecting: reader)
    (self.reader, self.schema) = (reader, schema)
    entityNames = Dictionary(
      schema.entityNames.map { (Int64(schema.entityNumber($0)), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns a closure that tells whether a row is one of exactly this entity; `nil` if the store has no table for it.
  func finder(of name: String) throws -> ((Int64) throws -> Bool)? {
    guard let table = schema.table(forEntityNamed: name) else { return nil }
    let (number, isOnly) = (Int64(schema.entityNumber(name)), table.entityNames.count == 1)
    let statement = try reader.connection.prepare(
      "SELECT Z_ENT FROM \(table.name.quotedIdentifier) WHERE Z_PK = ?")
    return { key in
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      return try statement.step() && (isOnly || statement.integer(0) == number)
    }
  }
}

/// The rows of a table in the order of their keys.
private final class KeyedRows {
  let statement: Statement
  private let side: Side
  private let columns: [String]
  private let table: String
  private let keyCount: Int
  private let isOneEntity: Bool
  /// The key of the current row; empty behind the last one.
  private(set) var key: [Int64] = []

  init(
    _ side: Side, _ columns: [String], of table: String, keyCount: Int, isOneEntity: Bool
  ) throws {
    (self.side, self.columns, self.table) = (side, columns, table)
    (self.keyCount, self.isOneEntity) = (keyCount, isOneEntity)
    let list = columns.map(\.quotedIdentifier)
    let keys = list.prefix(keyCount)
    // A row of a join table with one end only links nothing.
    let condition = keyCount == 1 ? "" : "WHERE \(keys.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) "
    statement = try side.reader.connection.prepare(
      "SELECT \(list.joined(separator: ", ")) FROM \(table.quotedIdentifier) \(condition)"
        + "ORDER BY \(keys.joined(separator: ", "))")
    try advance()
  }

  private func advance() throws {
    let last = key
    guard try statement.step() else { return key = [] }
    key = (0..<keyCount).map { statement.integer($0) }
    // A join table without its primary key may have a link twice.
    guard last != key || keyCount > 1 else {
      let name = key.map(String.init).joined(separator: ", ")
      throw MigrationError(
        .damaged, path: side.reader.file.path, detail: "two rows of '\(table)' have the key \(name)")
    }
  }

  /// Whether the current row has the same values as that of another store, and is one of the same entity.
  func isSame(as other: KeyedRows) -> Bool {
    for place in keyCount..<columns.count {
      let isSame =
        place == 1 ? isOfSameEntity(as: other) : statement.isSame(place, as: other.statement)
      guard isSame else { return false }
    }
    return true
  }

  /// Whether the current row, which is not a link, is one of the same entity as that of another store.
  func isOfSameEntity(as other: KeyedRows) -> Bool {
    isOneEntity
      || side.entityNames[statement.integer(1)] == other.side.entityNames[other.statement.integer(1)]
  }

  /// Calls a closure with each pair of rows of one key, or with the one that has no other.
  static func forEachPair(
    _ old: KeyedRows, _ new: KeyedRows, _ body: (_ old: KeyedRows?, _ new: KeyedRows?) throws -> Void
  ) throws {
    while !old.key.isEmpty || !new.key.isEmpty {
      let isOld = !old.key.isEmpty && (new.key.isEmpty || !new.key.lexicographicallyPrecedes(old.key))
      let isNew = !new.key.isEmpty && (old.key.isEmpty || !old.key.lexicographicallyPrecedes(new.key))
      try body(isOld ? old : nil, isNew ? new : nil)
      if isOld { try old.advance() }
      if isNew { try new.advance() }
    }
  }
}

extension EntityTable {
  /// Whether another table has columns for the same, in the same order.
  fileprivate func isLaidOut(as other: EntityTable) -> Bool {
    entityNames == other.entityNames
      && columns.elementsEqual(other.columns) {
        $0.entityName == $1.entityName && $0.propertyName == $1.propertyName && $0.content == $1.content
      }
      // The number of a destination's entity is compared as it is.
      && !columns.contains { $0.content == .destinationEntity }
  }
}

extension JoinTable {
  fileprivate func isLaidOut(as other: JoinTable) -> Bool {
    naming.entityName == other.naming.entityName && naming.relationshipName == other.naming.relationshipName
      && keyColumns.count == other.keyColumns.count && orderColumns.count == other.orderColumns.count
      && (keyColumns.first == inverse.destinationColumn) == (other.keyColumns.first == other.inverse.destinationColumn)
  }
}

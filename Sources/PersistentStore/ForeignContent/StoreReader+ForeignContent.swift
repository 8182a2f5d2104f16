public import Diagnostics
internal import SQLite

extension StoreReader {
  /// What a store's file holds besides what its model asks for.
  public struct ForeignContent: Sendable, Hashable {
    /// What kind of content the model knows nothing of.
    public enum Kind: Sendable, Hashable {
      /// A table of Core Data's persistent history.
      case persistentHistory
      /// A table in which Core Data mirrors the store to CloudKit.
      case cloudKitMirror
      /// A table behind a spatial index, which holds nothing that other tables do not hold.
      case spatialIndex
      /// Any other table: one of the app's own.
      case app
      /// A column in a table of the model, or in one that every store has.
      case column
      /// Rows of a table of the model that are no instances, since their `Z_ENT` is the number of no entity that has any,
      /// and rows of `Z_PRIMARYKEY` for entities that the model does not have.
      case rows
    }

    /// A table, with rows of whatever entity, or a column, such as `ATRANSACTION` or `ZTRACK.ZRATING`.
    public let name: String
    /// The number of rows, or of values in the column.
    public let count: Int64
    /// What it is.
    public let kind: Kind
  }

  /// The tables and columns that a model knows nothing of: those of persistent history or of a mirror, or an app's own.
  public func foreignContent(besides schema: StoreSchema) throws(MigrationError) -> [ForeignContent] {
    var known = Dictionary(
      schema.tables.map { ($0.name.sqlNameKey, Set((FoundColumns.fixed + $0.columns.map(\.name)).map(\.sqlNameKey))) },
      uniquingKeysWith: { $0.union($1) })
    for table in schema.joinTables {
      let orders = [table.inverse.orderColumn, table.naming.orderColumn].compactMap { $0 }
      known[table.name.sqlNameKey] = Set((table.keyColumns + orders).map(\.sqlNameKey))
    }
    for (table, columns) in StoreSchema.fixedTables { known[table.sqlNameKey] = Set(columns.map(\.sqlNameKey)) }
    let tables = try FoundTables(self)
    let kinds = try TableKinds(self)
    return try reporting(path: file.path) {
      var found: [ForeignContent] = []
      for table in tables.names {
        guard let columns = known[table.sqlNameKey] else {
          let count = try connection.integer("SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0
          found.append(ForeignContent(name: table, count: count, kind: kinds[table]))
          continue
        }
        let unknown = tables.columns(of: table).names.filter { !columns.contains($0.sqlNameKey) }
        for (column, count) in try valueCounts(of: unknown, in: table) {
          found.append(ForeignContent(name: "\(table).\(column)", count: count, kind: .column))
        }
      }
      for table in schema.tables where tables.name(for: table.name) != nil {
        let count = try strayRows(in: table, schema)
        if count > 0 {
          found.append(ForeignContent(name: "\(table.name): rows of no entity", count: count, kind: .rows))
        }
      }
      let numbers = Set(schema.entityNames.map { Int64(schema.entityNumber($0)) })
      let strangers = primaryKeys.count { !$0.isOfCoreData && !numbers.contains($0.entityNumber) }
      if strangers > 0 {
        found.append(ForeignContent(name: "Z_PRIMARYKEY: rows of no entity", count: Int64(strangers), kind: .rows))
      }
      return found
    }
  }

  /// The number of values in each column; all rows are read once for a hundred columns.
  private func valueCounts(of columns: [String], in table: String) throws -> [(column: String, count: Int64)] {
    var counts: [(column: String, count: Int64)] = []
    for start in stride(from: 0, to: columns.count, by: 100) {
      let names = columns[start..<min(start + 100, columns.count)]
      let list = names.map { "count(\($0.quotedIdentifier))" }.joined(separator: ", ")
      let statement = try connection.prepare("SELECT \(list) FROM \(table.quotedIdentifier)")
      guard try statement.step() else { continue }
      counts += names.enumerated().map { ($1, statement.integer($0)) }
    }
    return counts
  }

  /// The number of rows that are instances of no entity.
  ///
  /// Where a table holds one entity only, its rows are that entity's, whatever their `Z_ENT` says.
  private func strayRows(in table: EntityTable, _ schema: StoreSchema) throws -> Int64 {
    let concrete = table.entityNames.filter { schema.model.entity(named: $0)?.isAbstract == false }
    if table.entityNames.count == 1, !concrete.isEmpty { return 0 }
    let numbers = concrete.map { String(schema.entityNumber($0)) }.joined(separator: ", ")
    return try connection.integer(
      "SELECT count(*) FROM \(table.name.quotedIdentifier) WHERE coalesce(Z_ENT, 0) NOT IN (\(numbers))") ?? 0
  }

  /// Whether the store keeps a persistent history, be it an empty one.
  public func hasHistory() throws(MigrationError) -> Bool {
    try hasTable(of: .persistentHistory)
  }

  /// Whether Core Data mirrors the store to CloudKit.
  ///
  /// The mirror names rows by entity numbers and keys: it does not survive a change of them.
  public func hasCloudKitMirror() throws(MigrationError) -> Bool {
    try hasTable(of: .cloudKitMirror)
  }

  private func hasTable(of kind: ForeignContent.Kind) throws(MigrationError) -> Bool {
    let kinds = try TableKinds(self)
    return try FoundTables(self).names.contains { kinds[$0] == kind }
  }
}

internal import DataModel
internal import Diagnostics
internal import Expressions
internal import PersistentStore
internal import SQLite

/// The rows of a store, counted by entity with statements of its own: nothing here is shared with what copies rows.
struct RowCensus {
  /// The number of rows, by entity: an abstract one has none, unless a store is odd.
  private(set) var counts: [String: Int] = [:]

  /// Takes counts from somebody who has counted the rows of this very state of a store.
  init(_ counts: [String: Int]) { self.counts = counts }

  /// Counts the rows of the main database of a connection.
  ///
  /// - Parameter names: The entities that are wanted; without them, all.
  init(_ connection: Connection, _ schema: StoreSchema, of names: [String]? = nil) throws(SQLiteError) {
    for table in schema.tables {
      let entities = table.entityNames.filter { names?.contains($0) != false }
      // A statement has 2000 columns at most.
      for start in stride(from: 0, to: entities.count, by: 500) {
        try count(Array(entities[start..<min(start + 500, entities.count)]), in: table, schema, connection)
      }
    }
  }

  private mutating func count(
    _ entities: [String], in table: EntityTable, _ schema: StoreSchema, _ connection: Connection
  ) throws(SQLiteError) {
    // Where a table holds one entity only, its rows are that entity's, whatever their Z_ENT says.
    let columns: [SQLFragment] =
      table.entityNames.count == 1
      ? ["count(*)"] : entities.map { "count(CASE WHEN Z_ENT = \(.number(schema.entityNumber($0))) THEN 1 END)" }
    // An index that contradicts its table is not asked.
    let statement = try connection.prepare(
      fragment: "SELECT \(columns.joined(by: ", ")) FROM main.\(identifier: table.name) NOT INDEXED")
    guard try statement.step() else { return }
    for (index, name) in entities.enumerated() { counts[name] = Int(clamping: statement.integer(index)) }
  }

  subscript(entity: String) -> Int { counts[entity] ?? 0 }
}

public import Diagnostics
internal import SQLite

extension StoreReader {
  /// What a store's file holds besides what its model asks for.
  public struct ForeignContent: Sendable, Hashable {
    /// A table or column, such as `ATRANSACTION` or `ZTRACK.ZRATING`.
    public let name: String
    /// The number of rows in the table, or of values in the column.
    public let count: Int64
  }

  /// The tables and columns that a model knows nothing of: those of persistent history or of a mirror, or an app's own.
  public func foreignContent(besides schema: StoreSchema) throws(MigrationError) -> [ForeignContent] {
    var known = Dictionary(
      schema.tables.map { ($0.name, Set(["Z_PK", "Z_ENT", "Z_OPT"] + $0.columns.map(\.name))) },
      uniquingKeysWith: { first, _ in first })
    for table in schema.joinTables.map(\.name) + ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"] { known[table] = [] }
    return try reporting(path: file.path) {
      let tables = try connection.prepare(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
      var found: [ForeignContent] = []
      while try tables.step() {
        guard let table = tables.text(0) else { continue }
        if let columns = known[table] {
          if !columns.isEmpty { found += try foreignColumns(of: table, besides: columns) }
        } else {
          let count = try connection.integer("SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0
          found.append(ForeignContent(name: table, count: count))
        }
      }
      return found
    }
  }

  private func foreignColumns(of table: String, besides known: Set<String>) throws -> [ForeignContent] {
    let columns = try connection.prepare("SELECT name FROM pragma_table_info(\(table.quotedLiteral))")
    var found: [ForeignContent] = []
    while try columns.step() {
      guard let column = columns.text(0), !known.contains(column.uppercased()) else { continue }
      let sql = "SELECT count(\(column.quotedIdentifier)) FROM \(table.quotedIdentifier)"
      found.append(ForeignContent(name: "\(table).\(column)", count: try connection.integer(sql) ?? 0))
    }
    return found
  }
}

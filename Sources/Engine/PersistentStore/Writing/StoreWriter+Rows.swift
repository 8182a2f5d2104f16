internal import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase

/// Fills an empty table with the rows that threads have encoded, page by page.
///
/// SQLite has created the table, uses it afterwards, and writes the rows that are left to it. While rows are collected, it
/// can write to other tables; this table has no rows until the end.
///
/// Without it, `tracks-migrate L.sqlite --output New.sqlite` reads every page of the library twice and inserts its rows one
/// by one: see the rows `sql` and `idleness` of `make bench`. `RowPagesTests` compares the tables with those of SQLite.
package final class RowPages {
  /// The layout of the rows.
  package let layout: RowLayout
  /// The number of rows.
  package private(set) var count = 0
  /// The keys of the rows that SQLite must write, after `finish`.
  package private(set) var leftKeys: [Int64] = []

  private let writer: StoreWriter
  private let table: EntityTable
  private let pages: DatabasePages
  private var tree: BTreeWriter?
  private let root: UInt32
  private var lastKey = Int64.min
  /// The rows that have not been written yet.
  private var pending: [RowCells] = []
  private var pendingSize = 0

  /// The size of rows from which they are written: often enough that they take little memory.
  private static let leastSize = 1 << 20

  /// Prepares to fill a table; `nil` if only SQLite can.
  ///
  /// - Parameters:
  ///   - entityNumber: `Z_ENT` of all rows.
  ///   - version: The source's column for `Z_OPT`.
  ///   - columns: The source's columns of the same type, by the names of the table's. All others get no value.
  package init?(
    _ writer: StoreWriter, _ table: EntityTable, entityNumber: Int, version: String, columns: [String: String]
  ) throws(MigrationError) {
    // Its tables may have columns and indexes of the app's own.
    guard !writer.keepsFile else { return nil }
    let connection = writer.connection
    let place: (root: UInt32, encoding: String?)? = try reporting(path: writer.path) {
      // Neither rows nor indexes.
      guard try connection.integer("SELECT 1 FROM main.\(table.name.quotedIdentifier) LIMIT 1") == nil else {
        return nil
      }
      let statement = try connection.prepare(
        "SELECT max(rootpage), count(*), max(type) FROM main.sqlite_schema WHERE tbl_name = ?")
      try statement.bind(table.name, at: 1)
      guard try statement.step(), statement.integer(1) == 1, statement.text(2) == "table",
        let root = UInt32(exactly: statement.integer(0))
      else { return nil }
      return (root, try connection.text("PRAGMA main.encoding"))
    }
    guard let place, place.encoding == "UTF-8" else { return nil }
    (self.writer, self.table, root) = (writer, table, place.root)
    pages = try writer.besideSQLite { () throws(MigrationError) in
      let pages = try DatabasePages(path: writer.path)
      try pages.finish()
      return pages
    }
    let values =
      [.integer(Int64(entityNumber)), .column(version, .integer64)]
      + table.columns.map { column -> RowLayout.Value in
        guard let source = columns[column.name], case .attribute(let type) = column.content else { return .null }
        return .column(source, type)
      }
    layout = RowLayout(values: values, greatestSize: pages.usableSize - 35)
    tree = BTreeWriter(.table, in: pages, path: writer.path)
  }

  /// Adds the rows of a range, which must come after those of the last one.
  package func append(_ cells: RowCells) throws(MigrationError) {
    pending.append(cells)
    pendingSize += cells.byteCount
    leftKeys += cells.leftKeys
    if pendingSize >= Self.leastSize { try writer.besideSQLite { () throws(MigrationError) in try write() } }
  }

  /// Writes what is left, after which the table has its rows.
  package func finish() throws(MigrationError) {
    try writer.besideSQLite { () throws(MigrationError) in
      try write(root: root)
    }
  }

  private func write(root: UInt32? = nil) throws(MigrationError) {
    try pages.begin()
    for cells in pending {
      try cells.forEach { key, cell throws(MigrationError) in
        guard key > lastKey || count == 0 else {
          // A row comes twice only where pages of the source lead to others more than once.
          throw MigrationError(
            .damaged, path: writer.path, detail: "the primary key \(key) of '\(table.name)' comes more than once")
        }
        try tree?.append(key, cell)
        lastKey = key
        count += 1
      }
    }
    (pending, pendingSize) = ([], 0)
    if let root { try tree.take()?.finish(root: root) }
    try pages.finish()
  }
}

extension StoreWriter {
  /// Does work on the file that SQLite knows nothing of, between two transactions.
  ///
  /// SQLite's cache is written to the file before, and read again afterwards, which SQLite only does if others could have
  /// written to it.
  func besideSQLite<Result>(_ work: () throws(MigrationError) -> Result) throws(MigrationError) -> Result {
    try reporting(path: path) {
      try connection.execute("COMMIT; PRAGMA main.locking_mode = NORMAL")
      _ = try connection.integer("SELECT count(*) FROM main.sqlite_schema")
    }
    let result = try work()
    try reporting(path: path) { try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE; BEGIN") }
    return result
  }
}

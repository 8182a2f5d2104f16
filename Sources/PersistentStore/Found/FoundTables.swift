internal import Diagnostics
internal import SQLite

/// The tables that a store's file really has, with their columns.
///
/// Only tables that are what they seem: views and virtual tables would run code of the file's author, and so would
/// generated columns, which are left out too.
struct FoundTables {
  private let tableNames: FoundNames
  private let columns: [[UInt8]: FoundNames]

  init(_ store: StoreReader) throws(MigrationError) {
    let connection = store.connection
    (tableNames, columns) = try reporting(path: store.file.path) {
      let statement = try connection.prepare(
        """
        SELECT name FROM sqlite_schema WHERE \(Connection.isPlainTable) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
      var names: [String] = []
      while try statement.step() { names += [statement.text(0)].compactMap { $0 } }
      var columns: [[UInt8]: FoundNames] = [:]
      for name in names {
        columns[name.sqlNameKey] = try Self.columns(of: name, connection)
      }
      return (FoundNames(names), columns)
    }
  }

  /// The names of the tables, sorted.
  var names: [String] { tableNames.names }

  /// The name of the table that stands for an expected one.
  func name(for expected: String) -> String? { tableNames.name(for: expected) }

  /// The columns of a table by its own name.
  func columns(of table: String) -> FoundNames { columns[table.sqlNameKey] ?? FoundNames([]) }

  private static func columns(of table: String, _ connection: Connection) throws -> FoundNames {
    // The pragma itself, not the function of its name: a table could bear that.
    let statement = try connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    var names: [String] = []
    while try statement.step() { names += [statement.text(1)].compactMap { $0 } }
    return FoundNames(names)
  }
}

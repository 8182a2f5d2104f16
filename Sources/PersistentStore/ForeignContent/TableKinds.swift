internal import Diagnostics
internal import SQLite

/// Tells by their names what tables are that a model does not ask for.
struct TableKinds {
  /// The names of virtual tables, as SQLite compares them.
  private let virtualTables: [[UInt8]]

  init(_ store: StoreReader) throws(MigrationError) {
    virtualTables = try reporting(path: store.file.path) {
      // A virtual table has no page of its own.
      let statement = try store.connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
      var names: [[UInt8]] = []
      while try statement.step() { names += [statement.text(0)?.sqlNameKey].compactMap { $0 } }
      return names
    }
  }

  subscript(table: String) -> StoreReader.ForeignContent.Kind {
    let key = table.sqlNameKey
    if Self.historyTables.contains(key) { return .persistentHistory }
    if key.starts(with: "ANSCK".sqlNameKey) { return .cloudKitMirror }
    // An R-tree keeps its data in three tables that are named after it.
    let isSpatial = ["_node", "_rowid", "_parent"].contains { suffix in
      key.starts(with: "Z_RT_".sqlNameKey) && String(decoding: key, as: UTF8.self).hasSuffix(suffix)
        && virtualTables.contains(Array(key.dropLast(suffix.utf8.count)))
    }
    return isSpatial ? .spatialIndex : .app
  }

  private static let historyTables = Set(["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].map(\.sqlNameKey))
}

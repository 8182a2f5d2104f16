internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// Compares a repaired copy with the store that it was made from, value by value: a repair only adds.
struct RepairVerification {
  private let path: String
  private let source: StoreReader
  private let computedColumns: Set<String>
  private let newNames: [String: String]

  private static let sourceName = "repaired_from"
  /// SQLite limits the depth of an expression.
  private static let columnsPerPass = 100

  /// Prepares the comparison.
  ///
  /// - Parameters:
  ///   - computedColumns: The columns that may have other values, as `TABLE.COLUMN`.
  ///   - newNames: The names of tables that have got new ones, by their names in the store.
  init(
    of path: String, madeFrom source: StoreReader, computedColumns: Set<String>, newNames: [String: String] = [:]
  ) {
    (self.path, self.source, self.computedColumns, self.newNames) = (path, source, computedColumns, newNames)
  }

  /// Runs the comparison.
  ///
  /// - Throws: `MigrationError` with `verificationFailed` if a row or a value is gone.
  func run() throws(MigrationError) {
    let difference = try reporting(path: path) { () -> String? in
      let connection = try Connection(path: path, access: .readOnly)
      connection.acceptUnknownCollations()
      try connection.attachReadOnly(
        path: source.file.resolvedPath, isImmutable: source.isImmutable, as: Self.sourceName)
      connection.onProgress(every: 100_000) { EndRequest.isMade }
      let difference = try firstDifference(connection)
      connection.onProgress(every: 0, nil)
      return difference
    }
    guard let difference else { return }
    throw MigrationError(.verificationFailed, path: source.file.path, detail: difference)
  }

  private func firstDifference(_ connection: Connection) throws -> String? {
    let list = try connection.prepare(
      """
      SELECT name FROM \(Self.sourceName).sqlite_schema
      WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
      """)
    var tables: [String] = []
    while try list.step() { tables += list.text(0).map { [$0] } ?? [] }
    for table in tables where table != "Z_MODELCACHE" {
      if let difference = try firstDifference(connection, table) { return difference }
    }
    return nil
  }

  private func firstDifference(_ connection: Connection, _ table: String) throws -> String? {
    let name = table.quotedIdentifier
    let (old, new) = ("\(Self.sourceName).\(name)", "main.\((newNames[table] ?? table).quotedIdentifier)")
    let (before, after) = (
      try connection.integer("SELECT count(*) FROM \(old)") ?? 0,
      try connection.integer("SELECT count(*) FROM \(new)") ?? 0
    )
    // An entity may have got its row.
    guard before == after || table == "Z_PRIMARYKEY" && before < after else {
      return "the table '\(table)' has \(after.counting("row")) instead of \(before)"
    }
    let info = try connection.prepare("PRAGMA \(Self.sourceName).table_info(\(name))")
    var columns: [String] = []
    while try info.step() { columns += info.text(1).map { [$0] } ?? [] }
    let isEntityTable = ["Z_PK", "Z_ENT", "Z_OPT"].allSatisfy(columns.contains)
    // Rows are found by their keys, so that comparing them takes no longer than reading them.
    guard isEntityTable, try connection.isRowID("Z_PK", of: table) else { return nil }
    let compared = columns.filter { $0 != "Z_PK" && !computedColumns.contains("\(table).\($0)") }
    for start in stride(from: 0, to: max(1, compared.count), by: Self.columnsPerPass) {
      let pass = compared[start..<min(start + Self.columnsPerPass, compared.count)].map(\.quotedIdentifier)
      // Where there was no value, a repair may have set one.
      let changes = pass.map { "s.\($0) IS NOT NULL AND (s.\($0) COLLATE BINARY IS NOT n.\($0))" }
      let isOther = (["n.Z_PK IS NULL"] + changes).joined(separator: " OR ")
      let key = try connection.integer(
        "SELECT s.Z_PK FROM \(old) AS s LEFT JOIN \(new) AS n ON n.Z_PK = s.Z_PK WHERE \(isOther) LIMIT 1")
      if let key { return "the row \(key) of the table '\(table)' has lost a value" }
    }
    return nil
  }
}

package import MigrationDiagnostics
internal import SQLiteDatabase

/// The space that persistent history and a mirror take up in a store.
package struct StoreBookkeeping: Sendable, Hashable {
  /// The number of transactions in persistent history.
  package let transactionCount: Int64
  /// The number of changed instances that it has recorded.
  package let changeCount: Int64
  /// The size of the tables of persistent history with their indexes, in bytes; `nil` if SQLite does not report it.
  package let historySize: Int64?
  /// The tables of a CloudKit mirror.
  package let mirrorTables: [String]
}

extension StoreReader {
  /// Sums up persistent history and the mirror; `nil` in a store that has neither.
  package func bookkeeping() throws(MigrationError) -> StoreBookkeeping? {
    let (tables, kinds) = (try FoundTables(self).names, try TableKinds(self))
    let history = tables.filter { kinds[$0] == .persistentHistory }
    let mirror = tables.filter { kinds[$0] == .cloudKitMirror }
    guard !history.isEmpty || !mirror.isEmpty else { return nil }
    return try reporting(path: file.path) {
      func count(_ name: String) throws -> Int64 {
        guard let table = history.first(where: { $0.sqlNameKey == name.sqlNameKey }) else { return 0 }
        return try connection.integer("SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0
      }
      let names = history.map(\.quotedLiteral).joined(separator: ", ")
      // Not every SQLite has this table of its own.
      let size = try? connection.integer(
        """
        SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE
        AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name COLLATE NOCASE IN (\(names)))
        """)
      return StoreBookkeeping(
        transactionCount: try count("ATRANSACTION"), changeCount: try count("ACHANGE"),
        historySize: history.isEmpty ? 0 : size ?? nil, mirrorTables: mirror)
    }
  }

  /// The numbers of the entities whose instances persistent history names.
  package func entityNumbersInHistory() throws(MigrationError) -> [Int] {
    guard try FoundTables(self).name(for: "ACHANGE") != nil else { return [] }
    return try reporting(path: file.path) {
      let statement = try connection.prepare("SELECT DISTINCT ZENTITY FROM ACHANGE")
      var numbers: [Int] = []
      while try statement.step() { numbers.append(Int(clamping: statement.integer(0))) }
      return numbers
    }
  }
}

extension PrimaryKeyRow {
  /// Whether the row belongs to one of the entities of persistent history.
  package var isOfHistory: Bool { isOfCoreData && ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"].contains(entityName) }
}

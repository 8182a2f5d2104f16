internal import PersistentStore
internal import SQLiteDatabase

/// Looks at the tables of Core Data's persistent history, as far as they are known from stores that Core Data wrote.
struct HistoryExamination {
  private let connection: Connection
  private let entityNumbers: [Int64]

  init(_ store: StoreReader) {
    connection = store.connection
    entityNumbers = store.primaryKeys.map(\.entityNumber)
  }

  func run(_ notes: inout HealthNotes) throws {
    let (hasChanges, hasTransactions) = (try isThere("ACHANGE"), try isThere("ATRANSACTION"))
    guard hasChanges || hasTransactions else { return }
    guard hasChanges, hasTransactions else {
      let missing = hasChanges ? "ATRANSACTION" : "ACHANGE"
      var finding = Finding(.historyTable, "its persistent history has no table '\(missing)'")
      finding.table = missing
      return notes.add(finding)
    }
    try add(
      "changes of a transaction that is not there", in: "ACHANGE", column: "ZTRANSACTIONID",
      "ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)", &notes)
    let numbers = entityNumbers.map(String.init).joined(separator: ", ")
    try add(
      "changes of an entity that 'Z_PRIMARYKEY' does not have", in: "ACHANGE", column: "ZENTITY",
      "ZENTITY IS NULL OR ZENTITY NOT IN (\(numbers))", &notes)
    if try isThere("ATRANSACTIONSTRING") {
      for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
        try add(
          "transactions with a text (\(column)) that is not there", in: "ATRANSACTION", column: column,
          "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)", &notes)
      }
    }
    for (table, entity) in [("ACHANGE", 16001), ("ATRANSACTION", 16002), ("ATRANSACTIONSTRING", 16003)]
    where try isThere(table) {
      try examineGreatestKey(of: table, entity, &notes)
    }
  }

  /// Whether there is a table with keys.
  private func isThere(_ table: String) throws(SQLiteError) -> Bool {
    guard try connection.hasPlainTable(table) else { return false }
    return try connection.hasPlainColumns(["Z_PK"], in: table)
  }

  private func add(
    _ noun: String, in table: String, column: String, _ condition: String, _ notes: inout HealthNotes
  ) throws(SQLiteError) {
    // Older frameworks have fewer columns.
    guard try connection.hasPlainColumns([column], in: table) else { return }
    let rows = "\(table) WHERE \(condition)"
    guard try connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil else { return }
    var finding = Finding(.historyRow, "its persistent history has \(noun)")
    finding.table = table
    try finding.takeRows(connection, rows)
    notes.add(finding)
  }

  private func examineGreatestKey(of table: String, _ entity: Int, _ notes: inout HealthNotes) throws(SQLiteError) {
    let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
    let known = try connection.prepare("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)")
    guard try known.step(), known.storageClass(0) != .integer || known.integer(0) < greatest else { return }
    var finding = Finding(
      .greatestKey, "its table 'Z_PRIMARYKEY' gives a smaller greatest key of '\(table)' than the row \(greatest)",
      repair: Repair(
        deed: "set the greatest key (Z_MAX) of '\(table)'",
        work: .statements("UPDATE Z_PRIMARYKEY SET Z_MAX = \(greatest) WHERE Z_ENT = \(entity)")))
    finding.table = table
    notes.add(finding)
  }
}

internal import SQLite

/// How a table of the app's own is declared, as SQLite has understood it: what another program has written again in other
/// words is the same.
struct TableShape {
  /// One of its indexes, those of its constraints among them.
  struct Index {
    let name: String
    /// Whether it only sorts by columns, after rules that SQLite itself has.
    let isPlain: Bool
    /// Whether it was made by a statement of its own, rather than by a constraint.
    let isOwn: Bool
    /// What it says besides its name.
    let declaration: String
  }

  /// The columns: name, type, default and so on; none where there is no such table.
  let columns: [String]
  /// What it refers to.
  let foreignKeys: [String]
  /// The greatest number that was ever given, where SQLite keeps it.
  let greatestNumber: [String]
  /// By their names.
  private(set) var indexes: [Index]

  init(_ table: String, in side: StoreSide) throws(SQLiteError) {
    let name = table.quotedIdentifier
    func rows(_ pragma: String) throws(SQLiteError) -> [[String]] {
      let statement = try side.connection.prepare("PRAGMA main.\(pragma)")
      var rows: [[String]] = []
      while try statement.step() { rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }) }
      return rows
    }
    columns = try rows("table_xinfo(\(name))").map { Self.normalized($0) }
    foreignKeys = try rows("foreign_key_list(\(name))").map { Self.normalized($0) }
    let keepsNumbers = try side.connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") != nil
    let number = "SELECT seq FROM sqlite_sequence WHERE name = \(table.quotedLiteral)"
    greatestNumber = keepsNumbers ? [try side.connection.text(number)].compactMap { $0 } : []
    var indexes: [Index] = []
    // Its number, name, whether it is unique, where it comes from, whether it leaves rows out.
    for row in try rows("index_list(\(name))") {
      // The place, the column, its name, whether it is descending, its rule, whether it belongs to the key.
      let parts = try rows("index_xinfo(\(row[1].quotedIdentifier))")
      let isPlain =
        row[4] == "0"
        && parts.allSatisfy { $0[1] != "-2" && ["BINARY", "NOCASE", "RTRIM"].contains($0[4].uppercased()) }
      indexes.append(
        Index(
          name: row[1], isPlain: isPlain, isOwn: row[3] == "c",
          declaration: Self.normalized(row[2...] + parts.flatMap(\.self))))
    }
    self.indexes = indexes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  mutating func removeIndexes(where isUnwanted: (Index) -> Bool) { indexes.removeAll(where: isUnwanted) }

  /// The first of its parts that is not as in another.
  func difference(from expected: TableShape) -> (expected: String?, found: String?)? {
    let lists = [
      (expected.columns, columns), (expected.foreignKeys, foreignKeys), (expected.greatestNumber, greatestNumber),
      (expected.indexes.map(\.text), indexes.map(\.text)),
    ]
    for (wanted, found) in lists where wanted != found {
      let place = zip(wanted, found).prefix { $0 == $1 }.count
      return (wanted.dropFirst(place).first, found.dropFirst(place).first)
    }
    return nil
  }

  /// Without what may be written in one way or another.
  private static func normalized(_ cells: some Sequence<String>) -> String {
    cells.map { cell in
      cell.lowercased().filter { !$0.isWhitespace && !"\"'`[]".contains($0) }
    }.joined(separator: " ")
  }
}

extension TableShape.Index {
  var text: String { "\(name) \(declaration)" }
}

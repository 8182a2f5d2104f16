internal import Diagnostics
package import SQLite

// What a file says about its own tables may be a lie.

extension Connection {
  /// The condition for a row of `sqlite_schema` that is about a real table.
  ///
  /// A view or virtual table would run code of the file's author. The first words of the statement are those that SQLite
  /// writes, and that it goes by, whatever else the row says.
  static let isPlainTable = "type = 'table' AND rootpage > 0 AND upper(substr(sql, 1, 13)) = 'CREATE TABLE '"

  /// Whether there is a real table of this name.
  package func hasPlainTable(_ name: String) throws(SQLiteError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema WHERE \(Self.isPlainTable) AND name = \(name.quotedLiteral)") == 1
  }

  /// Whether a table has these columns, none of which is computed by an expression of the file's author.
  func hasPlainColumns(_ columns: [String], in table: String) throws(SQLiteError) -> Bool {
    // The pragma leaves computed columns out.
    let statement = try prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    var found: [[UInt8]] = []
    while try statement.step() { found.append((statement.text(1) ?? "").sqlNameKey) }
    return columns.allSatisfy { found.contains($0.sqlNameKey) }
  }

  /// Whether a column is the key of a table as SQLite keeps it: a whole number in each row, and in each another one.
  ///
  /// Any other key, also `INTEGER PRIMARY KEY DESC`, has an index of its own, or its table has no rowid:
  /// https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key
  func isRowID(_ column: String, of table: String) throws(SQLiteError) -> Bool {
    let columns = try prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    var keys: [(name: String, type: String)] = []
    while try columns.step() {
      if columns.integer(5) > 0 { keys.append((columns.text(1) ?? "", columns.text(2) ?? "")) }
    }
    guard keys.count == 1, let key = keys.first, key.name.sqlNameKey == column.sqlNameKey,
      key.type.sqlNameKey == "INTEGER".sqlNameKey
    else { return false }
    let indexes = try prepare("PRAGMA main.index_list(\(table.quotedIdentifier))")
    while try indexes.step() {
      if indexes.text(3) == "pk" { return false }
    }
    return true
  }

  /// Makes sure that tables and indexes do not seem to have more rows, all together, than fit into the file.
  ///
  /// Pages of a damaged or hostile file may lead to others more than once, level by level, and several tables to the same
  /// pages: then a few kilobytes hold more rows than anybody can count.
  ///
  /// - Parameter exceptions: Tables that are not counted, nor are their indexes.
  func requireBoundedTables(_ file: StoreFile, except exceptions: Set<String> = []) throws {
    // No row of either is smaller.
    var room = max(1, file.sizeWithLog / 4)
    let statement = try prepare(
      "SELECT tbl_name, CASE type WHEN 'index' THEN name END FROM sqlite_schema "
        + "WHERE \(Self.isPlainTable) OR type = 'index' AND rootpage > 0")
    var trees: [(table: String, index: String?)] = []
    while try statement.step() { trees += statement.text(0).map { [($0, statement.text(1))] } ?? [] }
    try keepFewPages()
    defer { try? keepUsualPages() }
    for (table, index) in trees where !exceptions.contains(table) {
      let hint = index.map { "INDEXED BY \($0.quotedIdentifier)" } ?? "NOT INDEXED"
      // SQLite would count a whole tree in one step, which nothing could stop.
      let rows = "SELECT 1 FROM main.\(table.quotedIdentifier) \(hint) LIMIT \(room)"
      guard let count = try readableCount("SELECT count(*) FROM (\(rows))") else { continue }
      room -= count
      guard room > 0 else {
        throw MigrationError(
          .damaged, path: file.path, detail: "its table '\(table)' seems to have more rows than fit into the file")
      }
    }
  }

  /// Counts rows; `nil` where they cannot be read at all, which is told when they are needed.
  func readableCount(_ sql: String) throws(SQLiteError) -> Int64? {
    do throws(SQLiteError) {
      return try integer(sql)
    } catch {
      // SQLite may have waited for ten seconds. It would again for each table.
      guard !error.isAboutLocks, error.code != SQLiteError.interrupted else { throw error }
      return nil
    }
  }
}

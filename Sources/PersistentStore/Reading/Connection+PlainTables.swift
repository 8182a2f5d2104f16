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

  /// Makes sure that no table seems to have more rows than fit into its file.
  ///
  /// Pages of a damaged or hostile file may lead to others more than once, level by level: then a few kilobytes hold
  /// more rows than anybody can count. Of large files nothing is asked, because it would take a while; they are the
  /// least likely to be made by hand.
  func requireBoundedTables(_ file: StoreFile) throws {
    let size = file.size + file.writeAheadLogSize
    guard size <= 64 << 20 else { return }
    // Neither tables nor indexes have smaller rows.
    let limit = size / 4
    let statement = try prepare("SELECT name FROM sqlite_schema WHERE \(Self.isPlainTable)")
    var names: [String] = []
    while try statement.step() { names += [statement.text(0)].compactMap { $0 } }
    // SQLite counts in an index where there is one.
    let hasIndexes = try integer("SELECT count(*) FROM sqlite_schema") != Int64(names.count)
    try keepFewPages()
    defer { try? keepUsualPages() }
    for name in names {
      for hint in hasIndexes ? ["NOT INDEXED", ""] : ["NOT INDEXED"] {
        let rows = "SELECT 1 FROM main.\(name.quotedIdentifier) \(hint) LIMIT \(limit)"
        guard try readableCount("SELECT count(*) FROM (\(rows))") == limit else { continue }
        throw MigrationError(
          .damaged, path: file.path, detail: "its table '\(name)' seems to have more rows than fit into the file")
      }
    }
  }

  /// Counts rows; `nil` where they cannot be read at all, which is told when they are needed.
  func readableCount(_ sql: String) throws(SQLiteError) -> Int64? {
    do throws(SQLiteError) {
      return try integer(sql)
    } catch {
      // SQLite may have waited for ten seconds. It would again for each table.
      guard !error.isAboutLocks else { throw error }
      return nil
    }
  }
}

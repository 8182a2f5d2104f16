internal import CTracksSQLite
internal import SystemC

/// What a schema needs of an app's own collations and functions, which no other program has.
///
/// SQLite reads such a schema, but cannot compare by the collation or compute the function. What an index contains that was
/// made with them can be checked in the app only.
struct AppCode {
  private let collations: Set<String>
  private let functions: Set<String>
  /// The tables of the indexes that cannot be checked, by the indexes' names.
  private(set) var tablesByIndex: [String: String] = [:]
  /// The tables with rules or computed columns that cannot be checked.
  private var tables: Set<String> = []

  init(collations: Set<String> = [], functions: Set<String> = []) {
    (self.collations, self.functions) = (collations, functions)
  }

  var isEmpty: Bool { collations.isEmpty && functions.isEmpty }

  /// The indexes that cannot be checked.
  var indexes: Set<String> { Set(tablesByIndex.keys) }

  /// Whether a line of `PRAGMA integrity_check` is about something that can be checked.
  func canJudge(_ line: String) -> Bool {
    !tablesByIndex.keys.contains { line.hasSuffix(" index \($0)") }
      && !tables.contains { line.hasSuffix(" in \($0)") || line.contains(" in \($0).") || line.hasSuffix(" for \($0)") }
  }
}

extension SQLiteError {
  /// The name of a collation or function that the schema needs and the connection does not have.
  package var missingAppCode: (name: String, isCollation: Bool)? {
    guard code == Self.general else { return nil }
    for (beginning, end, isCollation) in [
      ("no such collation sequence: ", "", true), ("unknown function: ", "()", false),
      ("no such function: ", "", false),
    ] where message.hasPrefix(beginning) && message.hasSuffix(end) {
      return (String(message.dropFirst(beginning.count).dropLast(end.count)), isCollation)
    }
    return nil
  }
}

/// A table or an index that needs a collation or function that only an app has.
package struct AppDependent: Sendable {
  /// Whether it is an index, which can be dropped without losing a value.
  package let isIndex: Bool
  /// The name of the table or index.
  package let name: String
  /// The name of the collation or function.
  package let need: String
  /// Whether it needs a collation.
  package let needsCollation: Bool
}

extension Connection {
  /// Lets statements read tables whose declarations or indexes name collations that only an app has: they compare bytes.
  ///
  /// It is for connections that only read, or that write no table with such an index. One in another order would be spoiled
  /// by writing, but it is as good as its table for reading all rows, which is what SQLite does with it.
  package func acceptUnknownCollations() {
    // The connection outlives the handler.
    sqlite3_collation_needed(handle, Unmanaged.passUnretained(self).toOpaque()) { context, _, _, name in
      guard let context, let name else { return }
      let collation = String(cString: name)
      // SQLite asks for its own too where text is UTF-16, and then converts the text.
      guard !["BINARY", "NOCASE", "RTRIM"].contains(collation.uppercased()) else { return }
      Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().addCollation(collation)
    }
  }

  private func addCollation(_ name: String) {
    unknownCollations.insert(name)
    sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, nil,
      { _, count, text, otherCount, other in
        guard let text, let other else { return 0 }
        let order = memcmp(text, other, Int(min(count, otherCount)))
        return order != 0 ? order : count - otherCount
      }, nil)
  }

  /// Runs a check that says something wrong, or nothing, where the schema needs an app's code: then again, with that known.
  ///
  /// - Parameter check: Gets what cannot be checked. It must not keep a statement.
  func checkingWithoutApp<Result>(
    _ check: (AppCode) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    do throws(SQLiteError) {
      let result = try check(AppCode())
      if unknownCollations.isEmpty, unknownFunctions.isEmpty { return result }
    } catch  where error.missingAppCode != nil {
      // What is missing is found below.
    }
    let hadCollations = unknownCollations
    defer {
      // Other statements would give wrong answers with these.
      for name in unknownFunctions { removeFunction(name) }
      for name in unknownCollations.subtracting(hadCollations) { removeCollation(name) }
    }
    // It is compiled, but not run: all that is missing is said one by one.
    while true {
      do throws(SQLiteError) {
        _ = try prepare("PRAGMA main.integrity_check(1)")
        break
      } catch {
        guard let (name, isCollation) = error.missingAppCode,
          !(isCollation ? unknownCollations : unknownFunctions).contains(name)
        else { throw error }
        isCollation ? addCollation(name) : addFunction(name)
      }
    }
    var code = AppCode(collations: unknownCollations, functions: unknownFunctions)
    try code.findDependents(self)
    return try check(code)
  }

  /// The parts of an app that the schema needs.
  private func appCode() throws(SQLiteError) -> AppCode {
    try checkingWithoutApp { (code) throws(SQLiteError) in
      if code.isEmpty { _ = try prepare("PRAGMA main.integrity_check(1)") }
      return code
    }
  }

  /// The indexes of some tables that need an app's collations or functions, without which they cannot be kept right.
  package func appIndexes(ofTables tables: [String]) throws(SQLiteError) -> [String] {
    let tables = Set(tables.map { $0.lowercased() })
    return try appCode().tablesByIndex.filter { tables.contains($0.value.lowercased()) }.keys.sorted()
  }

  /// The first table or index whose declaration needs something that only an app has.
  ///
  /// `VACUUM` runs the declarations. A connection that only reads knows no conditions of tables, so that checks pass over them;
  /// here the declarations are run in an empty database.
  package func objectNeedingApp() throws(SQLiteError) -> AppDependent? {
    let empty = try Connection(path: "", access: .temporary)
    let list = try prepare(
      """
      SELECT type = 'index', name, sql FROM main.sqlite_schema
      WHERE rootpage > 0 AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC, rowid
      """)
    while try list.step() {
      guard let name = list.text(1), let sql = list.text(2) else { continue }
      do throws(SQLiteError) {
        // Only the first statement of the text is compiled, as when SQLite reads the schema.
        try empty.prepare(sql).run()
      } catch {
        // Another error is that of the copy or the check that follows.
        guard let (need, isCollation) = error.missingAppCode else { continue }
        return AppDependent(isIndex: list.integer(0) == 1, name: name, need: need, needsCollation: isCollation)
      }
    }
    return nil
  }

  /// Copies the database page by page to an empty file: all indexes stay as they are, whatever they need.
  package func copyPages(toFile path: String) throws(SQLiteError) {
    let copy = try Connection(path: path, access: .create)
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else { throw copy.error(SQLITE_ERROR) }
    var result = SQLITE_OK
    while result == SQLITE_OK {
      result = sqlite3_backup_step(backup, 10_000)
      if result == SQLITE_OK, progressCallback?() == true { result = SQLITE_INTERRUPT }
    }
    let end = sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE else { throw copy.error(result == SQLITE_INTERRUPT ? result : end) }
    // The copy is a file without a log.
    _ = try copy.text("PRAGMA journal_mode = DELETE")
    try copy.close()
  }

  private func addFunction(_ name: String) {
    unknownFunctions.insert(name)
    sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
      { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
  }

  private func removeFunction(_ name: String) {
    // It stays as long as a statement runs.
    let result = sqlite3_create_function_v2(handle, name, -1, SQLITE_UTF8, nil, nil, nil, nil, nil)
    if result == SQLITE_OK { unknownFunctions.remove(name) }
  }

  private func removeCollation(_ name: String) {
    let result = sqlite3_create_collation_v2(handle, name, SQLITE_UTF8, nil, nil, nil)
    if result == SQLITE_OK { unknownCollations.remove(name) }
  }
}

extension AppCode {
  fileprivate mutating func findDependents(_ connection: Connection) throws(SQLiteError) {
    let names = collations.union(functions).map { $0.lowercased() }
    func mentions(_ sql: String?) -> Bool {
      sql.map { sql in names.contains { sql.lowercased().contains($0) } } ?? false
    }
    let statement = try connection.prepare("SELECT name, sql FROM main.sqlite_schema WHERE type = 'table'")
    while try statement.step() {
      if let name = statement.text(0), mentions(statement.text(1)) { tables.insert(name) }
    }
    let list = try connection.prepare("SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE type = 'index'")
    while try list.step() {
      guard let name = list.text(0), let table = list.text(1) else { continue }
      var isOfApp = mentions(list.text(2))
      let parts = try connection.prepare("PRAGMA main.index_xinfo(\(name.quotedIdentifier))")
      // A condition, an expression or a computed column may use what the table says of its columns.
      let computed = tables.contains(table) ? try computedColumns(of: table, connection) : []
      if tables.contains(table), list.text(2)?.uppercased().contains(" WHERE ") == true { isOfApp = true }
      while !isOfApp, try parts.step() {
        let collation = parts.text(4)?.lowercased()
        isOfApp =
          collations.contains { $0.lowercased() == collation } || computed.contains(parts.integer(1))
          || tables.contains(table) && parts.integer(1) == -2
      }
      if isOfApp { tablesByIndex[name] = table }
    }
  }

  private func computedColumns(of table: String, _ connection: Connection) throws(SQLiteError) -> Set<Int64> {
    let columns = try connection.prepare("PRAGMA main.table_xinfo(\(table.quotedIdentifier))")
    var places: Set<Int64> = []
    while try columns.step() {
      if columns.integer(6) > 1 { places.insert(columns.integer(0)) }
    }
    return places
  }
}

package import MigrationDiagnostics
package import SQLiteDatabase
internal import SystemC

// A file's statements about its own tables may be false.
extension Connection {
  /// The condition for a row of `sqlite_schema` that describes a real table.
  ///
  /// A view or virtual table would run code of the file's author. SQLite writes the first words of the statement itself, and
  /// relies on them, whatever else is in the row.
  package static let isPlainTable = "type = 'table' AND rootpage > 0 AND upper(substr(sql, 1, 13)) = 'CREATE TABLE '"

  /// Whether there is a real table with this name.
  package func hasPlainTable(_ name: String) throws(SQLiteError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema WHERE \(Self.isPlainTable) AND name = \(name.quotedLiteral)") == 1
  }

  /// The texts in one column of a query's rows, without NULL.
  package func strings(_ query: String, column: Int = 0) throws(SQLiteError) -> [String] {
    let statement = try prepare(query)
    var strings: [String] = []
    while try statement.step() {
      if let text = statement.text(column) { strings.append(text) }
    }
    return strings
  }

  /// The names of the virtual tables in a database, which have no pages of their own.
  package func virtualTables(in database: String) throws(SQLiteError) -> [String] {
    try strings("SELECT name FROM \(database).sqlite_schema WHERE type = 'table' AND rootpage = 0")
  }

  /// The names of a table's columns, without those that an expression of the file's author computes.
  func plainColumns(of table: String) throws(SQLiteError) -> [String] {
    // The pragma omits computed columns. A table could have the name of its function.
    try strings("PRAGMA main.table_info(\(table.quotedIdentifier))", column: 1)
  }

  /// Whether a table has these columns, and they are not computed.
  package func hasPlainColumns(_ columns: [String], in table: String) throws(SQLiteError) -> Bool {
    let found = try plainColumns(of: table).map(\.sqlNameKey)
    return columns.allSatisfy { found.contains($0.sqlNameKey) }
  }

  /// Whether a column is the row id of a table: a unique integer in each row.
  ///
  /// Any other key, even `INTEGER PRIMARY KEY DESC`, has an index of its own, or its table has no row id:
  /// https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key
  package func isRowID(_ column: String, of table: String) throws(SQLiteError) -> Bool {
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

  /// Checks that all tables and indexes together do not appear to have more rows than fit into the file.
  ///
  /// Pages of a damaged or hostile file may refer to the same pages more than once on every level, and so may several tables:
  /// then a few kilobytes contain more rows than can be counted.
  ///
  /// - Parameter exceptions: Tables that are not counted, and neither are their indexes.
  func requireBoundedTables(_ file: StoreFile, except exceptions: Set<String> = []) throws {
    // A row of a table or index has at least four bytes.
    var room = max(1, file.sizeWithLog / 4)
    let statement = try prepare(
      "SELECT tbl_name, CASE type WHEN 'index' THEN name END, rootpage FROM sqlite_schema "
        + "WHERE \(Self.isPlainTable) OR type = 'index' AND rootpage > 0")
    var trees: [(table: String, index: String?)] = []
    var roots: [Int] = []
    while try statement.step() {
      guard let table = statement.text(0), !exceptions.contains(table) else { continue }
      trees.append((table, statement.text(1)))
      roots.append(Int(clamping: statement.integer(2)))
    }
    if try reachesPagesOnce(from: roots) { return }
    try keepFewPages()
    defer { try? keepUsualPages() }
    for (table, index) in trees {
      let hint = index.map { "INDEXED BY \($0.quotedIdentifier)" } ?? "NOT INDEXED"
      // Without the subquery, SQLite would count a whole tree in one step that cannot be interrupted.
      let rows = "SELECT 1 FROM main.\(table.quotedIdentifier) \(hint) LIMIT \(room)"
      guard let count = try readableCount("SELECT count(*) FROM (\(rows))") else { continue }
      room -= count
      guard room > 0 else {
        throw MigrationError(
          .damaged, path: file.path, detail: "its table '\(table)' seems to have more rows than fit into the file")
      }
    }
  }

  /// Counts rows; `nil` if they cannot be read, which is reported when they are needed.
  func readableCount(_ sql: String) throws(SQLiteError) -> Int64? {
    do throws(SQLiteError) {
      return try integer(sql)
    } catch {
      // SQLite may have waited for ten seconds, and would do so again for each table.
      guard !error.isAboutLocks, error.code != SQLiteError.interrupted else { throw error }
      return nil
    }
  }
}

extension MigrationError {
  /// Converts an error of SQLite into one of the library at a path.
  package init(_ error: SQLiteError, path: String) {
    if let number = error.numberOfSystemFailure(path) {
      self = FileSystem.failure(.inputOutput, path, number: number)
      return
    }
    if error.code == SQLiteError.cannotOpen, openingAdvice(error.systemErrorNumber, path) != nil {
      self = FileSystem.failure(.unreadable, path, number: error.systemErrorNumber)
      return
    }
    if let (name, isCollation) = error.missingAppCode {
      self.init(
        .migrationFailed, path: path,
        detail: "it needs the \(isCollation ? "collation" : "function") '\(name)', which only its app has")
      advice = "No data was changed. Remove the index or the rule that needs it, or do this in the app."
      return
    }
    let code: Code =
      switch error.code {
      case _ where error.isAboutLocks: .locked
      // SQLite's general error: a table or column is missing or wrong.
      case SQLiteError.corrupt, SQLiteError.general, SQLiteError.mismatch: .damaged
      case SQLiteError.constraint, SQLiteError.tooBig: .migrationFailed
      case SQLiteError.notADatabase: .notADatabase
      case SQLiteError.full: .diskFull
      case SQLiteError.outOfMemory: .outOfMemory
      case SQLiteError.interrupted: .interrupted
      case _ where error.extendedCode == SQLiteError.moved: .changedMeanwhile
      case SQLiteError.cannotOpen, SQLiteError.permission, SQLiteError.readOnly: .unreadable
      default: .inputOutput
      }
    let isPlain = code == .locked || code == .diskFull || code == .outOfMemory || code == .interrupted
    self.init(code, path: path, detail: isPlain ? nil : error.message)
    if error.code == SQLiteError.constraint { brokenRule = error.message }
  }
}

extension SQLiteError {
  /// Whether another program is in the way, possibly with a lease on the file.
  package var isAboutLocks: Bool {
    [Self.busy, Self.locked, Self.protocolViolation].contains(code) && !isOfSystem
      || code == Self.cannotOpen && systemErrorNumber == EWOULDBLOCK
  }
}

/// Runs work on a store, and converts errors of SQLite to errors about its file.
package func reporting<Result>(path: String, _ work: () throws -> Result) throws(MigrationError) -> Result {
  do {
    return try work()
  } catch let error as MigrationError {
    throw error
  } catch let error as SQLiteError {
    throw MigrationError(error, path: path)
  } catch {
    throw MigrationError(.migrationFailed, path: path, detail: "\(error)")
  }
}

extension SQLiteError {
  /// Whether the system failed or lacked resources, rather than the file or the permissions being wrong.
  var isOfSystem: Bool {
    [Self.corrupt, Self.notADatabase, Self.general, Self.busy, Self.protocolViolation].contains(code)
      && systemErrorNumber != 0
      || [SQLiteError.cannotOpen, SQLiteError.inputOutput].contains(code)
        && [ENOSPC, EDQUOT, EFBIG, ENOMEM, EMFILE, ENFILE, EIO].contains(systemErrorNumber)
  }

  /// The operating system's error number behind the error, if it is more specific than SQLite's.
  fileprivate func numberOfSystemFailure(_ path: String) -> Int32? {
    if isOfSystem { return systemErrorNumber }
    // SQLite also does not distinguish a missing file from one that cannot be accessed.
    if extendedCode == SQLiteError.moved { return FileStatus(path) == nil && errno == EIO ? EIO : nil }
    return [SQLiteError.corrupt, SQLiteError.notADatabase].contains(code) ? FileContents.readFailure(path) : nil
  }
}

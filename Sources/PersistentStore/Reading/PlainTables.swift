package import MigrationDiagnostics
package import SQLiteDatabase
internal import SystemC

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

extension MigrationError {
  /// What an error of SQLite means for the library at a path.
  package init(_ error: SQLiteError, path: String) {
    if let number = error.numberOfSystemFailure(path) {
      self = FileSystem.failure(.inputOutput, path, number: number)
      return
    }
    let code: Code =
      switch error.code {
      case _ where error.isAboutLocks: .locked
      // SQLite's general error: a table or column is not there, or is not what it should be.
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
  }
}

extension SQLiteError {
  /// Whether somebody else is in the way, be it with a lease on the file.
  package var isAboutLocks: Bool {
    [Self.busy, Self.locked, Self.protocolViolation].contains(code) && !isOfSystem
      || code == Self.cannotOpen && systemErrorNumber == EWOULDBLOCK
  }
}

/// Runs work on a store, and gives errors of SQLite the name of the file that they are about.
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
  /// Whether the system lacked something or failed, rather than the file or the right to use it.
  var isOfSystem: Bool {
    [Self.corrupt, Self.notADatabase, Self.general, Self.busy, Self.protocolViolation].contains(code)
      && systemErrorNumber != 0
      || [SQLiteError.cannotOpen, SQLiteError.inputOutput].contains(code)
        && [ENOSPC, EDQUOT, EFBIG, ENOMEM, EMFILE, ENFILE, EIO].contains(systemErrorNumber)
  }

  /// The operating system's number for what is behind the error, if that tells more than SQLite does.
  fileprivate func numberOfSystemFailure(_ path: String) -> Int32? {
    if isOfSystem { return systemErrorNumber }
    // Nor does it tell a file that has gone from one that cannot be looked at.
    if extendedCode == SQLiteError.moved { return FileStatus(path) == nil && errno == EIO ? EIO : nil }
    return [SQLiteError.corrupt, SQLiteError.notADatabase].contains(code) ? FileContents.readFailure(path) : nil
  }
}

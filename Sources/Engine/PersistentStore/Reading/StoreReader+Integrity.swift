package import MigrationDiagnostics
package import SQLiteDatabase
internal import SystemC

extension StoreReader {
  /// The first problem that SQLite finds in the whole file; `nil` if there is none.
  ///
  /// - Throws: `MigrationError`, with `interrupted` if it is cancelled.
  func integrityProblem(isCancelled: @escaping () -> Bool) throws(MigrationError) -> String? {
    connection.onProgress(every: 100_000, isCancelled)
    defer { connection.onProgress(every: 0, nil) }
    return try reporting(path: file.path) {
      let answer = try connection.integrityProblems(limit: 1).problems
      let problem = answer.first { !$0.hasPrefix("***") } ?? answer.first
      return try problem.map { try connection.describe($0, in: file) }
    }
  }

  /// Whether every row of all tables except Core Data's own can be reached.
  ///
  /// Every migration needs that. The contents of the rows are not checked.
  ///
  /// - Throws: `MigrationError`, with `interrupted` if it is cancelled.
  func hasReadableTables(isCancelled: @escaping () -> Bool) throws(MigrationError) -> Bool {
    try requireBoundedTables()
    connection.onProgress(every: 100_000, isCancelled)
    defer { connection.onProgress(every: 0, nil) }
    let kinds = try TableKinds(self)
    let tables = try FoundTables(self).names.filter {
      kinds[$0] == .app && $0.sqlNameKey != "Z_MODELCACHE".sqlNameKey
    }
    return try reporting(path: file.path) {
      try tables.allSatisfy { table in
        // Without the subquery, SQLite would count a whole tree in one step that cannot be interrupted.
        let rows = "SELECT 1 FROM main.\(table.quotedIdentifier) NOT INDEXED LIMIT -1"
        return try connection.readableCount("SELECT count(*) FROM (\(rows))") != nil
      }
    }
  }
}

/// The access by which work finds the rows of a store, and so the parts that must be whole for it to find all of them.
package enum RowAccess: Sendable {
  /// It reads tables from end to end. What indexes contain does not matter.
  case tables
  /// It also looks rows up in indexes, or reads an index in place of its table, as SQLite does where that is faster.
  case tablesAndIndexes
}

extension StoreReader {
  /// Does work while another thread checks the pages for damage that hides rows.
  ///
  /// If a disk has lost a write, tables may lead past pages without an error, and a reader of the tables misses the
  /// rows there. An index that lacks entries hides rows in the same way. Everything that shows, counts, copies or
  /// compares rows reads them within this.
  ///
  /// - Parameters:
  ///   - access: How the work finds rows.
  ///   - work: What reads the store. If it fails, the check ends.
  /// - Throws: What the work throws, or `MigrationError`, with `damaged` if rows may be missing.
  package func checkingPages<Result>(for access: RowAccess, during work: () throws -> Result) throws -> Result {
    let connection = try openConnection(busyTimeout: 2000).connection
    nonisolated(unsafe) let pages = connection
    let check = Background { [file] () throws(MigrationError) in try Self.damage(in: pages, of: file, access) }
    defer { try? connection.close() }
    func requireNoDamage() throws(MigrationError) {
      if let damage = try check.result().get() { throw damage }
    }
    let result: Result
    do {
      result = try work()
    } catch {
      // Rows that cannot be counted twice with the same result may be those of damaged pages.
      let code = (error as? MigrationError)?.code
      if code == .changedMeanwhile || code == .migrationFailed { try requireNoDamage() }
      connection.interrupt()
      check.cancel()
      throw error
    }
    try requireNoDamage()
    return result
  }

  /// Reads all pages of tables, and looks for damage that hides rows.
  ///
  /// - Throws: `MigrationError` with `damaged`.
  package func requireWholePages() throws(MigrationError) {
    try reporting(path: file.path) { try checkingPages(for: .tables) {} }
  }

  private static func damage(
    in pages: Connection, of file: StoreFile, _ access: RowAccess
  ) throws(MigrationError) -> MigrationError? {
    try reporting(path: file.path) {
      let readsIndexes = access == .tablesAndIndexes
      // All of it is looked at in one state of the store.
      return try pages.reading { () throws -> MigrationError? in
        pages.onProgress(every: 100_000) { EndRequest.isMade }
        defer { pages.onProgress(every: 0, nil) }
        // SQLite takes a multiple of the time, and says what is wrong.
        let fitting = try pages.tablesWithFittingIndexes(comparesIndexes: readsIndexes)
        if fitting == nil,
          let problem = try pages.problemHidingRows(hasLog: file.writeAheadLogSize > 0, readsIndexes: readsIndexes)
        {
          let text = try pages.describe(problem, in: file)
          return MigrationError(
            .damaged, path: file.path,
            detail: "its pages do not fit together, so tracks or other rows may be missing: \(text)")
        }
        guard readsIndexes else { return nil }
        pages.onProgress(every: 100_000) { EndRequest.isMade }
        guard let (table, problem) = try pages.unfitIndex(exceptOf: fitting ?? []) else { return nil }
        var error = MigrationError(.damaged, path: file.path, detail: "\(problem), so rows may be missing")
        error.advice =
          "Nothing was changed. Restore it from a backup. If there is none, make a copy, and let the program 'sqlite3' make "
          + "the indexes of the copy again, with: REINDEX \(table.quotedIdentifier);"
        return error
      }
    }
  }
}

extension Connection {
  /// A problem that SQLite has just found, without the names of SQLite's functions.
  ///
  /// - Throws: `MigrationError` if it is the disk's problem: SQLite says the same of pages that cannot be read.
  package func describe(_ problem: String, in file: StoreFile) throws(MigrationError) -> String {
    if let number = takeReadFailure() ?? FileContents.readFailure(file.resolvedPath) {
      throw FileSystem.failure(.inputOutput, file.path, number: number)
    }
    guard problem.contains("btreeInitPage"), let page = problem.prefix(while: { $0 != ":" }).split(separator: " ").last
    else { return problem }
    return "page \(page) of the file is damaged"
  }
}

internal import MigrationDiagnostics
internal import SQLiteDatabase

extension StoreReader {
  /// The first problem that SQLite finds in the whole file; `nil` if there is none.
  ///
  /// - Throws: `MigrationError`, with `interrupted` if it is cancelled.
  func integrityProblem(isCancelled: @escaping () -> Bool) throws(MigrationError) -> String? {
    connection.onProgress(every: 100_000, isCancelled)
    defer { connection.onProgress(every: 0, nil) }
    return try reporting(path: file.path) {
      let answer = try connection.integrityProblems(limit: 1)
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

extension StoreReader {
  /// Does work while another thread checks the pages for damage that hides rows.
  ///
  /// If a disk has lost a write, tables may lead past pages without an error, and whoever reads the tables misses the rows
  /// there.
  ///
  /// - Parameter work: What reads the store. If it fails, the check ends.
  /// - Throws: What the work throws, or `MigrationError`, with `damaged` if rows may be missing.
  package func checkingPages<Result>(during work: () throws -> Result) throws -> Result {
    let connection = try openConnection(busyTimeout: 2000).connection
    nonisolated(unsafe) let pages = connection
    let check = Background { [file] () throws(MigrationError) in
      try reporting(path: file.path) {
        let problem = try pages.problemHidingRows(hasLog: file.writeAheadLogSize > 0)
        return try problem.map { try pages.describe($0, in: file) }
      }
    }
    defer { try? connection.close() }
    func requireNoProblem() throws(MigrationError) {
      guard let problem = try check.result().get() else { return }
      throw MigrationError(
        .damaged, path: file.path,
        detail: "its pages do not fit together, so tracks or other rows may be missing: \(problem)")
    }
    let result: Result
    do {
      result = try work()
    } catch {
      // Rows that cannot be counted twice with the same result may be those of damaged pages.
      let code = (error as? MigrationError)?.code
      if code == .changedMeanwhile || code == .migrationFailed { try requireNoProblem() }
      connection.interrupt()
      check.cancel()
      throw error
    }
    try requireNoProblem()
    return result
  }
}

extension Connection {
  /// A problem that SQLite has just found, without the names of SQLite's functions.
  ///
  /// - Throws: `MigrationError` if it is the disk's problem: SQLite says the same of pages that cannot be read.
  fileprivate func describe(_ problem: String, in file: StoreFile) throws(MigrationError) -> String {
    if let number = takeReadFailure() ?? FileContents.readFailure(file.resolvedPath) {
      throw FileSystem.failure(.inputOutput, file.path, number: number)
    }
    guard problem.contains("btreeInitPage"), let page = problem.prefix(while: { $0 != ":" }).split(separator: " ").last
    else { return problem }
    return "page \(page) of the file is damaged"
  }
}

internal import Diagnostics
internal import SQLite

extension StoreReader {
  /// The first thing that SQLite finds wrong with the file, which is read as a whole; `nil` when there is nothing.
  ///
  /// - Throws: `MigrationError`, with `interrupted` when it is asked to stop.
  func integrityProblem(isCancelled: @escaping () -> Bool) throws(MigrationError) -> String? {
    connection.onProgress(every: 100_000, isCancelled)
    defer { connection.onProgress(every: 0, nil) }
    return try reporting(path: file.path) {
      let answer = try connection.text("PRAGMA integrity_check(1)")
      if answer == "ok" { return nil }
      // SQLite's answer is the same for pages that are wrong and for pages that cannot be read.
      if let number = connection.takeReadFailure() ?? FileContents.readFailure(file.resolvedPath) {
        throw FileSystem.failure(.inputOutput, file.path, number: number)
      }
      return answer ?? "it cannot be checked"
    }
  }

  /// Whether there is a way to every row of all tables but those that belong to Core Data itself.
  ///
  /// No migration comes by without walking through them. What the rows hold is not looked at.
  ///
  /// - Throws: `MigrationError`, with `interrupted` when it is asked to stop.
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
        // SQLite would count a whole tree in one step, which nothing could stop.
        let rows = "SELECT 1 FROM main.\(table.quotedIdentifier) NOT INDEXED LIMIT -1"
        return try connection.readableCount("SELECT count(*) FROM (\(rows))") != nil
      }
    }
  }
}

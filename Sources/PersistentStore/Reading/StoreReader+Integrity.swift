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
      if let number = FileContents.readFailure(file.resolvedPath) {
        throw FileSystem.failure(.inputOutput, file.path, number: number)
      }
      return answer ?? "it cannot be checked"
    }
  }
}

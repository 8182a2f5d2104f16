internal import CTracksSQLite

extension Connection {
  /// Finds damaged pages of the main database, and pages that no other page or several refer to: rows may be missing then,
  /// although every query succeeds.
  ///
  /// Wrong lists of free pages hide no row. Damaged indexes hide rows only from lookups in them.
  ///
  /// - Parameters:
  ///   - hasLog: Whether pages may be in a write-ahead log.
  ///   - readsIndexes: Whether rows are looked up in indexes too, rather than only read from their tables.
  /// - Returns: The first such problem, in the words of `PRAGMA quick_check`; `nil` if there is none.
  package func problemHidingRows(hasLog: Bool, readsIndexes: Bool) throws(SQLiteError) -> String? {
    let problems = try pageProblems()
    guard !problems.isEmpty, problems.count < Self.problemLimit else { return problems.first }
    // The rows of these tables are in pages of the same kind.
    let hasRowsInIndexes =
      try integer(
        "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 AND sql LIKE '%WITHOUT%ROWID%' LIMIT 1")
      == 1
    for problem in problems where !Self.isAboutBookkeeping(problem) {
      guard !hasLog, !readsIndexes, !hasRowsInIndexes, try isAboutIndex(problem) else { return problem }
    }
    return nil
  }

  /// More than that are not looked at one by one.
  private static let problemLimit = 1_000_000

  private func pageProblems() throws(SQLiteError) -> [String] {
    var problems: [String] = []
    do throws(SQLiteError) {
      try checkingWithoutApp { (_) throws(SQLiteError) in
        let check = try prepare("PRAGMA main.quick_check(\(Self.problemLimit))")
        // What is wrong with pages comes first, in one text with a heading; rules that rows break hide none.
        while try check.step() {
          let lines = (check.text(0) ?? "").split(separator: "\n").map(String.init)
          problems +=
            lines.first?.hasPrefix("***") == true ? Array(lines.dropFirst()) : lines.filter(Self.isAboutRecord)
        }
      }
    } catch let error where error.code == SQLITE_CORRUPT {
      problems.append(error.message)
    }
    // SQLite says the same of damaged pages and of pages that cannot be read.
    if !problems.isEmpty, let number = takeReadFailure() {
      throw SQLiteError(extendedCode: SQLITE_IOERR, message: "disk I/O error", path: path, systemErrorNumber: number)
    }
    return problems
  }

  /// Whether a problem is a record that is not as long as its header says, rather than a rule that a row breaks.
  private static func isAboutRecord(_ problem: String) -> Bool { problem.hasSuffix("database disk image is malformed") }

  /// Whether a problem is one of the list of free pages, or of the map of pages that vacuuming needs.
  ///
  /// A map that can be read and says otherwise is another matter: then one of two pages was not written.
  package static func isAboutBookkeeping(_ problem: String) -> Bool {
    ["Main freelist: ", "Freelist: ", "max rootpage "].contains(where: problem.hasPrefix)
      || problem.contains("Failed to read ptrmap")
  }

  private func isAboutIndex(_ problem: String) throws(SQLiteError) -> Bool {
    // "Page 7 is never used", "On tree page 7 cell 3: …", "On page 7 at right child: …", and since 3.44 "Tree 4 page 7 …".
    let words = problem.split(separator: " ")
    guard let place = words.firstIndex(where: { $0.lowercased() == "page" }), place + 1 < words.count,
      let page = Int64(words[place + 1].prefix(while: \.isNumber)), page > 1
    else { return false }
    let size = try integer("PRAGMA main.page_size") ?? 0
    var kind: [UInt8] = [0]
    try DatabaseFile(self).read(1, at: (page - 1) * size, into: &kind)
    return Self.kindsOfIndexPages.contains(kind[0])
  }

  /// The first byte of a page of an index (sqlite.org/fileformat.html#b_tree_pages).
  private static let kindsOfIndexPages: [UInt8] = [2, 10]
}

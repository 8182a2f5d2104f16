extension Connection {
  /// Looks for pages of the main database that are damaged, or to which not exactly one other leads, so that rows may be
  /// missing although every query succeeds.
  ///
  /// Damaged indexes and wrong lists of free pages hide no row, and neither do their pages if nothing leads to them.
  ///
  /// - Parameter hasLog: Whether pages may be in a write-ahead log.
  /// - Returns: The first such problem, in the words of `PRAGMA quick_check`; `nil` if there is none.
  package func problemHidingRows(hasLog: Bool) throws(SQLiteError) -> String? {
    if try areAllPagesInPlace() { return nil }
    let problems = try problems("quick_check", limit: Self.problemLimit)
    guard problems.count < Self.problemLimit else { return problems.first }
    for problem in problems where !problem.hasPrefix("***") {
      guard try !hidesNoRow(problem, hasLog: hasLog) else { continue }
      return problem
    }
    return nil
  }

  /// More than that are not looked at one by one.
  private static let problemLimit = 1_000_000

  private func areAllPagesInPlace() throws(SQLiteError) -> Bool {
    // `quick_check` looks at the pages and then reads all rows, which takes as long again and finds nothing else here.
    // SQLite calls back once in so many pages and steps, so it does while it reads the rows, if there are many.
    if let steps = Int32(exactly: 2 * (try integer("PRAGMA main.page_count") ?? 0) + 1000) {
      onProgress(every: steps) { true }
    }
    defer { onProgress(every: 0, nil) }
    do throws(SQLiteError) {
      return try problems("quick_check", limit: 1).isEmpty
    } catch let error where error.code == SQLiteError.interrupted {
      return true
    }
  }

  private func hidesNoRow(_ problem: String, hasLog: Bool) throws(SQLiteError) -> Bool {
    if ["Main freelist: ", "Freelist: ", "Fragmentation of ", "max rootpage "].contains(where: problem.hasPrefix) {
      return true
    }
    // "Page 7 is never used", "On tree page 7 cell 3: …", "On page 7 at right child: …", and since 3.44 "Tree 4 page 7 …".
    let words = problem.split(separator: " ")
    guard !hasLog, let place = words.firstIndex(where: { $0.lowercased() == "page" }), place + 1 < words.count,
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

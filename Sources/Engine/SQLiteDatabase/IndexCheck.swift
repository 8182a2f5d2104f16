extension Connection {
  /// Looks for damage in the main database, as `PRAGMA integrity_check` does, in half its time.
  ///
  /// `integrity_check` looks up every row in every index, all over the file. This lets SQLite check the pages and rows
  /// (`quick_check`), and then reads every index from end to end beside its table. Where that finds anything, or cannot
  /// tell, `integrity_check` has the last word, so that the problems are in SQLite's words.
  ///
  /// - Parameter limit: The maximum number of problems.
  /// - Returns: The problems, one in each line; empty if there are none. A line that begins with `***` is a heading.
  ///   Beside them, the indexes that only an app with its collations or functions can check.
  package func integrityProblems(
    limit: Int = 100
  ) throws(SQLiteError) -> (problems: [String], uncheckedIndexes: [String]) {
    let verdict: Verdict
    do throws(SQLiteError) {
      verdict = try self.verdict()
    } catch let error where error.code != SQLiteError.interrupted {
      verdict = .unknown
    }
    if case .whole = verdict { return ([], []) }
    let answer = try checkingWithoutApp { (code) throws(SQLiteError) in
      (problems: try problems("integrity_check", limit: limit, code), uncheckedIndexes: code.indexes.sorted())
    }
    if case .unfit(let index) = verdict, answer.problems.isEmpty {
      return (["the entries of index \(index) are not those of its table"], answer.uncheckedIndexes)
    }
    return answer
  }

  private enum Verdict {
    case whole
    case unfit(index: String)
    /// There is other damage, or an index that only SQLite can check.
    case unknown
  }

  private func problems(_ check: String, limit: Int, _ code: AppCode) throws(SQLiteError) -> [String] {
    // What is said of an app's indexes does not count.
    let statement = try prepare("PRAGMA main.\(check)(\(code.isEmpty ? limit : Int(Int32.max)))")
    var lines: [String] = []
    do throws(SQLiteError) {
      while lines.count < limit, try statement.step() {
        // One result may be a heading with a line for each problem.
        guard let text = statement.text(0), text != "ok" else { continue }
        lines += text.split(separator: "\n").map(String.init).filter(code.canJudge)
      }
    } catch let error where !lines.isEmpty && error.code != SQLiteError.interrupted {
      // What has been found says more than where the check could not go on.
      lines.append(error.message)
    }
    return lines
  }

  private func verdict() throws(SQLiteError) -> Verdict {
    let tables = try prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0")
    var checks: [IndexCheck] = []
    while try tables.step() {
      guard let name = tables.text(0), let check = try IndexCheck(ofTable: name, self) else { return .unknown }
      checks.append(check)
    }
    guard try problems("quick_check", limit: 1, AppCode()).isEmpty else { return .unknown }
    let fitting = try tablesWithFittingIndexes(comparing: checks) ?? []
    for check in checks where !fitting.contains(check.table) {
      if let index = try check.unfitIndex() { return .unfit(index: index) }
    }
    return .whole
  }
}

extension Connection {
  /// Finds an index of the main database of which the entries are not those of its table: a lookup in it misses
  /// some, although every query succeeds.
  ///
  /// Pages must have been checked before: those of a damaged file may form a loop. An index that only an app can check is
  /// passed over: no other program looks anything up in it.
  ///
  /// - Parameter fitting: Tables whose indexes have been compared with their rows.
  /// - Returns: The table and what is wrong with its index; `nil` if there is nothing wrong.
  package func unfitIndex(
    exceptOf fitting: Set<String> = []
  ) throws(SQLiteError) -> (table: String, problem: String)? {
    for table in try indexedTables() where !fitting.contains(table) {
      let problem = try checkingWithoutApp { (code) throws(SQLiteError) -> String? in
        guard let check = try IndexCheck(ofTable: table, except: code.indexes, self) else {
          return try lookupProblem(ofTable: table, code)
        }
        return try check.unfitIndex().map { "the entries of index \($0) are not those of its table '\(table)'" }
      }
      if let problem { return (table, problem) }
    }
    return nil
  }

  /// Reads all pages of the main database without SQLite, in a fraction of its time, and compares indexes with their tables on
  /// the way.
  ///
  /// - Parameter comparesIndexes: Whether indexes are compared.
  /// - Returns: The tables with indexes that have all entries of their rows, each in its place; `nil` if pages do not fit
  ///   together, or if only SQLite can read them.
  package func tablesWithFittingIndexes(comparesIndexes: Bool) throws(SQLiteError) -> Set<String>? {
    let checks = try checkingWithoutApp { (code) throws(SQLiteError) in
      var checks: [IndexCheck] = []
      for table in comparesIndexes ? try indexedTables() : [] {
        if let check = try IndexCheck(ofTable: table, except: code.indexes, self) { checks.append(check) }
      }
      return checks
    }
    return try tablesWithFittingIndexes(comparing: checks)
  }

  private func tablesWithFittingIndexes(comparing checks: [IndexCheck]) throws(SQLiteError) -> Set<String>? {
    do throws(SQLiteError) {
      return try reading { () throws(SQLiteError) in
        guard let walk = try PageWalk(self) else { return nil }
        let rows = Dictionary(
          checks.filter(\.hasRowsInPages).map { ($0.table, RowSums($0)) }, uniquingKeysWith: { first, _ in first })
        let entries = Dictionary(
          rows.values.flatMap { rows in rows.check.indexes.map { ($0.name, EntrySum($0, seed: rows.check.seed)) } },
          uniquingKeysWith: { first, _ in first })
        var trees = [PageWalk.Tree(root: 1, isIndex: false, reader: nil)]
        let list = try prepare(
          "SELECT type = 'index', name, rootpage, sql LIKE '%WITHOUT%ROWID%' FROM main.sqlite_schema WHERE rootpage > 0"
        )
        while try list.step() {
          let (isIndex, name) = (list.integer(0) == 1, list.text(1) ?? "")
          trees.append(
            PageWalk.Tree(
              root: Int(list.integer(2)), isIndex: isIndex || list.integer(3) == 0 ? isIndex : nil,
              reader: isIndex ? entries[name] : rows[name]))
        }
        guard try walk.fits(trees) else { return nil }
        return Set(
          rows.values.filter { rows in
            zip(rows.check.indexes, rows.sums).allSatisfy { entries[$0.name]?.sum == $1 } && !rows.isIncomplete
          }.map(\.check.table))
      }
    } catch let error where error.code != SQLiteError.interrupted {
      // SQLite says what is wrong with the file or the disk.
      return nil
    }
  }

  private func indexedTables() throws(SQLiteError) -> [String] {
    let list = try prepare(
      "SELECT DISTINCT tbl_name FROM main.sqlite_schema WHERE type = 'index' AND rootpage > 0 ORDER BY rowid")
    var tables: [String] = []
    while try list.step() { tables += list.text(0).map { [$0] } ?? [] }
    return tables
  }

  /// The first row of a table that SQLite does not find in its indexes, in SQLite's words.
  private func lookupProblem(ofTable table: String, _ code: AppCode) throws(SQLiteError) -> String? {
    // A check of one table ends after a hundred problems, which may all be those of an app's index.
    let check = try prepare(
      "PRAGMA main.integrity_check(\(code.isEmpty ? table.quotedLiteral : "\(Int32.max)"))")
    let names = try indexNames(of: table)
    while try check.step() {
      // Other problems, such as a broken rule, hide no row.
      guard let text = check.text(0), code.canJudge(text),
        text.contains(" missing from index ") || text.contains("wrong # of entries in index "),
        names.contains(where: { text.hasSuffix(" index \($0)") })
      else { continue }
      return text
    }
    return nil
  }

  private func indexNames(of table: String) throws(SQLiteError) -> [String] {
    let list = try prepare("PRAGMA main.index_list(\(table.quotedIdentifier))")
    var names: [String] = []
    while try list.step() { names += list.text(1).map { [$0] } ?? [] }
    return names
  }
}

/// Compares the indexes of a table with its rows.
///
/// Entries and rows are the same if there are as many, and their hashes have the same sum; the key of the hash is not known to
/// the writer of the file. With the order of the entries, this is what makes every row findable.
struct IndexCheck {
  struct Index {
    let name: String
    /// The names of its columns, and their positions in the table.
    let columns: [String]
    let positions: [Int]
    let isDescending: [Bool]
    let isUnique: Bool
  }

  /// The number of rows, and the sum of their hashes.
  struct Sum: Equatable {
    private var count = 0
    private var hashes: UInt64 = 0

    mutating func add(_ hash: UInt64) {
      count += 1
      hashes &+= hash
    }
  }

  private let connection: Connection
  let table: String
  /// The name of the primary key.
  private let rowID: String
  private(set) var indexes: [Index] = []
  /// Whether a row's record has its columns in their order, and those that it lacks are NULL.
  private(set) var hasRowsInPages = true
  let seed = UInt64.random(in: .min ... .max)

  /// `nil` if there is an index that SQLite alone can check.
  ///
  /// - Parameter exceptions: The indexes that are not checked.
  init?(
    ofTable table: String, except exceptions: Set<String> = [], _ connection: Connection
  ) throws(SQLiteError) {
    (self.table, self.connection) = (table, connection)
    var names: Set<String> = []
    var keys: [(column: Int64, type: String)] = []
    let columns = try connection.prepare("PRAGMA main.table_xinfo(\(table.quotedIdentifier))")
    while try columns.step() {
      names.insert(columns.text(1)?.lowercased() ?? "")
      if columns.integer(5) > 0 { keys.append((columns.integer(0), columns.text(2)?.uppercased() ?? "")) }
      // Of a column that was added later, rows have no value; those of a computed column may not be stored.
      if !columns.isNull(4) || columns.integer(6) != 0 { hasRowsInPages = false }
    }
    // SQLite reads it from the end of an entry, whatever else the entry has in its place.
    let alias = keys.count == 1 && keys[0].type == "INTEGER" ? keys[0].column : -1
    let list = try connection.prepare("PRAGMA main.index_list(\(table.quotedIdentifier))")
    let rowID = ["rowid", "oid", "_rowid_"].first { !names.contains($0) }
    self.rowID = rowID ?? ""
    while try list.step() {
      if let name = list.text(1), exceptions.contains(name) { continue }
      // Of part of the table, of expressions, in an order that is not that of bytes, or of a table without row ids.
      guard rowID != nil, let name = list.text(1), list.integer(4) == 0 else { return nil }
      let parts = try connection.prepare("PRAGMA main.index_xinfo(\(name.quotedIdentifier))")
      var columns: [String] = []
      var positions: [Int] = []
      var isDescending: [Bool] = []
      var isWhole = false
      while try parts.step() {
        guard parts.integer(5) == 1 else {
          isWhole = parts.integer(1) == -1
          continue
        }
        let column = parts.integer(1)
        guard column >= 0, column != alias, parts.text(4) == "BINARY", let name = parts.text(2) else { return nil }
        columns.append(name)
        positions.append(Int(column))
        isDescending.append(parts.integer(3) == 1)
      }
      let index = Index(
        name: name, columns: columns, positions: positions, isDescending: isDescending,
        isUnique: list.integer(2) == 1)
      guard isWhole, try isReadAlone(index) else { return nil }
      indexes.append(index)
    }
    if !indexes.isEmpty, try connection.text("PRAGMA main.encoding") != "UTF-8" { return nil }
  }

  /// The name of an index that does not fit.
  func unfitIndex() throws(SQLiteError) -> String? {
    let expected = indexes.isEmpty ? [] : try rowSums()
    for (index, sum) in zip(indexes, expected) {
      guard try entrySum(index) == sum else { return index.name }
    }
    return nil
  }

  /// Whether the entries of an index are read without its table, which would otherwise be compared with itself.
  private func isReadAlone(_ index: Index) throws(SQLiteError) -> Bool {
    let plan = try connection.text("EXPLAIN QUERY PLAN \(entries(of: index))", column: 3)
    return plan?.hasSuffix(" USING COVERING INDEX \(index.name)") == true
  }

  private func entries(of index: Index) -> String {
    select(index.columns, "INDEXED BY \(index.name.quotedIdentifier)")
  }

  private func select(_ columns: [String], _ access: String) -> String {
    let list = ([rowID] + columns.map(\.quotedIdentifier)).joined(separator: ", ")
    return "SELECT \(list) FROM main.\(table.quotedIdentifier) \(access)"
  }

  /// Returns the sums that the indexes must have according to the table.
  private func rowSums() throws(SQLiteError) -> [Sum] {
    let sums = RowSums(self)
    let rows = try connection.prepare(select(sums.columns, "NOT INDEXED"))
    while try rows.step() { sums.add(rows) }
    return sums.sums
  }

  /// Returns the sum of an index's entries; `nil` if they are not in order.
  private func entrySum(_ index: Index) throws(SQLiteError) -> Sum? {
    let sum = EntrySum(index, seed: seed)
    let entries = try connection.prepare(entries(of: index))
    while try entries.step() { sum.add(entries) }
    return sum.sum
  }
}

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
    for check in checks {
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
  /// - Returns: The table and what is wrong with its index; `nil` if there is nothing wrong.
  package func unfitIndex() throws(SQLiteError) -> (table: String, problem: String)? {
    let list = try prepare(
      "SELECT DISTINCT tbl_name FROM main.sqlite_schema WHERE type = 'index' AND rootpage > 0 ORDER BY rowid")
    var tables: [String] = []
    while try list.step() { tables += list.text(0).map { [$0] } ?? [] }
    for table in tables {
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
private struct IndexCheck {
  private struct Index {
    let name: String
    let columns: [String]
    let isDescending: [Bool]
    let isUnique: Bool
  }

  /// The number of rows, and the sum of their hashes.
  private struct Sum: Equatable {
    var count = 0
    var hashes: UInt64 = 0

    mutating func add(_ hash: UInt64) {
      count += 1
      hashes &+= hash
    }
  }

  private let connection: Connection
  private let table: String
  /// The name of the primary key.
  private let rowID: String
  private var indexes: [Index] = []
  private let seed = UInt64.random(in: .min ... .max)

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
        isDescending.append(parts.integer(3) == 1)
      }
      let index = Index(name: name, columns: columns, isDescending: isDescending, isUnique: list.integer(2) == 1)
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
    var columns: [String] = []
    // The places of each index's columns, with -1 after the last.
    var places: [Int] = []
    for index in indexes {
      for column in index.columns where !columns.contains(column) { columns.append(column) }
      places += index.columns.compactMap(columns.firstIndex) + [-1]
    }
    var sums = indexes.map { _ in Sum() }
    let rows = try connection.prepare(select(columns, "NOT INDEXED"))
    while try rows.step() {
      var row = seed
      row.mix(in: UInt64(bitPattern: rows.integer(0)))
      var (hash, number) = (row, 0)
      for place in places {
        if place >= 0 {
          IndexedValue(rows, place + 1).mix(into: &hash)
        } else {
          sums[number].add(hash)
          (hash, number) = (row, number + 1)
        }
      }
    }
    return sums
  }

  /// Returns the sum of an index's entries; `nil` if they are not in order.
  private func entrySum(_ index: Index) throws(SQLiteError) -> Sum? {
    var sum = Sum()
    var last = [IndexedValue](repeating: .null, count: index.columns.count)
    var lastRow = Int64.min
    let entries = try connection.prepare(entries(of: index))
    while try entries.step() {
      let row = entries.integer(0)
      var hash = seed
      hash.mix(in: UInt64(bitPattern: row))
      var (order, hasNull) = (0, false)
      for place in last.indices {
        let value = IndexedValue(entries, place + 1)
        if order == 0 { order = last[place].order(before: value) * (index.isDescending[place] ? -1 : 1) }
        if case .null = value { hasNull = true }
        value.mix(into: &hash)
        last[place] = value
      }
      if sum.count > 0 {
        let isRepeated = order == 0 && index.isUnique && !hasNull
        guard order > 0 || order == 0 && lastRow < row && !isRepeated else { return nil }
      }
      lastRow = row
      sum.add(hash)
    }
    return sum
  }
}

/// A value in an index or in a row.
private enum IndexedValue {
  case null, integer(Int64), real(Double), text([UInt8]), blob([UInt8])

  init(_ statement: Statement, _ column: Int) {
    self =
      switch statement.storageClass(column) {
      case .null: .null
      case .integer: .integer(statement.integer(column))
      case .real: .real(statement.real(column))
      case .text: .text(statement.withText(column) { $0.map { Array($0) } ?? [] })
      case .blob: .blob(statement.blob(column) ?? [])
      }
  }

  /// Adds the value to a hash, in which numbers of the same value are the same, as in SQLite.
  func mix(into hash: inout UInt64) {
    switch self {
    case .null: hash.mix(in: 1)
    case .integer(let integer): hash.mix(in: UInt64(bitPattern: integer))
    case .real(let real): hash.mix(in: Int64(exactly: real).map(UInt64.init(bitPattern:)) ?? real.bitPattern)
    case .text(let bytes), .blob(let bytes):
      var hasher = Hasher()
      hasher.combine(rank)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      hash.mix(in: UInt64(bitPattern: Int64(hasher.finalize())))
    }
  }

  /// Positive if a value comes after this one in an index, negative if it comes before, and 0 if they are equal.
  func order(before other: Self) -> Int {
    switch (self, other) {
    case (.integer(let first), .integer(let second)): first < second ? 1 : first == second ? 0 : -1
    case (.real(let first), .real(let second)): first < second ? 1 : first == second ? 0 : -1
    case (.integer(let first), .real(let second)): Self.order(of: first, before: second)
    case (.real(let first), .integer(let second)): -Self.order(of: second, before: first)
    case (.text(let first), .text(let second)), (.blob(let first), .blob(let second)):
      first.lexicographicallyPrecedes(second) ? 1 : first == second ? 0 : -1
    default: other.rank - rank
    }
  }

  private static func order(of integer: Int64, before real: Double) -> Int {
    guard real < 0x1p63 else { return 1 }
    guard real >= -0x1p63 else { return -1 }
    let whole = Int64(real)
    if integer != whole { return integer < whole ? 1 : -1 }
    let rest = real - Double(whole)
    return rest > 0 ? 1 : rest < 0 ? -1 : 0
  }

  /// The place of values of this class among all.
  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}

extension UInt64 {
  fileprivate mutating func mix(in word: UInt64) {
    let product = (self ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    self = product.high ^ product.low
  }
}

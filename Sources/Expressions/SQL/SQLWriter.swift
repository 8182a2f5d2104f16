/// Writes predicates and expressions as SQL.
struct SQLWriter {
  let naming: any SQLNaming
  private var aliasCount = 0
  private var depth = 0

  /// SQLite's parser has a stack of a hundred entries, of which a level takes up to three.
  private static let depthLimit = 24
  /// SQLITE_MAX_VARIABLE_NUMBER is 32766.
  private static let argumentLimit = 30_000

  init(_ naming: some SQLNaming) {
    self.naming = naming
  }

  /// Writes a condition that is true or not, where NULL counts as not.
  ///
  /// NULL and false are the same to `WHERE`, to AND and to OR, but not to NOT. So NOT is pushed inward until it meets a
  /// comparison, which knows how to be the opposite. That also leaves comparisons as indexes can use them.
  mutating func condition(
    _ predicate: Predicate, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    try descend(predicate.description)
    defer { depth -= 1 }
    switch predicate {
    case .constant(let value): return value != isNegated ? "1" : "0"
    case .comparison(let comparison): return try self.comparison(comparison, isNegated: isNegated, scope)
    case .and(let parts): return try join(parts, isNegated ? "OR" : "AND", isNegated: isNegated, scope)
    case .or(let parts): return try join(parts, isNegated ? "AND" : "OR", isNegated: isNegated, scope)
    case .not(let part): return try condition(part, isNegated: !isNegated, scope)
    }
  }

  /// Counts a level of nesting; the caller counts it down again.
  mutating func descend(_ part: @autoclosure () -> String, by levels: Int = 1) throws(SQLRefusal) {
    guard depth + levels <= Self.depthLimit else { throw SQLRefusal(.tooDeep, part()) }
    depth += levels
  }

  /// Leaves levels of nesting.
  mutating func ascend(by levels: Int = 1) {
    depth -= levels
  }

  /// A row of another table, under a name of its own.
  mutating func row(of table: SQLTable) -> SQLRow {
    aliasCount += 1
    return SQLRow(table: table, alias: "e\(aliasCount)")
  }

  func checked(_ fragment: SQLFragment) throws(SQLRefusal) -> SQLFragment {
    guard fragment.arguments.count <= Self.argumentLimit else { throw SQLRefusal(.tooManyArguments, "the whole") }
    return fragment
  }

  private mutating func join(
    _ parts: [Predicate], _ word: SQLFragment, isNegated: Bool, _ scope: SQLScope
  ) throws(SQLRefusal) -> SQLFragment {
    var fragments: [SQLFragment] = []
    for part in parts { fragments.append("(\(try condition(part, isNegated: isNegated, scope)))") }
    guard !fragments.isEmpty else { return word == "AND" ? "1" : "0" }
    return SQLFragment.join(fragments[...], word)
  }
}

internal import CoreDataExpressions
package import MigrationDiagnostics
package import PersistentStore
package import SQLiteDatabase

extension BulkPlan {
  /// Returns the parts of the attached source that the plan cannot carry over: values in files that would have to be
  /// read into columns.
  ///
  /// Ask before running the plan, while there is still another way.
  package func valuesInFiles(_ connection: Connection) throws(SQLiteError) -> [String] {
    var found: [String] = []
    for check in fileChecks {
      let count = try connection.integer(fragment: check.statement) ?? 0
      guard count > 0 else { continue }
      let files = "\(count.counting("value")) \(count == 1 ? "lies in a file" : "lie in files")"
      found.append("\(check.entity).\(check.attribute): \(files)")
    }
    return found
  }
}

extension StoreWriter {
  /// Completes the links of the copied rows, and checks that they break no uniqueness constraint.
  ///
  /// - Returns: The number of rows, by join table.
  package func completeLinks(of plan: BulkPlan) throws(MigrationError) -> [String: Int] {
    try reporting(path: path) {
      for step in plan.steps {
        if let condition = step.condition, try connection.integer(fragment: condition) == nil { continue }
        _ = try connection.run(fragment: step.statement)
      }
      var counts: [String: Int] = [:]
      for join in plan.joins {
        // Tables with places are filled by SQLite, which computes those that are missing.
        if let pairs = join.pairs, let table = schema.joinTables.first(where: { $0.name == join.table }) {
          counts[join.table] = try insertLinks(try links(pairs), into: table)
        } else {
          counts[join.table] = try connection.run(fragment: join.statement)
        }
      }
      if let error = MigrationError(try StoreValidator(self).uniquenessFailures(), path: path) { throw error }
      return counts
    }
  }
}

extension StoreWriter {
  /// The links that a query of the attached source gives.
  private func links(_ pairs: SQLFragment) throws -> LinkList {
    // Links of an earlier table may have been written between two transactions.
    try requireUnchangedSource()
    try connection.keepManyPages(ofSchema: Self.sourceDatabaseName)
    var links = LinkList(besideStoreAt: path)
    let statement = try connection.prepare(fragment: pairs)
    while try statement.step() { links.append(Link(first: statement.integer(0), second: statement.integer(1))) }
    try connection.keepFewPages(ofSchema: Self.sourceDatabaseName)
    return links
  }
}

/// Copies the rows of one mapping with a statement: all of them at once, or those of one range of keys after another.
struct RowCopy {
  let copy: BulkPlan.Copy
  /// The number of rows written so far.
  private(set) var writtenCount = 0
  private let writer: StoreWriter
  private let statement: Statement
  /// The parameter of the least key; the greatest one is next.
  private let bounds: Int32?

  /// Prepares the statement.
  ///
  /// - Throws: `MigrationError` where a row would get the primary key of one that is already there.
  init(_ copy: BulkPlan.Copy, to writer: StoreWriter, inRanges isInRanges: Bool = false) throws(MigrationError) {
    self.copy = copy
    self.writer = writer
    let fragment = isInRanges ? copy.slice : copy.statement
    bounds = isInRanges ? Int32(fragment.arguments.count - 1) : nil
    statement = try reporting(path: writer.path) {
      let (connection, table) = (writer.connection, SQLFragment.destinationTable(copy.destinationTable))
      if try connection.integer(fragment: "SELECT 1 FROM \(table) LIMIT 1") != nil,
        let key = try connection.integer(fragment: "\(copy.sharedKeys) LIMIT 1")
      {
        throw MigrationError(
          .migrationFailed, MigrationError.Subject(path: writer.path, entity: copy.destinationEntity, row: key),
          detail: "mapping '\(copy.mappingName)' gives a second instance the same primary key (134111)")
      }
      return try connection.prepare(fragment: fragment)
    }
  }

  /// Copies all rows, or those with keys in a range.
  mutating func run(_ keys: ClosedRange<Int64>? = nil) throws(MigrationError) {
    do throws(SQLiteError) {
      if let keys, let bounds {
        try statement.bind(keys.lowerBound, at: bounds)
        try statement.bind(keys.upperBound, at: bounds + 1)
      }
      try statement.run()
      writtenCount += writer.connection.changes
    } catch let error where error.extendedCode == SQLiteError.duplicatePrimaryKey {
      // A row comes twice only where pages of the source lead to others more than once.
      throw MigrationError(
        .damaged, path: writer.path, detail: "a primary key comes more than once (\(error.message))")
    } catch {
      throw MigrationError(error, path: writer.path)
    }
  }

  /// Copies the rows that were left to SQLite when all others were written as pages.
  mutating func run(keys: [Int64], besides count: Int) throws(MigrationError) {
    if !keys.isEmpty { try writer.requireUnchangedSource() }
    var start = keys.startIndex
    while start < keys.endIndex {
      var end = start + 1
      while end < keys.endIndex, keys[end] == keys[end - 1] + 1 { end += 1 }
      try run(keys[start]...keys[end - 1])
      start = end
    }
    writtenCount += count
  }

  /// The number of source rows, whether or not they were copied.
  var readCount: Int {
    get throws(MigrationError) {
      guard let count = copy.count else { return writtenCount }
      return try reporting(path: writer.path) { Int(clamping: try writer.connection.integer(fragment: count) ?? 0) }
    }
  }
}

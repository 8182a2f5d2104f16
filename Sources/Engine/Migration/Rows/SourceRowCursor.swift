public import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// Reads some columns of a source table's rows, in the order of their keys.
///
/// Rows up to a size limit are read by one long statement. A larger row makes that statement fail before any of it is
/// in memory (`SQLITE_LIMIT_LENGTH`); it is then streamed with incremental blob I/O, and the statement continues after
/// it. A value of any size therefore costs no memory, and all others cost no extra step.
final class SourceRowCursor {
  fileprivate enum Current {
    case row
    case oversized(Int64)
    /// After the end, SQLite would start over with the first row.
    case end
  }

  /// Rows larger than this many bytes are streamed.
  private static let wholeRowLimit: Int32 = 1 << 20

  private let source: SourceConnection
  private let table: String
  private let columns: [String]
  /// The columns that rows of the destination are made of, which follow those of the preparer.
  fileprivate let firstCopiedColumn: Int
  fileprivate let statement: Statement
  private let nextKey: Statement
  /// Counts the rows of a range once more.
  private let census: Statement
  fileprivate private(set) var current = Current.row
  private var keys = Int64.min...Int64.max
  private var lastKey: Int64?
  /// The number of rows of the range that were read.
  private var rangeCount = 0
  /// The limit for all other code that reads the source.
  private let originalLimit: Int32

  init(
    _ source: SourceConnection, table: String, columns: [String], copied: [String] = [], filter: String? = nil
  ) throws(MigrationError) {
    self.source = source
    self.table = table
    self.columns = columns
    firstCopiedColumn = columns.count + 1
    let list = (["Z_PK"] + (columns + copied).map(\.quotedIdentifier)).joined(separator: ", ")
    let rest =
      "FROM \(table.quotedIdentifier) WHERE Z_PK >= ?1 AND Z_PK <= ?2\(filter.map { " AND \($0)" } ?? "") ORDER BY Z_PK"
    do {
      statement = try source.connection.prepare("SELECT \(list) \(rest)")
      nextKey = try source.connection.prepare("SELECT Z_PK \(rest) LIMIT 1")
      census = try source.connection.prepare(
        "SELECT count(*) FROM \(table.quotedIdentifier) NOT INDEXED WHERE Z_PK BETWEEN ?1 AND ?2"
          + (filter.map { " AND \($0)" } ?? ""))
      try statement.bind(Int64.min, at: 1)
      try statement.bind(Int64.max, at: 2)
    } catch {
      throw MigrationError(error, path: source.path)
    }
    // Last, because `deinit` restores it.
    originalLimit = source.connection.limitValueSize(to: Self.wholeRowLimit)
  }

  deinit {
    source.connection.limitValueSize(to: originalLimit)
  }

  /// Starts with the rows in a range of keys.
  func begin(_ keys: ClosedRange<Int64>) throws(MigrationError) {
    (self.keys, current, lastKey) = (keys, .row, nil)
    rangeCount = 0
    try restart()
  }

  private func restart() throws(MigrationError) {
    do {
      statement.reset()
      try statement.bind(keys.lowerBound, at: 1)
      try statement.bind(keys.upperBound, at: 2)
    } catch {
      throw MigrationError(error, path: source.path)
    }
  }

  /// Moves to the next row.
  func next() throws(MigrationError) -> SourceRow? {
    if case .end = current { return nil }
    if case .oversized(let key) = current {
      guard key < keys.upperBound else { return nil }
      (keys, current, lastKey) = ((key + 1)...keys.upperBound, .row, nil)
      try restart()
    }
    let key: Int64
    do throws(SQLiteError) {
      do throws(SQLiteError) {
        guard try statement.step() else {
          current = .end
          return nil
        }
        key = statement.integer(0)
      } catch let error where error.code == SQLiteError.tooBig {
        try nextKey.bind(lastKey.map { $0 + 1 } ?? keys.lowerBound, at: 1)
        try nextKey.bind(keys.upperBound, at: 2)
        defer { nextKey.reset() }
        guard try nextKey.step() else {
          current = .end
          return nil
        }
        key = nextKey.integer(0)
        current = .oversized(key)
      }
    } catch {
      throw MigrationError(error, path: source.path)
    }
    // A row comes twice only where pages lead to others more than once.
    if let lastKey, key <= lastKey {
      throw MigrationError(
        .damaged, path: source.path, detail: "the primary key \(key) of '\(table)' comes more than once")
    }
    lastKey = key
    rangeCount += 1
    return SourceRow(cursor: self, primaryKey: key)
  }

  /// Counts the rows of a range that has been read to its end with a statement of its own, which finds their pages in the
  /// cache.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` if there are more or fewer than were read.
  func requireAllWereRead(in range: ClosedRange<Int64>) throws(MigrationError) {
    let count = try reporting(path: source.path) {
      try census.bind(range.lowerBound, at: 1)
      try census.bind(range.upperBound, at: 2)
      defer { census.reset() }
      return try census.step() ? census.integer(0) : 0
    }
    guard count == Int64(rangeCount) else { throw MigrationError(.changedMeanwhile, path: source.path) }
  }

  fileprivate func stream(_ column: Int, row: Int64) throws(MigrationError) -> SourceValueStream {
    try SourceValueStream(source, table: table, column: columns[column], row: row)
  }
}

/// The current row of a cursor, valid until the cursor moves.
///
/// Bytes are passed as raw buffers, from SQLite directly to the parser. This is the only place outside `SQLite` and
/// `JSONStream` where pointers are passed: copying every JSON document would cost more than everything else done here.
public struct SourceRow {
  let cursor: SourceRowCursor
  /// The primary key of the row.
  public let primaryKey: Int64

  /// Encodes the row of the destination; one that is streamed is left to SQLite.
  func encode(into cells: RowCells) {
    guard case .row = cursor.current else { return cells.leave(primaryKey) }
    cells.append(primaryKey, cursor.statement, from: cursor.firstCopiedColumn)
  }

  /// Whether the value of a column is NULL.
  public func isNull(_ column: Int) -> Bool {
    switch cursor.current {
    case .row: cursor.statement.isNull(column + 1)
    case .end: true
    case .oversized(let key): (try? cursor.stream(column, row: key))?.isNull ?? false
    }
  }

  /// Passes the UTF-8 text of a column in pieces: in one piece, unless the row is so large that it is streamed.
  public func forEachPiece(
    of column: Int, _ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    switch cursor.current {
    case .row: _ = try withWholeText(column, body)
    case .oversized(let key): try cursor.stream(column, row: key).forEachPiece(body)
    case .end: break
    }
  }

  /// Passes the whole UTF-8 text of a column, or `nil` if the row is so large that it is streamed instead.
  public func withWholeText<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Result
  ) throws(MigrationError) -> Result? {
    guard case .row = cursor.current else { return nil }
    return try cursor.statement.withText(column + 1) { text throws(MigrationError) in
      try body(text ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }
}

/// The rows of an entity, for programs that read a store without migrating it.
package final class SourceRows {
  private let source: SourceConnection
  private let table: String
  private let columns: [String: String]
  private let cursor: SourceRowCursor

  /// Reads the rows of an entity, its subentities' included, with a connection of its own.
  ///
  /// - Parameter attributes: What is read, in the order in which ``SourceRow`` counts columns.
  package init(
    of entity: String, attributes: [String], in store: StoreReader, _ schema: StoreSchema
  ) throws(MigrationError) {
    guard let table = schema.table(forEntityNamed: entity) else {
      throw MigrationError(.notATrackLibrary, path: store.file.path, detail: "it has no '\(entity)'")
    }
    let names = try attributes.map { attribute throws(MigrationError) in
      guard let column = schema.column(forProperty: attribute, ofEntityNamed: entity) else {
        throw MigrationError(.notATrackLibrary, path: store.file.path, detail: "'\(entity)' has no '\(attribute)'")
      }
      return column.name
    }
    source = try store.openConnection()
    self.table = table.name
    columns = Dictionary(zip(attributes, names), uniquingKeysWith: { first, _ in first })
    cursor = try SourceRowCursor(source, table: table.name, columns: names)
    try cursor.begin(Int64.min...Int64.max)
  }

  /// Moves to the next row.
  package func next() throws(MigrationError) -> SourceRow? { try cursor.next() }

  /// Adds a value that could not be read to the rejects.
  package func reject(_ facts: RejectsFile.Facts, attribute: String, to rejects: RejectsFile) throws(MigrationError) {
    guard let column = columns[attribute] else { return }
    try rejects.add(facts, raw: SourceValueStream(source, table: table, column: column, row: facts.primaryKey))
  }
}

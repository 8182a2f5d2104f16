internal import Diagnostics
internal import PersistentStore

/// The rows that a batch policy reads: columns of a table.
struct BatchRows: Sendable {
  let table: String
  let columns: [String]
  let filter: String?
}

/// Reads rows and prepares them: what one thread does, with a connection and a preparer of its own.
struct BatchReader<Preparer: RowPreparer> {
  private let cursor: SourceRowCursor
  private var preparer: Preparer

  /// Enough that the cost of handing over vanishes, few enough that a batch stays in the processor's cache.
  private static var rowsPerBatch: Int { 1024 }

  /// A batch of fewer rows may be as large as this.
  private static var bytesPerBatch: Int { 4 << 20 }

  init(_ rows: BatchRows, _ connection: SourceConnection, _ preparer: Preparer) throws(MigrationError) {
    cursor = try SourceRowCursor(connection, table: rows.table, columns: rows.columns, filter: rows.filter)
    self.preparer = preparer
  }

  /// Begins with the rows of some keys.
  func begin(_ keys: ClosedRange<Int64>) throws(MigrationError) { try cursor.begin(keys) }

  /// The next rows, prepared; `nil` when there are none left.
  mutating func next() throws(MigrationError) -> PreparedBatch<Preparer.Batch>? {
    var count = 0
    while count < Self.rowsPerBatch, preparer.byteCount < Self.bytesPerBatch, let row = try cursor.next() {
      try preparer.prepare(row)
      count += 1
    }
    return count == 0 ? nil : PreparedBatch(content: preparer.takeBatch(), rowCount: count)
  }
}

/// What was prepared of a run of rows.
struct PreparedBatch<Content: Sendable>: Sendable {
  let content: Content
  let rowCount: Int
}

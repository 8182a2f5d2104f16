public import Diagnostics
internal import SQLite

/// The current row of a cursor: valid until the cursor moves.
///
/// Bytes are lent as raw buffers, from SQLite straight to the parser. They are the one place outside `SQLite` and
/// `JSONStream` where pointers pass: a copy of every JSON document would cost more than anything else that is done here.
public struct SourceRow {
  let cursor: SourceRowCursor
  /// The primary key of the row.
  public let primaryKey: Int64

  /// Whether the value of a column is NULL.
  public func isNull(_ column: Int) -> Bool { cursor.isNull(column) }

  /// Lends the UTF-8 text of a column piece by piece: in one piece, unless the row is so large that it is streamed.
  public func forEachPiece(
    of column: Int, _ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    try cursor.forEachPiece(of: column, body)
  }

  /// Lends the whole UTF-8 text of a column, or `nil` where the row is so large that it is streamed instead.
  public func withWholeText<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Result
  ) throws(MigrationError) -> Result? {
    try cursor.withWholeText(column, body)
  }
}

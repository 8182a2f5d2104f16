internal import SQLiteDatabase
internal import Verification

/// The rows of the new library's artists, of which one at a time is at hand.
final class ArtistRows {
  /// The columns of a row after its key.
  enum Column: Int {
    case name = 1
    case id, imageURL
  }

  private let statement: Statement
  private var current: Int64?

  /// - Parameter statement: Selects the key, and these columns, of the row with a key.
  init(_ statement: Statement) { self.statement = statement }

  /// The row with a key, just read; `nil` if there is none.
  func row(_ key: Int64) throws(SQLiteError) -> Statement? {
    current = nil
    statement.reset()
    try statement.bind(key, at: 1)
    guard try statement.step() else { return nil }
    current = key
    return statement
  }

  /// Gives up the row at hand.
  func close() {
    current = nil
    statement.reset()
  }

  /// Calls a closure with the bytes in a column of the row with a key, and whether they are stored as text.
  func withText<Result>(
    _ column: Column, of key: Int64, _ body: (UnsafeRawBufferPointer?, _ isText: Bool) -> Result
  ) throws(SQLiteError) -> Result {
    guard let row = try current == key ? statement : row(key) else { return body(nil, false) }
    let isText = row.storageClass(column.rawValue) == .text
    return row.withText(column.rawValue) { body($0, isText) }
  }

  /// The bytes in a column of the row with a key.
  func text(_ column: Column, of key: Int64) throws(SQLiteError) -> [UInt8] {
    try withText(column, of: key) { text, _ in text.map { Array($0) } ?? [] }
  }

  /// Whether the row with a key has these bytes in a column.
  func has(_ text: ArraySlice<UInt8>, in column: Column, of key: Int64) throws(SQLiteError) -> Bool {
    try withText(column, of: key) { found, _ in
      found.map { found in text.withUnsafeBytes { StoredValue.areEqual(found, $0) } } ?? false
    }
  }
}

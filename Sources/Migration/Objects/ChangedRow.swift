internal import DataModel
internal import PersistentStore
internal import SQLite

/// A row that is to be written, with the values that an instance has at this moment.
struct ChangedRow {
  enum Change {
    case insertion
    case update
    case deletion
  }

  let change: Change
  let layout: EntityLayout
  let primaryKey: Int64
  let values: StoredValues
}

/// Writes rows: used by one thread at a time.
final class RowWriter {
  private let connection: Connection
  private var statements = StatementCache()

  init(_ connection: Connection) {
    self.connection = connection
  }

  func write(_ rows: [ChangedRow]) throws(SQLiteError) {
    for row in rows { try write(row) }
  }

  private func write(_ row: ChangedRow) throws(SQLiteError) {
    let layout = row.layout
    switch row.change {
    case .deletion:
      let statement = try statements.statement(.delete, layout) { () throws(SQLiteError) in
        try connection.prepare("DELETE FROM \(layout.table.name.quotedIdentifier) WHERE Z_PK = ?")
      }
      try statement.bind(row.primaryKey, at: 1)
      try statement.run()
    case .insertion, .update:
      let isNew = row.change == .insertion
      let statement = try statements.statement(isNew ? .insert : .update, layout) { () throws(SQLiteError) in
        try connection.prepare(isNew ? layout.insertStatement : layout.updateStatement)
      }
      try statement.bind(row.primaryKey, at: layout.bind(row.values, to: statement))
      try statement.run()
    }
  }

  /// Releases what keeps the store open.
  func close() { statements.removeAll() }
}

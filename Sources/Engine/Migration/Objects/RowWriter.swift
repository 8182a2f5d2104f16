internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// A row to be written, with an instance's values at this moment.
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

/// The texts of a row, one after the other: SQLite reads them here, without a copy of each.
struct RowTexts {
  private(set) var bytes: [UInt8] = []
  /// The places of the texts, by attribute; `nil` for other values.
  private(set) var places: [Range<Int>?] = []

  /// Takes the texts that are stored as they are.
  mutating func collect(_ values: StoredValues, of layout: EntityLayout) {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
    places.removeAll(keepingCapacity: true)
    // Without any byte there would be no address, which would bind NULL.
    bytes.append(0)
    for index in values.attributes.indices {
      let start = bytes.count
      switch values.attributes[index] {
      case .string(let text)?, .uri(let text)?:
        let isPlain = !layout.attributes[index].isExternal && values.invalidTexts[index] == nil
        if isPlain { bytes.append(contentsOf: text.utf8) }
        places.append(isPlain ? start..<bytes.count : nil)
      default: places.append(nil)
      }
    }
  }
}

/// Writes rows: used by one thread at a time.
final class RowWriter {
  private let connection: Connection
  private var statements = StatementCache()
  private var texts = RowTexts()

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
      texts.collect(row.values, of: layout)
      try texts.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
        let rest = try layout.bind(row.values, texts, UnsafeRawBufferPointer(bytes), to: statement)
        try statement.bind(row.primaryKey, at: rest)
        try statement.run()
      }
    }
  }

  /// Releases what keeps the store open.
  func close() { statements.removeAll() }
}

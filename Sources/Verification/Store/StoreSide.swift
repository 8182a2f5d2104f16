internal import PersistentStore
internal import SQLite

/// One of the two stores that are compared.
struct StoreSide {
  let reader: StoreReader
  /// How it is laid out.
  let schema: StoreSchema

  var connection: Connection { reader.connection }

  var isUTF16: Bool { reader.layout.encoding.uppercased() != "UTF-8" }

  /// What is selected of a column so that equal results mean equal bytes.
  ///
  /// SQLite gives out text as UTF-8. What is wrong with UTF-16 would be repaired on the way, and so get lost.
  func exactly(_ column: String, comparedWith other: StoreSide) -> [String] {
    let name = column.quotedIdentifier
    guard isUTF16, reader.layout.encoding == other.reader.layout.encoding else { return [name] }
    return ["typeof(\(name))", "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) ELSE \(name) END"]
  }

  /// What tells an entity's rows from others of its table; `nil` where the table holds no others.
  func condition(forEntityNamed name: String) -> String? {
    guard let table = schema.table(forEntityNamed: name), table.entityNames.count > 1 else { return nil }
    return "Z_ENT = \(schema.entityNumber(name))"
  }

  /// Whether a table has a row of this key.
  func hasRow(_ key: Int64, in table: String) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT 1 FROM \(table.quotedIdentifier) WHERE Z_PK = \(key)") != nil
  }
}

internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// Looks for text that is not valid in the encoding of the database.
struct TextExamination {
  private let store: StoreReader
  private let schema: StoreSchema

  init(_ store: StoreReader, _ schema: StoreSchema) {
    (self.store, self.schema) = (store, schema)
  }

  /// The number of columns that are read in one pass over a table.
  private static let columnsPerPass = 100

  func run(_ notes: inout HealthNotes) throws {
    for table in schema.tables {
      let columns = table.columns.filter { column in
        if case .attribute(let type) = column.content { type.storedForm == .text } else { false }
      }
      for start in stride(from: 0, to: columns.count, by: Self.columnsPerPass) {
        let pass = Array(columns[start..<min(start + Self.columnsPerPass, columns.count)])
        for finding in try findings(pass, in: table) { notes.add(finding) }
      }
    }
  }

  private func findings(_ columns: [EntityTable.Column], in table: EntityTable) throws(SQLiteError) -> [Finding] {
    let isUTF8 = schema.keepsTextAsUTF8
    let isBigEndian = store.layout.encoding.lowercased().hasSuffix("be")
    // SQLite converts UTF-16 when it is asked for text, and what is invalid is lost on the way.
    let list = columns.map { column in
      let name = column.name.quotedIdentifier
      return isUTF8 ? name : "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) END"
    }
    let statement = try store.connection.prepare(
      "SELECT Z_PK, \(list.joined(separator: ", ")) FROM \(table.name.quotedIdentifier) NOT INDEXED")
    var counts = columns.map { _ in Int64(0) }
    var rows = columns.map { _ in [Int64]() }
    while try statement.step() {
      for index in columns.indices {
        let isInvalid =
          isUTF8
          ? statement.storageClass(index + 1) == .text && statement.invalidText(index + 1) != nil
          : statement.blob(index + 1).map { !Self.isUTF16($0, isBigEndian: isBigEndian) } ?? false
        guard isInvalid else { continue }
        counts[index] += 1
        if rows[index].count < Finding.exampleLimit { rows[index].append(statement.integer(0)) }
      }
    }
    return columns.indices.filter { counts[$0] > 0 }.map { index in
      let (entity, attribute) = (columns[index].entityName, columns[index].propertyName)
      var finding = Finding(
        .invalidText, "'\(entity).\(attribute)' has text that is not valid \(isUTF8 ? "UTF-8" : "UTF-16")")
      (finding.table, finding.entity, finding.property) = (table.name, entity, attribute)
      (finding.count, finding.rows) = (counts[index], rows[index])
      return finding
    }
  }

  /// Whether bytes are UTF-16 without halves of pairs.
  private static func isUTF16(_ bytes: [UInt8], isBigEndian: Bool) -> Bool {
    guard bytes.count.isMultiple(of: 2) else { return false }
    let units = stride(from: 0, to: bytes.count, by: 2).map { index -> UInt16 in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return String(validating: units, as: UTF16.self) != nil
  }
}

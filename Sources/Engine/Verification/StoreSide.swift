internal import MigrationDiagnostics
package import PersistentStore
package import SQLiteDatabase
internal import SystemC

/// Reports how far a comparison is, and stops it.
package struct Progress {
  private static let step = 4096

  private let isCancelled: () -> Bool
  private let report: ((_ completedCount: Int, _ totalCount: Int) -> Void)?
  private let totalCount: Int
  private var completedCount = 0

  package init(
    _ isCancelled: @escaping () -> Bool, _ report: ((Int, Int) -> Void)?, rowsOf side: StoreSide
  ) throws(SQLiteError) {
    (self.isCancelled, self.report) = (isCancelled, report)
    var count: Int64 = 0
    for table in side.schema.tables where report != nil { count += try side.approximateCount(table.name) }
    totalCount = Int(count)
  }

  package mutating func advance() throws {
    completedCount += 1
    guard completedCount.isMultiple(of: Self.step) || completedCount == totalCount else { return }
    if isCancelled() { throw MigrationError(.interrupted) }
    report?(completedCount, totalCount)
  }
}

extension StoreReader {
  /// Compares this old store with a new one.
  ///
  /// - Parameters:
  ///   - readInOrder: The entities of this store whose rows are only read with ``RowMergeCursor``, which finds loops by itself.
  ///   - damaged: Called with SQLite's message if the new store cannot be read to its end, which is a difference and not an
  ///     error.
  package func compared<Result>(
    with result: StoreReader, _ isCancelled: @escaping () -> Bool,
    readInOrder: (schema: StoreSchema, entityNames: Set<String>)? = nil, _ body: () throws -> Result?,
    damaged: (String) throws -> Void
  ) throws -> Result? {
    for store in [self, result] { store.connection.onProgress(every: 1_000_000) { isCancelled() } }
    defer { for store in [self, result] { store.connection.onProgress(every: 0, nil) } }
    do {
      try requireBoundedTables(except: readInOrder?.schema, ofEntitiesNamed: readInOrder?.entityNames)
      try result.requireBoundedTables()
      return try body()
    } catch let error as SQLiteError {
      let isResult =
        FileSystem.areSame(error.path, result.connection.path) && !FileSystem.areSame(error.path, connection.path)
      guard isResult, [SQLiteError.corrupt, SQLiteError.general, SQLiteError.mismatch].contains(error.code) else {
        throw MigrationError(error, path: isResult ? result.file.path : file.path)
      }
      try damaged(error.message)
      return nil
    }
  }
}

/// One of the two stores that are compared.
package struct StoreSide {
  package let reader: StoreReader
  /// The layout of the store.
  package let schema: StoreSchema
  /// The connection of the thread that uses this.
  package let connection: Connection

  /// - Parameter connection: Another one than the reader's.
  package init(reader: StoreReader, schema: StoreSchema, connection: Connection? = nil) {
    (self.reader, self.schema, self.connection) = (reader, schema, connection ?? reader.connection)
  }

  /// The same store for another thread, with a connection of its own.
  package func onOtherThread() throws -> StoreSide {
    StoreSide(reader: reader, schema: schema, connection: try reader.openConnection().connection)
  }

  package var isUTF16: Bool { reader.layout.encoding.uppercased() != "UTF-8" }

  /// The expressions that select a column so that equal results mean equal bytes.
  ///
  /// SQLite returns text as UTF-8, which would hide invalid UTF-16.
  func exactly(_ column: String, comparedWith other: StoreSide) -> [String] {
    let name = column.quotedIdentifier
    guard isUTF16, reader.layout.encoding == other.reader.layout.encoding else { return [name] }
    return ["typeof(\(name))", "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) ELSE \(name) END"]
  }

  /// The SQL condition that selects an entity's rows in its table; `nil` if the table holds no others.
  package func condition(forEntityNamed name: String) -> String? {
    guard let table = schema.table(forEntityNamed: name), table.entityNames.count > 1 else { return nil }
    return "Z_ENT = \(schema.entityNumber(name))"
  }

  /// Columns of one row; `nil` if there is no such row.
  package func row(_ key: Int64, of table: String, _ columns: [String]) throws(SQLiteError) -> Statement? {
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let statement = try connection.prepare("SELECT \(list) FROM \(table.quotedIdentifier) WHERE Z_PK = \(key)")
    return try statement.step() ? statement : nil
  }

  /// The number of rows in a table.
  package func count(_ table: String, where condition: String? = nil) throws(SQLiteError) -> Int64 {
    let filter = condition.map { " WHERE \($0)" } ?? ""
    return try connection.integer("SELECT count(*) FROM \(table.quotedIdentifier)\(filter)") ?? 0
  }

  /// The number of rows in a table, or somewhat more where rows have been deleted.
  ///
  /// To count them takes longer than to find their least and greatest key.
  func approximateCount(_ table: String) throws(SQLiteError) -> Int64 {
    guard let keys = try connection.keyRange(ofTable: table) else { return 0 }
    let (distance, isTooFar) = keys.upperBound.subtractingReportingOverflow(keys.lowerBound)
    // Keys with great gaps tell nothing. Whatever the file says, there are no more rows than fit into it.
    let size = reader.usedSize
    guard isTooFar || distance >= size / 64 else { return distance + 1 }
    return try connection.integer(
      "SELECT count(*) FROM (SELECT 1 FROM \(table.quotedIdentifier) LIMIT \(size / 4))") ?? 0
  }

  /// The keys of rows, sorted.
  package func keys(_ table: String, where condition: String?) throws(SQLiteError) -> Statement {
    let filter = condition.map { " WHERE \($0)" } ?? ""
    return try connection.prepare("SELECT Z_PK FROM \(table.quotedIdentifier)\(filter) ORDER BY Z_PK")
  }
}

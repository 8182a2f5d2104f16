internal import MigrationDiagnostics
internal import PersistentStore
internal import PropertyListFormat
internal import SQLiteDatabase
internal import SystemC

/// Writes the redacted copy of a store into a new file.
///
/// The file is built from the statements of the store's schema and from redacted rows. Nothing else of the store is ever in
/// it: no free page, no log, no statistics of `ANALYZE`, whose samples are values.
struct RedactedCopy {
  private let store: StoreReader
  private let plan: RedactionPlan
  private let redactor: Redactor
  private let sql: RedactedSQL
  private let path: String
  /// The words that may and may not be in the result.
  var leaks: LeakCheck
  private(set) var leftOut: [String]
  private(set) var rowCount: Int64 = 0
  private(set) var tableCount = 0

  init(
    of store: StoreReader, by plan: RedactionPlan, _ redactor: Redactor, to path: String
  ) throws(SQLiteError) {
    (self.store, self.plan, self.redactor, self.path) = (store, plan, redactor, path)
    sql = try RedactedSQL(store.connection, redactor, modelStatements: plan.modelStatements)
    leaks = LeakCheck(redactor.letters)
    leaks.allow(sql.text)
    leftOut = plan.virtualTables.map { "the virtual table '\($0)' with its tables" }
  }

  /// Writes the file, and puts it on the disk.
  mutating func write() throws {
    let connection = try Self.open(path, store.layout)
    connection.onProgress(every: 100_000) { EndRequest.isMade }
    store.connection.onProgress(every: 100_000) { EndRequest.isMade }
    defer { store.connection.onProgress(every: 0, nil) }
    try connection.execute("BEGIN")
    let statements = try statements()
    var written: [RedactionPlan.Table] = []
    for table in plan.tables {
      guard let statement = statements.first(where: { $0.type == "table" && $0.name == table.name }) else { continue }
      // Only the first statement of the text is compiled, as SQLite does when it reads the schema.
      if try make(statement, "the table", connection) { written.append(table) }
    }
    for table in written { try copyRows(of: table, connection) }
    try copySequences(written, connection)
    try makeOthers(statements, written, connection)
    try connection.execute("COMMIT")
    try connection.close()
    try FileSystem.synchronize(path)
    tableCount = written.count
  }

  /// Opens the new file, which is discarded on any failure: it needs no journal on the disk.
  ///
  /// One in memory undoes the statement for an index that cannot be made, which otherwise would be there in half.
  private static func open(_ path: String, _ layout: FileLayout) throws -> Connection {
    let connection = try Connection(path: path, access: .create)
    try connection.execute(
      """
      PRAGMA main.journal_mode = MEMORY; PRAGMA main.synchronous = OFF; PRAGMA main.locking_mode = EXCLUSIVE;
      PRAGMA page_size = \(layout.pageSize); PRAGMA auto_vacuum = \(layout.autoVacuum);
      PRAGMA encoding = \(layout.encoding.quotedLiteral); PRAGMA ignore_check_constraints = ON;
      PRAGMA user_version = \(layout.userVersion); PRAGMA application_id = \(layout.applicationID);
      """)
    // The order of such an index is not that of the app, but indexes of this kind are not made.
    connection.acceptUnknownCollations()
    return connection
  }

  // MARK: - Schema

  private struct SchemaStatement {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  /// The statements of the schema, redacted, but for those of virtual tables.
  private mutating func statements() throws -> [SchemaStatement] {
    let rows = try store.connection.prepare(
      "SELECT type, name, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    var statements: [SchemaStatement] = []
    while try rows.step() {
      let (type, name) = (rows.text(0) ?? "", rows.text(1) ?? "")
      guard !plan.virtualTables.contains(name) else { continue }
      guard let sql = sql.redact(rows.text(3) ?? "", &leaks) else {
        throw Self.leak("a word in the definition of the \(type) '\(name)' has not changed", store)
      }
      statements.append(SchemaStatement(type: type, name: name, table: rows.text(2) ?? "", sql: sql))
    }
    return statements
  }

  /// Runs a statement of the schema, which only declares something.
  ///
  /// - Returns: Whether SQLite understands it here, and the rows keep its rule.
  private mutating func make(
    _ statement: SchemaStatement, _ kind: String, _ connection: Connection
  ) throws(SQLiteError) -> Bool {
    do throws(SQLiteError) {
      try connection.prepare(statement.sql).run()
      return true
    } catch {
      switch error.code {
      case SQLiteError.general: leftOut.append("\(kind) '\(statement.name)'")
      // The rows of a damaged store need not be unique, and a part of a value need not be what tells it from others.
      case SQLiteError.constraint:
        leftOut.append("\(kind) '\(statement.name)', whose values are not unique in the copy")
      default: throw error
      }
      return false
    }
  }

  /// Makes indexes, views and triggers.
  private mutating func makeOthers(
    _ statements: [SchemaStatement], _ tables: [RedactionPlan.Table], _ connection: Connection
  ) throws {
    let made = Set(tables.map(\.name.sqlNameKey))
    let ofApp = Set(try store.connection.appIndexes(ofTables: tables.map(\.name)))
    for statement in statements {
      switch statement.type {
      case "index" where made.contains(statement.table.sqlNameKey):
        guard !ofApp.contains(statement.name) else {
          leftOut.append("the index '\(statement.name)', which needs code of the app")
          continue
        }
        _ = try make(statement, "the index", connection)
      case "view": _ = try make(statement, "the view", connection)
      case "trigger" where made.contains(statement.table.sqlNameKey):
        guard !SQLToken.names(in: statement.sql, anyOf: plan.virtualTables) else {
          leftOut.append("the trigger '\(statement.name)', which refers to a virtual table")
          continue
        }
        _ = try make(statement, "the trigger", connection)
      default: continue
      }
    }
  }

  /// Copies the greatest row ids ever used, as far as SQLite keeps them.
  private func copySequences(_ tables: [RedactionPlan.Table], _ connection: Connection) throws {
    let exists = "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'"
    guard try store.connection.integer(exists) == 1, try connection.integer(exists) == 1 else { return }
    try connection.execute("DELETE FROM main.sqlite_sequence")
    let insert = try connection.prepare("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)")
    let made = Set(tables.map(\.name.sqlNameKey))
    let rows = try store.connection.prepare("SELECT name, seq FROM main.sqlite_sequence")
    while try rows.step() {
      guard let name = rows.text(0), made.contains(name.sqlNameKey) else { continue }
      try insert.bind(name, at: 1)
      try insert.bind(rows.integer(1), at: 2)
      try insert.run()
    }
  }

  // MARK: - Rows

  private mutating func copyRows(of table: RedactionPlan.Table, _ connection: Connection) throws {
    guard !table.columns.isEmpty else { return }
    let names = [table.rowID].compactMap { $0 } + table.columns.map(\.name.quotedIdentifier)
    let list = names.joined(separator: ", ")
    // NOT INDEXED: what an index contains does not matter, and may be wrong.
    let rows = try store.connection.prepare("SELECT \(list) FROM main.\(table.name.quotedIdentifier) NOT INDEXED")
    let places = names.map { _ in "?" }.joined(separator: ", ")
    let insert = try connection.prepare("INSERT INTO main.\(table.name.quotedIdentifier) (\(list)) VALUES (\(places))")
    let first = table.rowID == nil ? 0 : 1
    while try rows.step() {
      if EndRequest.isMade { throw MigrationError(.interrupted, path: store.file.path) }
      if first == 1 { try insert.bind(rows.integer(0), at: 1) }
      for (place, column) in table.columns.enumerated() {
        try copy(rows, first + place, column, table, to: insert)
      }
      try insert.run()
      rowCount += 1
    }
  }

  private mutating func copy(
    _ rows: Statement, _ place: Int, _ column: RedactionPlan.Column, _ table: RedactionPlan.Table,
    to insert: Statement
  ) throws {
    let index = Int32(place + 1)
    switch (rows.storageClass(place), column.rule) {
    case (.null, _): try insert.bindNull(at: index)
    case (.integer, .copied), (.integer, .key), (.integer, .metadata): try insert.bind(rows.integer(place), at: index)
    case (.integer, .date): try insert.bind(redactor.date(rows.integer(place)), at: index)
    case (.integer, .value(let limits)):
      try insert.bind(redactor.integer(rows.integer(place), limits), at: index)
    case (.integer, .json), (.integer, .address), (.integer, .external), (.integer, .model):
      try insert.bind(redactor.integer(rows.integer(place)), at: index)
    case (.real, .copied), (.real, .key), (.real, .metadata): try insert.bind(rows.real(place), at: index)
    case (.real, .date): try insert.bind(redactor.date(rows.real(place)), at: index)
    case (.real, .value(let limits)):
      try insert.bind(redactor.real(rows.real(place), limits), at: index)
    case (.real, .json), (.real, .address), (.real, .external), (.real, .model):
      try insert.bind(redactor.real(rows.real(place)), at: index)
    case (.text, .metadata):
      // Another program may have left XML as text.
      let bytes = rows.withText(place) { $0.map(Array.init) ?? [] }
      try insert.bind(redactedData(bytes, .metadata, column, table), at: index)
    case (.text, let rule):
      let bytes = rows.withText(place) { $0.map(Array.init) ?? [] }
      try insert.bind(textBytes: redactedText(bytes, rule, column, table), at: index)
    case (.blob, let rule):
      try insert.bind(redactedData(rows.blob(place) ?? [], rule, column, table), at: index)
    }
  }

  private mutating func redactedText(
    _ bytes: [UInt8], _ rule: ColumnRule, _ column: RedactionPlan.Column, _ table: RedactionPlan.Table
  ) throws -> [UInt8] {
    switch rule {
    case .copied, .external(isKept: true):
      leaks.allow(bytes)
      return bytes
    case .json: return try noted(bytes, redactor.text(bytes, isJSON: true), column, table)
    case .address: return try noted(bytes, redactor.text(bytes, isURI: true), column, table)
    case .key, .value, .date, .external(isKept: false), .metadata, .model:
      return try noted(bytes, redactor.text(bytes), column, table)
    }
  }

  private mutating func redactedData(
    _ bytes: [UInt8], _ rule: ColumnRule, _ column: RedactionPlan.Column, _ table: RedactionPlan.Table
  ) throws -> [UInt8] {
    switch rule {
    case .copied:
      leaks.allow(bytes)
      return bytes
    case .model:
      // Only the model itself stays, and not what else is kept in its table.
      guard RedactionPlan.isModel(bytes) else { return try noted(bytes, redactor.data(bytes), column, table) }
      leaks.allow(bytes)
      return bytes
    case .external(let isKept):
      let result = isKept ? redactor.keptExternalValue(bytes) : redactor.externalValue(bytes)
      guard !isKept else {
        leaks.allow(result)
        return result
      }
      return try noted(bytes, result, column, table)
    case .metadata:
      guard let list = try? PropertyList(contentsOf: bytes), let properties = list.dictionary else {
        return try noted(bytes, redactor.data(bytes), column, table)
      }
      // Written anew: unread bytes of the list may hold anything.
      let redacted = try redactor.metadata(properties) { original, result in
        _ = try noted(original, result, column, table)
      }
      let result = PropertyList.dictionary(redacted).binary()
      leaks.allow(result)
      return result
    case .key, .value, .json, .address, .date: return try noted(bytes, redactor.data(bytes), column, table)
    }
  }

  private mutating func noted(
    _ bytes: [UInt8], _ result: [UInt8], _ column: RedactionPlan.Column, _ table: RedactionPlan.Table
  ) throws -> [UInt8] {
    guard leaks.note(bytes, replacedBy: result, kept: redactor.kept) else {
      throw Self.leak("a word in '\(table.name).\(column.name)' has not changed", store)
    }
    return result
  }

  // MARK: - Check

  /// Reads the complete file again.
  ///
  /// - Throws: `MigrationError` with `redactionIncomplete` if it has a word of the store.
  func check() throws {
    let connection = try Connection(path: path, access: .immutable)
    connection.onProgress(every: 100_000) { EndRequest.isMade }
    let names = try connection.strings("SELECT name FROM main.sqlite_schema WHERE \(Connection.isPlainTable)")
    for name in ["sqlite_schema"] + names {
      let rows = try connection.prepare("SELECT * FROM main.\(name.quotedIdentifier) NOT INDEXED")
      while try rows.step() {
        for column in 0..<rows.columnCount {
          switch rows.storageClass(column) {
          case .null, .integer, .real: continue
          case .text, .blob: break
          }
          guard leaks.finds(in: rows.withText(column) { $0.map(Array.init) ?? [] }) else { continue }
          throw Self.leak("in '\(name).\(rows.columnName(column))'", store)
        }
      }
    }
    try checkBytes()
  }

  /// Looks through the bytes of the file, whatever they belong to.
  private func checkBytes() throws(MigrationError) {
    let descriptor = try FileSystem.openFile(path, O_RDONLY, orThrow: .inputOutput)
    defer { close(descriptor) }
    var block = [UInt8](repeating: 0, count: 1 << 20)
    var rest: [UInt8] = []
    let hasZeros = store.layout.encoding != "UTF-8"
    while true {
      guard let count = FileSystem.read(descriptor, into: &block) else { throw FileSystem.failure(.inputOutput, path) }
      if count == 0 || EndRequest.isMade { break }
      let bytes = rest + block[..<count]
      if leaks.finds(inFile: bytes, hasZeros: hasZeros) {
        throw Self.leak("in bytes of the file that belong to no value", store)
      }
      // Blocks overlap, so that a word at the end of one is found in the next.
      rest = Array(bytes.suffix(1024))
    }
    if EndRequest.isMade { throw MigrationError(.interrupted, path: store.file.path) }
  }

  private static func leak(_ detail: String, _ store: StoreReader) -> MigrationError {
    MigrationError(.redactionIncomplete, path: store.file.path, detail: detail)
  }
}

public import Diagnostics
internal import SQLite

extension StoreWriter {
  /// Copies tables of the app's own from the attached source, with their rows and indexes.
  ///
  /// Nothing that the author of the source wrote is run: tables and indexes are made again from what their definitions
  /// declare, and those that do more are left out, as triggers are. Row numbers are kept.
  ///
  /// - Parameter names: The tables, such as those that `foreignContent(besides:)` finds to be of the kind `app`.
  /// - Returns: Which tables and indexes could not be copied; a table that is not among them is complete.
  /// - Throws: `MigrationError` when rows cannot be read or written.
  public func copyForeignTables(_ names: [String]) throws(MigrationError) -> [UncopiedContent] {
    try reporting(path: path) {
      var copy = try ForeignTableCopy(connection, schema)
      for name in names { try copy.copy(name) }
      return copy.uncopied
    }
  }
}

/// The work of copying an app's own tables.
private struct ForeignTableCopy {
  private(set) var uncopied: [UncopiedContent] = []

  private let connection: Connection
  private let virtualTables: [[UInt8]]
  /// Tables and indexes share their names; those of the model's indexes are used only at the end.
  private var taken: Set<[UInt8]>

  private static let source = StoreWriter.sourceSchema

  init(_ connection: Connection, _ schema: StoreSchema) throws {
    self.connection = connection
    let names = try Self.strings("SELECT name FROM main.sqlite_schema", connection) + schema.objectNames
    taken = Set(names.map(\.sqlNameKey))
    virtualTables = try Self.strings(
      "SELECT name FROM \(Self.source).sqlite_schema WHERE type = 'table' AND rootpage = 0", connection
    ).map { ($0 + "_").sqlNameKey }
  }

  mutating func copy(_ name: String) throws {
    do {
      let table = try makeTable(name)
      taken.insert(name.sqlNameKey)
      try copyRows(of: table, named: name)
      try copyIndexes(of: name)
    } catch let reason as UncopiedContent.Reason {
      leave(name, reason)
    }
  }

  private mutating func leave(_ name: String, _ reason: UncopiedContent.Reason) {
    uncopied.append(UncopiedContent(name: name, reason: reason))
  }

  private func makeTable(_ name: String) throws -> PlainTable {
    let key = name.sqlNameKey
    guard !virtualTables.contains(where: { key.starts(with: $0) }) else {
      throw UncopiedContent.Reason.partOfVirtualTable
    }
    let query = """
      SELECT sql FROM \(Self.source).sqlite_schema
      WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name = \(name.quotedLiteral)
      """
    guard let sql = try connection.text(query) else { throw UncopiedContent.Reason.notATable }
    guard !taken.contains(key) else { throw UncopiedContent.Reason.nameTaken }
    let table = try PlainTable(sql)
    try create(table.createStatement(named: name))
    return table
  }

  /// Creates something; what SQLite does not understand has changed nothing.
  private func create(_ sql: String) throws {
    do throws(SQLiteError) {
      try connection.prepare(sql).run()
    } catch  where error.code == SQLiteError.general {
      throw UncopiedContent.Reason.unreadableDefinition
    }
  }

  private func copyRows(of table: PlainTable, named name: String) throws {
    let names = try columns("PRAGMA main.table_info(\(name.quotedIdentifier))")
    // A row's own number is hidden by a column of the same name. Where there is no room for it beside the columns, rows
    // are numbered anew, as `VACUUM` does as well.
    let known = Set(names.map(\.sqlNameKey))
    let hasRoom = names.count < connection.columnLimit
    let number = !hasRoom ? nil : ["rowid", "_rowid_", "oid"].first { !known.contains($0.sqlNameKey) }
    let list = ([table.hasRowID ? number : nil].compactMap { $0 } + names.map(\.quotedIdentifier))
      .joined(separator: ", ")
    try connection.execute(
      "INSERT INTO main.\(name.quotedIdentifier) (\(list)) SELECT \(list) FROM \(Self.source).\(name.quotedIdentifier)")
    guard table.isAutoincrementing else { return }
    let filter = "WHERE name = \(name.quotedLiteral)"
    try connection.execute("DELETE FROM main.sqlite_sequence \(filter)")
    try connection.execute(
      "INSERT INTO main.sqlite_sequence SELECT name, seq FROM \(Self.source).sqlite_sequence \(filter)")
  }

  private mutating func copyIndexes(of table: String) throws {
    let query = """
      SELECT name, sql FROM \(Self.source).sqlite_schema
      WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = \(table.quotedLiteral) ORDER BY name
      """
    let statement = try connection.prepare(query)
    while try statement.step() {
      let name = statement.text(0) ?? ""
      do {
        let index = try PlainIndex(statement.text(1) ?? "")
        guard taken.insert(index.name.sqlNameKey).inserted else { throw UncopiedContent.Reason.nameTaken }
        try create(index.createStatement(on: table))
      } catch let reason as UncopiedContent.Reason {
        leave(name, reason)
      }
    }
  }

  private func columns(_ pragma: String) throws -> [String] {
    let statement = try connection.prepare(pragma)
    var names: [String] = []
    while try statement.step() { names += [statement.text(1)].compactMap { $0 } }
    return names
  }

  private static func strings(_ query: String, _ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(query)
    var strings: [String] = []
    while try statement.step() { strings += [statement.text(0)].compactMap { $0 } }
    return strings
  }
}

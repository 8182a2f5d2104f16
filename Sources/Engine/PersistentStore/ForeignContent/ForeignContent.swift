package import MigrationDiagnostics
internal import SQLiteDatabase

extension StoreReader {
  /// Content of a store's file that its model does not require.
  package struct ForeignContent: Sendable, Hashable {
    /// The kind of such content.
    package enum Kind: Sendable, Hashable {
      /// A table of Core Data's persistent history.
      case persistentHistory
      /// A table with which Core Data mirrors the store to CloudKit.
      case cloudKitMirror
      /// A table of a spatial index, whose content is also in other tables.
      case spatialIndex
      /// Any other table, which belongs to the app.
      case app
      /// A column in a table of the model, or in one of the tables that every store has.
      case column
      /// Rows of a table of the model whose `Z_ENT` is not the number of a concrete entity, and rows of `Z_PRIMARYKEY` with a
      /// number or name that no entity of the model has or had.
      case rows
    }

    /// The name of a table or column, such as `ATRANSACTION` or `ZTRACK.ZRATING`.
    package let name: String
    /// The number of rows, or of values in the column.
    package let count: Int64
    package let kind: Kind
  }

  /// The tables and columns that a model does not know: those of persistent history or of a mirror, or an app's own.
  package func foreignContent(besides schema: StoreSchema) throws(MigrationError) -> [ForeignContent] {
    var known = Dictionary(
      schema.tables.map { ($0.name.sqlNameKey, Set((FoundColumns.fixed + $0.columns.map(\.name)).map(\.sqlNameKey))) },
      uniquingKeysWith: { $0.union($1) })
    for table in schema.joinTables {
      known[table.name.sqlNameKey] = Set((table.keyColumns + table.orderColumns).map(\.sqlNameKey))
    }
    for (table, columns) in StoreSchema.fixedTables { known[table.sqlNameKey] = Set(columns.map(\.sqlNameKey)) }
    let tables = try FoundTables(self)
    let kinds = try TableKinds(self)
    return try reporting(path: file.path) {
      var found: [ForeignContent] = []
      for table in tables.names {
        guard let columns = known[table.sqlNameKey] else {
          let count = try connection.integer("SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0
          found.append(ForeignContent(name: table, count: count, kind: kinds[table]))
          continue
        }
        let unknown = tables.columns(of: table).names.filter { !columns.contains($0.sqlNameKey) }
        for (column, count) in try valueCounts(of: unknown, in: table) {
          found.append(ForeignContent(name: "\(table).\(column)", count: count, kind: .column))
        }
      }
      for table in schema.tables where tables.name(for: table.name) != nil {
        let count = try strayRows(in: table, schema)
        if count > 0 {
          found.append(ForeignContent(name: "\(table.name): rows of no entity", count: count, kind: .rows))
        }
      }
      let numbers = Set(schema.entityNames.map { Int64(schema.entityNumber($0)) })
      let names = Set(schema.model.entities.flatMap { [$0.name, $0.renamingIdentifier] })
      let strangers = primaryKeys.count {
        !$0.isOfCoreData && !(numbers.contains($0.entityNumber) && names.contains($0.entityName))
      }
      if strangers > 0 {
        found.append(ForeignContent(name: "Z_PRIMARYKEY: rows of no entity", count: Int64(strangers), kind: .rows))
      }
      return found
    }
  }

  /// The number of values in each column; all rows are read once for a hundred columns.
  private func valueCounts(of columns: [String], in table: String) throws -> [(column: String, count: Int64)] {
    var counts: [(column: String, count: Int64)] = []
    for start in stride(from: 0, to: columns.count, by: 100) {
      let names = columns[start..<min(start + 100, columns.count)]
      let list = names.map { "count(\($0.quotedIdentifier))" }.joined(separator: ", ")
      let statement = try connection.prepare("SELECT \(list) FROM \(table.quotedIdentifier)")
      guard try statement.step() else { continue }
      counts += names.enumerated().map { ($1, statement.integer($0)) }
    }
    return counts
  }

  /// The number of rows that are instances of no entity.
  ///
  /// If a table has only one entity, its rows belong to that entity, whatever their `Z_ENT`.
  private func strayRows(in table: EntityTable, _ schema: StoreSchema) throws -> Int64 {
    let concrete = table.entityNames.filter { schema.model.entity(named: $0)?.isAbstract == false }
    if table.entityNames.count == 1, !concrete.isEmpty { return 0 }
    let numbers = concrete.map { String(schema.entityNumber($0)) }.joined(separator: ", ")
    return try connection.integer(
      "SELECT count(*) FROM \(table.name.quotedIdentifier) WHERE coalesce(Z_ENT, 0) NOT IN (\(numbers))") ?? 0
  }

  // MARK: - Foreign tables

  /// Finds the tables and indexes of an app's own that could not be copied to a new store, without copying anything.
  ///
  /// - Parameters:
  ///   - names: The tables, such as those of the kind `app` from `foreignContent(besides:)`.
  ///   - schema: The layout of the new store.
  package func uncopiableTables(
    among names: [String], to schema: StoreSchema
  ) throws(MigrationError) -> [DroppedContent] {
    try reporting(path: file.path) {
      var tables = try ForeignTables(connection, database: "main", taken: schema.objectNames)
      for name in names {
        guard tables.table(name) != nil else { continue }
        _ = tables.plainIndexes(of: name)
      }
      return tables.uncopied
    }
  }
}

extension StoreWriter {
  /// Copies tables of the app's own from the attached source, with their rows and indexes.
  ///
  /// Nothing that the author of the source wrote is run: tables and indexes are recreated from their parsed definitions, and
  /// those that do more than declare are left out, like triggers. Row ids are kept.
  ///
  /// - Parameter names: The tables, such as those of the kind `app` from `foreignContent(besides:)`.
  /// - Returns: The tables and indexes that could not be copied; all other tables are complete.
  /// - Throws: `MigrationError` if rows cannot be read or written.
  package func copyForeignTables(_ names: [String]) throws(MigrationError) -> [DroppedContent] {
    try reporting(path: path) {
      var copy = try ForeignTableCopy(connection, schema)
      for name in names { try copy.copy(name) }
      return copy.uncopied
    }
  }
}

/// An app's own tables as declared in the schema of their file.
private struct ForeignTables {
  /// The tables and indexes that cannot be recreated.
  private(set) var uncopied: [DroppedContent] = []

  // The schema is read once, for every search in it reads all of it.
  /// The statements of the tables that have pages, by their names.
  private var statements: [[UInt8]: String] = [:]
  /// The indexes that statements have made, by the names of their tables, sorted by their own.
  private var indexes: [[UInt8]: [(name: String, sql: String)]] = [:]
  private let virtualTables: Set<[UInt8]>
  /// Tables and indexes share their names.
  private var taken: Set<[UInt8]>

  /// Prepares to inspect tables.
  ///
  /// - Parameters:
  ///   - database: The schema name of their file in the connection.
  ///   - taken: The names that the new store uses for something else.
  init(_ connection: Connection, database: String, taken: [String]) throws {
    self.taken = Set(taken.map(\.sqlNameKey))
    virtualTables = Set(try connection.virtualTables(in: database).map(\.sqlNameKey))
    let rows = try connection.prepare(
      """
      SELECT type, name, tbl_name, sql FROM \(database).sqlite_schema WHERE sql IS NOT NULL AND (
        type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR type = 'index')
      ORDER BY name
      """)
    while try rows.step() {
      guard let name = rows.text(1), let sql = rows.text(3) else { continue }
      if rows.text(0) == "table" {
        statements[name.sqlNameKey] = sql
      } else if let table = rows.text(2) {
        indexes[table.sqlNameKey, default: []].append((name, sql))
      }
    }
  }

  /// Records that something cannot be recreated.
  mutating func leave(_ name: String, _ reason: DroppedContent.Reason) {
    uncopied.append(DroppedContent(name: name, reason: reason))
  }

  /// The table with a name, if it can be recreated.
  mutating func table(_ name: String) -> PlainTable? {
    let key = name.sqlNameKey
    do throws(DroppedContent.Reason) {
      guard !isPartOfVirtualTable(key) else { throw .partOfVirtualTable }
      guard let sql = statements[key] else { throw .notATable }
      guard !taken.contains(key) else { throw .nameTaken }
      let table = try PlainTable(sql)
      taken.insert(key)
      return table
    } catch {
      leave(name, error)
      return nil
    }
  }

  /// Whether a table has the name of a virtual table and a suffix, as the tables in which those keep their data.
  private func isPartOfVirtualTable(_ key: [UInt8]) -> Bool {
    key.indices.contains { key[$0] == UInt8(ascii: "_") && virtualTables.contains(Array(key[..<$0])) }
  }

  /// The indexes of a table that can be recreated, sorted by name.
  mutating func plainIndexes(of table: String) -> [(name: String, index: PlainIndex)] {
    var found: [(name: String, index: PlainIndex)] = []
    for (name, sql) in indexes[table.sqlNameKey] ?? [] {
      do throws(DroppedContent.Reason) {
        let index = try PlainIndex(sql)
        guard taken.insert(index.name.sqlNameKey).inserted else { throw .nameTaken }
        found.append((name, index))
      } catch {
        leave(name, error)
      }
    }
    return found
  }
}

/// Copies an app's own tables.
private struct ForeignTableCopy {
  private let connection: Connection
  private var tables: ForeignTables

  private static let source = StoreWriter.sourceDatabaseName

  init(_ connection: Connection, _ schema: StoreSchema) throws {
    self.connection = connection
    // The model's indexes do not exist until the end.
    let names = try connection.strings("SELECT name FROM main.sqlite_schema") + schema.objectNames
    tables = try ForeignTables(connection, database: Self.source, taken: names)
  }

  var uncopied: [DroppedContent] { tables.uncopied }

  mutating func copy(_ name: String) throws {
    guard let table = tables.table(name), try create(table.createStatement(named: name), name) else { return }
    try copyRows(of: table, named: name)
    for (indexName, index) in tables.plainIndexes(of: name) {
      _ = try create(index.createStatement(on: name), indexName)
    }
  }

  /// Runs a statement that creates something, if SQLite understands it.
  private mutating func create(_ sql: String, _ name: String) throws -> Bool {
    do throws(SQLiteError) {
      try connection.prepare(sql).run()
      return true
    } catch  where error.code == SQLiteError.general {
      tables.leave(name, .unreadableDefinition)
      return false
    }
  }

  private func copyRows(of table: PlainTable, named name: String) throws {
    let names = try connection.plainColumns(of: name)
    // A column can hide the row id by its name. If there is no room for another column, rows get new row ids, as with
    // `VACUUM`.
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
}

package import DataModel
package import MigrationDiagnostics
internal import PropertyListFormat
internal import SQLiteDatabase

/// A table or an index as the schema of a file declares it: a row of `sqlite_schema`.
package struct SchemaEntry: Sendable, Hashable {
  /// `table`, `index`, `trigger` or `view`.
  package let type: String
  /// Its own name.
  package let name: String
  /// The table that it belongs to.
  package let table: String
  /// The root page; 0 if it has none.
  package let rootPage: Int
  /// The statement that created it; `nil` for the index of a constraint.
  package let sql: String?

  /// Creates an entry.
  package init(type: String, name: String, table: String, rootPage: Int, sql: String?) {
    (self.type, self.name, self.table, self.rootPage, self.sql) = (type, name, table, rootPage, sql)
  }
}

/// An empty store with the tables that the schema of a file declares, to find out the layout of a file that SQLite cannot
/// open.
///
/// Nothing of the file is run: statements are parsed, and written again from their tokens.
package final class StoreSkeleton {
  /// A column of a table.
  package struct Column: Sendable, Hashable {
    /// The name.
    package let name: String
    /// Whether rows that were written before the column was added have another value than NULL.
    package let hasDefault: Bool

    /// Creates a column.
    package init(name: String, hasDefault: Bool = false) { (self.name, self.hasDefault) = (name, hasDefault) }
  }

  private let folder: ScratchFolder
  private let entries: [SchemaEntry]
  private let primaryKeys: [PrimaryKeyRow]
  private let metadata: StoreMetadata
  private let encoding: String
  private var columnsByTable: [[UInt8]: [Column]] = [:]
  /// The tables whose definitions are not used.
  private var replacedTables: Set<[UInt8]> = []
  /// The columns of the last layout that its tables do not have, as `TABLE.COLUMN`.
  package private(set) var missingColumns: [String] = []
  private var fileCount = 0
  /// The tables that a statement without expressions declares, by their names as SQLite compares them.
  private var tables: [[UInt8]: String] = [:]

  /// Prepares to build stores.
  ///
  /// - Parameters:
  ///   - entries: The schema, as far as it is known.
  ///   - metadata: The metadata, if they are known.
  ///   - primaryKeys: The rows of `Z_PRIMARYKEY`, as far as they are known.
  ///   - encoding: The encoding of text.
  package init(
    _ entries: [SchemaEntry], metadata: StoreMetadata?, primaryKeys: [PrimaryKeyRow], encoding: String
  ) throws(MigrationError) {
    folder = try ScratchFolder()
    (self.entries, self.primaryKeys, self.encoding) = (entries, primaryKeys, encoding)
    self.metadata = metadata ?? StoreMetadata(uuid: "", properties: [:])
    for entry in entries where entry.type == "table" && entry.rootPage > 0 {
      let key = entry.name.sqlNameKey
      guard tables[key] == nil, !key.starts(with: "sqlite_".utf8), !Self.fixedNames.contains(key),
        let table = try? PlainTable(storedColumnsOf: entry.sql ?? "")
      else { continue }
      tables[key] = table.createStatement(named: entry.name)
    }
  }

  private static let fixedNames = Set(StoreSchema.fixedTableNames.map(\.sqlNameKey))

  /// The layout of the file for a model.
  ///
  /// - Parameter isCertain: Whether the file certainly has this model. Then a table may lack columns, whose values are
  ///   missing; the definition of another model's table is taken for a damaged one.
  /// - Returns: Beside it, whether tables or entities are missing in what is known of the file, or cannot be used, and are
  ///   taken from a new store.
  /// - Throws: `MigrationError` if the file has another model.
  package func layout(
    of model: ManagedObjectModel, isCertain: Bool = false
  ) throws(MigrationError) -> (schema: StoreSchema, isCompleted: Bool) {
    let fresh = StoreSchema(model)
    replacedTables = []
    do throws(MigrationError) {
      return (try layout(of: model, completing: nil), false)
    } catch let error where error.code == .damaged {}
    do throws(MigrationError) {
      return (try layout(of: model, completing: fresh, collecting: isCertain ? LayoutGaps() : nil), true)
    } catch let error where error.code == .damaged {
      // A definition may be damaged itself.
      replacedTables = Set((fresh.tables.map(\.name) + fresh.joinTables.map(\.name)).map(\.sqlNameKey))
      return (try layout(of: model, completing: fresh), true)
    }
  }

  private func layout(
    of model: ManagedObjectModel, completing fresh: StoreSchema?, collecting gaps: LayoutGaps? = nil
  ) throws(MigrationError) -> StoreSchema {
    let path = try build(completing: fresh)
    (columnsByTable, missingColumns) = ([:], [])
    let reader = try StoreReader(path: path)
    let schema = try StoreSchema(model, introspecting: reader, collecting: gaps)
    for table in schema.tables.map(\.name) + schema.joinTables.map(\.name) {
      columnsByTable[table.sqlNameKey] = try reporting(path: path) { try Self.columns(of: table, reader.connection) }
    }
    try reader.close()
    var renamed: Set<[UInt8]> = []
    for gap in gaps?.all ?? [] {
      guard case .column(let column) = gap.part else { continue }
      missingColumns.append("\(gap.table).\(column.name)")
      // A damaged name leaves the number of columns what it was.
      let count = fresh?.tables.first { $0.name.sqlNameKey == gap.table.sqlNameKey }?.columns.count
      if columns(of: gap.table).count - FoundColumns.fixed.count == count { renamed.insert(gap.table.sqlNameKey) }
    }
    guard !renamed.isSubset(of: replacedTables) else { return schema }
    replacedTables.formUnion(renamed)
    return try layout(of: model, completing: fresh, collecting: LayoutGaps())
  }

  /// Builds an empty store.
  private func build(completing fresh: StoreSchema?) throws(MigrationError) -> String {
    fileCount += 1
    let path = folder.path("Skeleton-\(fileCount).sqlite")
    try reporting(path: path) {
      let connection = try Connection(path: path, access: .create)
      try connection.execute("PRAGMA encoding = \(encoding.quotedLiteral); PRAGMA synchronous = OFF; BEGIN")
      for statement in StoreSchema.fixedTableStatements { try connection.execute(statement) }
      var names = Self.fixedNames
      for (key, statement) in tables.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
      where !replacedTables.contains(key) {
        // A statement of a damaged page may be none.
        if (try? connection.execute(statement)) != nil { names.insert(key) }
      }
      for table in fresh?.tables ?? [] where !names.contains(table.name.sqlNameKey) {
        try connection.execute(table.createStatement)
      }
      for table in fresh?.joinTables ?? [] where !names.contains(table.name.sqlNameKey) {
        try connection.execute(table.createStatement)
      }
      for row in primaryKeys + missingKeys(of: fresh) { try Self.insert(row, connection) }
      let statement = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
      try statement.bind(metadata.uuid, at: 1)
      try statement.bind(PropertyList.dictionary(metadata.properties).binary(), at: 2)
      try statement.run()
      try connection.execute("COMMIT")
    }
    return path
  }

  /// The rows of `Z_PRIMARYKEY` that a new store has, for entities without one.
  private func missingKeys(of fresh: StoreSchema?) -> [PrimaryKeyRow] {
    guard let fresh else { return [] }
    let (names, numbers) = (Set(primaryKeys.map(\.entityName)), Set(primaryKeys.map(\.entityNumber)))
    return fresh.entityNames.compactMap { name in
      let number = Int64(fresh.entityNumber(name))
      guard !names.contains(name), !numbers.contains(number) else { return nil }
      let parent = fresh.model.entity(named: name)?.superentityName.map { fresh.entityNumber($0) } ?? 0
      return PrimaryKeyRow(
        entityNumber: number, entityName: name, superentityNumber: Int64(parent), greatestKey: 0)
    }
  }

  private static func insert(_ row: PrimaryKeyRow, _ connection: Connection) throws {
    let statement = try connection.prepare("INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)")
    try statement.bind(row.entityNumber, at: 1)
    try statement.bind(row.entityName, at: 2)
    try statement.bind(row.superentityNumber, at: 3)
    try statement.bind(row.greatestKey, at: 4)
    try statement.run()
  }

  private static func columns(of table: String, _ connection: Connection) throws -> [Column] {
    let statement = try connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    var columns: [Column] = []
    while try statement.step() {
      let value = statement.text(4)
      columns.append(
        Column(name: statement.text(1) ?? "", hasDefault: value.map { $0.uppercased() != "NULL" } ?? false))
    }
    return columns
  }

  // MARK: - Questions

  /// The columns of a table of the last layout, in the order in which rows have them.
  package func columns(of table: String) -> [Column] { columnsByTable[table.sqlNameKey] ?? [] }

  /// Whether the schema declares a table of the last layout.
  package func declares(_ table: String) -> Bool {
    tables[table.sqlNameKey] != nil && !replacedTables.contains(table.sqlNameKey)
  }

  /// The entry of a table.
  package func entry(ofTable table: String) -> SchemaEntry? {
    entries.first { $0.type == "table" && $0.name.sqlNameKey == table.sqlNameKey }
  }

  /// The indexes of a join table that have both keys and nothing else.
  ///
  /// - Returns: Their root pages, and whether they begin with the second key.
  package func indexes(of table: JoinTable) -> [(rootPage: Int, isSwapped: Bool)] {
    let keys = table.keyColumns.map(\.sqlNameKey)
    let declared = columns(of: table.name).prefix(2).map(\.name.sqlNameKey)
    return entries.filter { $0.type == "index" && $0.table.sqlNameKey == table.name.sqlNameKey && $0.rootPage > 0 }
      .compactMap { entry in
        // The index of the primary key has no statement of its own.
        let columns = entry.sql.map { sql in (try? PlainIndex(sql))?.columns?.map(\.sqlNameKey) } ?? declared
        return columns == keys ? (entry.rootPage, false) : columns == keys.reversed() ? (entry.rootPage, true) : nil
      }
  }
}

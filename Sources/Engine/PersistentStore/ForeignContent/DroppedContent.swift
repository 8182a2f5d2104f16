internal import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase

/// Something in a store's file that was not copied to the new store, and why.
public struct DroppedContent: Sendable, Hashable {
  /// A reason why something was not copied.
  public enum Reason: String, Error, Sendable, Hashable {
    /// The source has no such table, or only a view or a virtual table.
    case notATable = "not-a-table"
    /// The table stores the data of a virtual table.
    case partOfVirtualTable = "part-of-virtual-table"
    /// The new store has a table or index of this name.
    case nameTaken = "name-taken"
    /// Its definition contains an expression, which would have to be run.
    case expression
    /// It sorts text with a collation that only the app has.
    case collation
    /// It is a trigger: a program.
    case trigger
    /// It is a view: a query, which would have to be run.
    case view
    /// It is a virtual table of an SQLite module or of the app.
    case virtualTable = "virtual-table"
    /// It is an index of the app's own on a table of Core Data's.
    case indexOfModelTable = "index-of-model-table"
    /// Rows of `Z_METADATA` or `Z_MODELCACHE` other than the one that Core Data reads.
    case furtherMetadata = "further-metadata"
    /// It names rows by entity numbers and keys that the new store does not have.
    case otherKeys = "other-keys"
    /// Its definition cannot be read.
    case unreadableDefinition = "unreadable-definition"

    /// The reason as text for people.
    public var explanation: String {
      switch self {
      case .notATable: "it is not a plain table"
      case .partOfVirtualTable: "it is part of a virtual table"
      case .nameTaken: "its name is taken by a table or index of the new version"
      case .expression: "its definition holds an expression, which would have to be run"
      case .collation: "it sorts text by a rule that only the app knows"
      case .trigger: "it is a trigger, which would have to be run"
      case .view: "it is a view, which would have to be run"
      case .virtualTable: "it is a virtual table"
      case .indexOfModelTable: "it is an index of the app's own on a table of Core Data's"
      case .furtherMetadata: "they are rows besides the one that Core Data reads"
      case .otherKeys: "it names rows by entity numbers and keys that the new version gives anew"
      case .unreadableDefinition: "its definition cannot be read"
      }
    }
  }

  /// The name of the table, view, index or trigger; for a column with its table, such as `ZTRACK.ZRATING`.
  public let name: String
  /// The reason why it was not copied.
  public let reason: Reason

  package init(name: String, reason: Reason) {
    (self.name, self.reason) = (name, reason)
  }
}

extension StoreReader {
  /// Content that migrations never carry over and that neither Core Data nor SQLite has made: views, virtual tables,
  /// triggers, indexes and computed columns of Core Data's tables, and additional rows of metadata or of the model cache.
  ///
  /// Core Data's own triggers and tables are recognized by name, whatever the model: migrations in place leave some behind
  /// that belong to earlier versions. Its indexes are also recognized by what they index. For an app's own tables, see
  /// `uncopiableTables(among:to:)`.
  ///
  /// - Parameter schema: The layout of the store.
  package func droppedContent(besides schema: StoreSchema) throws(MigrationError) -> [DroppedContent] {
    let names = schema.tables.map(\.name) + schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    let ownTables = Set(names.map(\.sqlNameKey))
    let entityTables = Dictionary(
      schema.tables.map { ($0.name.sqlNameKey, $0) }, uniquingKeysWith: { first, _ in first })
    return try reporting(path: file.path) {
      var found: [DroppedContent] = []
      var tables: [String] = []
      var partialIndexes: Set<[UInt8]> = []
      for table in ownTables {
        let indexes = try connection.prepare("SELECT name FROM pragma_index_list(?1, 'main') WHERE partial")
        try indexes.bind(String(decoding: table, as: UTF8.self), at: 1)
        while try indexes.step() { partialIndexes.insert((indexes.text(0) ?? "").sqlNameKey) }
      }
      // Tables, indexes and views share their names; triggers have their own, and come last.
      var taken: Set<[UInt8]> = []
      let statement = try connection.prepare(
        """
        SELECT type, name, tbl_name, \(Connection.isPlainTable), sql FROM sqlite_schema
        WHERE sql IS NOT NULL ORDER BY type = 'trigger', name
        """)
      while try statement.step() {
        let (type, name, tableName) = (statement.text(0), statement.text(1) ?? "", statement.text(2) ?? "")
        let reason: DroppedContent.Reason? =
          switch type {
          case "view": .view
          case "table": statement.integer(3) == 1 || CoreDataName.isSpatialIndex(name) ? nil : .virtualTable
          case "trigger": CoreDataName.isTrigger(name) ? nil : .trigger
          case "index" where ownTables.contains(tableName.sqlNameKey):
            try TableIndex(
              named: name, sql: statement.text(4) ?? "", hasCondition: partialIndexes.contains(name.sqlNameKey),
              in: connection
            ).isOfCoreData(schema.model, table: tableName, of: entityTables[tableName.sqlNameKey])
              ? nil : .indexOfModelTable
          default: nil
          }
        if let reason {
          let isShared = type == "trigger" && taken.contains(name.sqlNameKey)
          found.append(DroppedContent(name: isShared ? "trigger \(name)" : name, reason: reason))
        } else if type == "table", ownTables.contains(name.sqlNameKey) {
          tables.append(name)
        }
        taken.insert(name.sqlNameKey)
      }
      for table in tables {
        let columns = try connection.prepare("PRAGMA main.table_xinfo(\(table.quotedIdentifier))")
        // 1 is a hidden column of a virtual table; computed ones are 2 and 3.
        while try columns.step() {
          guard columns.integer(6) > 1 else { continue }
          found.append(DroppedContent(name: "\(table).\(columns.text(1) ?? "")", reason: .expression))
        }
      }
      for table in ["Z_METADATA", "Z_MODELCACHE"] where try connection.hasPlainTable(table) {
        guard try connection.integer("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT 2)") == 2 else { continue }
        found.append(DroppedContent(name: "\(table): further rows", reason: .furtherMetadata))
      }
      return found
    }
  }
}

/// Recognizes by name what Core Data makes by itself.
enum CoreDataName {
  /// Triggers of derived attributes, of spatial indexes, or requested in the model's user info.
  static func isTrigger(_ name: String) -> Bool {
    ["Z_DA_", "Z_RT_", "ZT_"].contains { name.hasPrefix($0) }
  }

  static func isSpatialIndex(_ table: String) -> Bool { table.hasPrefix("Z_RT_") }
}

/// An index of a table of the model, by its definition.
private struct TableIndex {
  let name: String
  let isUnique: Bool
  let hasCondition: Bool
  /// Its columns, in their order; `nil` for an expression.
  let columns: [String?]
  /// Whether it compares all text byte by byte.
  let isBinary: Bool
  /// Whether its statement says so, as in Core Data's statements for the indexes of a model.
  let writesCollation: Bool

  init(named name: String, sql: String, hasCondition: Bool, in connection: Connection) throws(SQLiteError) {
    (self.name, self.hasCondition) = (name, hasCondition)
    writesCollation = sql.contains(" COLLATE BINARY ")
    var (columns, isBinary): ([String?], Bool) = ([], true)
    let parts = try connection.prepare("PRAGMA main.index_xinfo(\(name.quotedIdentifier))")
    // SQLite adds the columns that follow.
    while try parts.step() {
      guard parts.integer(5) == 1 else { continue }
      columns.append(parts.integer(1) >= -1 ? parts.text(2) ?? "Z_PK" : nil)
      isBinary = isBinary && parts.text(4) == "BINARY"
    }
    (self.columns, self.isBinary) = (columns, isBinary)
    // SQLite writes the beginning itself.
    isUnique = sql.hasPrefix("CREATE UNIQUE ")
  }

  /// Whether Core Data makes such an index: it has only columns, and is named after its table and these columns, or after an
  /// entity of the table.
  ///
  /// - `ZTRACK_ZALBUM_INDEX`, `ZTRACK_Z_ENT_INDEX`, `Z_1TRACKS_Z_2TRACKS_INDEX` (of both keys, named after the first),
  ///   and in old stores `ZTRACK_ZTITLE_ZALBUM`;
  /// - `Z_Track_UNIQUE_title` and `Z_Track_byTitle`, with the collation written out.
  ///
  /// - Parameter table: The table, if it holds instances.
  func isOfCoreData(_ model: ManagedObjectModel, table tableName: String, of table: EntityTable?) -> Bool {
    let columns = columns.compactMap { $0 }
    guard columns.count == self.columns.count, isBinary else { return false }
    let entities = (table?.entityNames ?? []).compactMap { model.entity(named: $0) }
    if isNamed(after: [tableName] + columns) {
      return !hasCondition && (!isUnique || entities.contains { !$0.uniquenessConstraints.isEmpty })
    }
    if table == nil { return !hasCondition && !isUnique && isNamed(after: [tableName] + columns.prefix(1)) }
    return writesCollation && entities.contains { isNamed(after: $0, columns) }
  }

  /// Whether the name consists of these parts, possibly with a suffix.
  private func isNamed(after parts: [String]) -> Bool {
    let stem = parts.joined(separator: "_")
    return [stem, stem + "_INDEX"].contains { Self.withoutNumbers($0) == Self.withoutNumbers(name) }
  }

  private func isNamed(after entity: EntityDescription, _ columns: [String]) -> Bool {
    guard name.hasPrefix("Z_\(entity.name)_") else { return false }
    let own = String(name.dropFirst("Z_\(entity.name)_".count))
    if isUnique {
      guard !hasCondition, own.hasPrefix("UNIQUE_") else { return false }
      let (named, keys) = (own.dropFirst(7), columns.map { $0.dropFirst() }.joined(separator: "_"))
      // The name has that of a composite attribute, or the path to an element, and not the names of the columns.
      let constraint = entity.uniquenessConstraints.first { $0.joined(separator: "_") == named }
      let stems = constraint?.flatMap { entity.indexedProperties(named: $0) }.map(\.columnStem)
      return Self.withoutNumbers((stems?.joined(separator: "_") ?? String(named)).uppercased())
        == Self.withoutNumbers(keys.uppercased())
    }
    return !hasCondition || entity.fetchIndexes.contains { $0.name == own && $0.partialIndexPredicate != nil }
  }

  /// A name without its digits: the numbers of entities change with the model, while an index keeps its name.
  private static func withoutNumbers(_ name: String) -> [UInt8] {
    name.utf8.filter { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension String {
  /// This table name as text for people: it may be empty.
  package var shownTableName: String { isEmpty ? "a table without a name" : self }
}

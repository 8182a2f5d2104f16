public import MigrationDiagnostics
internal import SQLiteDatabase

/// Something in a store's file that was not copied to the new store, and why.
public struct DroppedContent: Sendable, Hashable {
  /// Why something was not copied.
  public enum Reason: String, Error, Sendable, Hashable {
    /// The source has no such table, or only a view or a virtual table.
    case notATable = "not-a-table"
    /// The table holds the data of a virtual table.
    case partOfVirtualTable = "part-of-virtual-table"
    /// The new store has a table or index of this name.
    case nameTaken = "name-taken"
    /// Its definition holds an expression, which would have to be run.
    case expression
    /// It sorts text by a rule that only the app knows.
    case collation
    /// It is a trigger: a program.
    case trigger
    /// It is a view: a query, which would have to be run.
    case view
    /// It is a table that a module of SQLite's or the app's makes up.
    case virtualTable = "virtual-table"
    /// It is an index of the app's own on a table of Core Data's.
    case indexOfModelTable = "index-of-model-table"
    /// They are rows of `Z_METADATA` or `Z_MODELCACHE` besides the one that Core Data reads.
    case furtherMetadata = "further-metadata"
    /// Its definition cannot be read.
    case unreadableDefinition = "unreadable-definition"

    /// The reason for people.
    package var explanation: String {
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
      case .unreadableDefinition: "its definition cannot be read"
      }
    }
  }

  /// The name of the table, view, index or trigger; of a column with its table, such as `ZTRACK.ZRATING`.
  public let name: String
  /// Why it was not copied.
  public let reason: Reason
}

extension StoreReader {
  /// What no migration carries over and neither Core Data nor SQLite has made: views, virtual tables, triggers, indexes and
  /// computed columns of Core Data's tables, and further rows of metadata or of the model that the store keeps.
  ///
  /// What is Core Data's own is told by its name, whatever the model: migrations in place leave some of it behind that was
  /// made for earlier versions. Of an app's own tables, `uncopiableTables(among:to:)` tells.
  ///
  /// - Parameter schema: The layout of the store.
  public func droppedContent(besides schema: StoreSchema) throws(MigrationError) -> [DroppedContent] {
    let names = schema.tables.map(\.name) + schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    let ownTables = Set(names.map(\.sqlNameKey))
    let uniqueTables = schema.uniqueTableNames
    return try reporting(path: file.path) {
      var found: [DroppedContent] = []
      var tables: [String] = []
      // Tables, indexes and views share their names; triggers have their own, and come last.
      var taken: Set<[UInt8]> = []
      let statement = try connection.prepare(
        """
        SELECT type, name, tbl_name, \(Connection.isPlainTable), sql LIKE 'CREATE UNIQUE %' FROM sqlite_schema
        WHERE sql IS NOT NULL ORDER BY type = 'trigger', name
        """)
      while try statement.step() {
        let (type, name, table) = (statement.text(0), statement.text(1) ?? "", statement.text(2)?.sqlNameKey ?? [])
        let reason: DroppedContent.Reason? =
          switch type {
          case "view": .view
          case "table": statement.integer(3) == 1 || CoreDataName.isSpatialIndex(name) ? nil : .virtualTable
          case "trigger": CoreDataName.isTrigger(name) ? nil : .trigger
          case "index" where ownTables.contains(table):
            CoreDataName.isIndex(name, mayBeUnique: uniqueTables.contains(table), isUnique: statement.integer(4) == 1)
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

extension StoreSchema {
  /// The tables of entities that ask for unique values.
  fileprivate var uniqueTableNames: Set<[UInt8]> {
    let names = tables.filter { table in
      table.entityNames.contains { model.entity(named: $0)?.uniquenessConstraints.isEmpty == false }
    }
    return Set(names.map(\.name.sqlNameKey))
  }
}

/// Tells by its name what Core Data makes by itself.
private enum CoreDataName {
  /// Of a derived attribute, of a spatial index, or of what the model's user info asks for.
  static func isTrigger(_ name: String) -> Bool {
    ["Z_DA_", "Z_RT_", "ZT_"].contains { name.hasPrefix($0) }
  }

  static func isSpatialIndex(_ table: String) -> Bool { table.hasPrefix("Z_RT_") }

  /// `Z_Track_byTitle`, `Z_Track_UNIQUE_title`, `Z_1TRACKS_Z_2TRACKS_INDEX`; `ZTRACK_ZALBUM_INDEX`, `ZTRACK_Z_ENT_INDEX`,
  /// and in old stores `ZTRACK_ZTITLE_ZALBUM`.
  static func isIndex(_ name: String, mayBeUnique: Bool, isUnique: Bool) -> Bool {
    if name.hasPrefix("Z_") { return true }
    // How Core Data writes letters beyond ASCII in capitals is not known for certain.
    let isCapital = !name.utf8.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    return name.hasPrefix("Z") && name.contains("_Z") && isCapital && (mayBeUnique || !isUnique)
  }
}

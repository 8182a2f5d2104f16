package import DataModel
internal import MigrationDiagnostics
internal import SQLiteDatabase

/// The layout of a model in SQLite: its tables, columns and indexes.
///
/// `init(_:)` is the layout of a new store, in the form of the newest known framework version (866 and later), whatever
/// the version of the migrated store: newer and older frameworks can read it. `init(_:introspecting:)` is the actual layout
/// of a file, for reading.
package struct StoreSchema: Sendable {
  /// The model that is laid out.
  package let model: ManagedObjectModel
  /// One table for each root entity, in the order of entity numbers.
  package let tables: [EntityTable]
  /// One table for each many-to-many relationship and its inverse.
  package let joinTables: [JoinTable]
  /// The join tables whose names are best guesses: the known part of Core Data's rule does not determine which side names
  /// them.
  package private(set) var doubtfulJoinTables: [JoinTable] = []
  /// The entity names in the order of their numbers.
  package let entityNames: [String]
  /// Whether the store keeps its text as UTF-8.
  ///
  /// SQLite compares the stored bytes: in a UTF-16 store, text has a different order.
  package internal(set) var keepsTextAsUTF8 = true

  /// The layouts of properties.
  package let layouts: PropertyLayouts

  private let numbering: EntityNumbering

  /// Creates the layout of a new store.
  package init(_ model: ManagedObjectModel, joinTables naming: JoinTableNaming = JoinTableNaming()) {
    let numbering = EntityNumbering(model)
    let joinTables = JoinTable.all(in: model, numbering: numbering, naming: naming)
    self.init(
      model, numbering: numbering, tables: EntityTable.all(in: model, numbering: numbering),
      joinTables: joinTables.map(\.table))
    doubtfulJoinTables = joinTables.filter(\.isDoubtful).map(\.table)
  }

  init(_ model: ManagedObjectModel, numbering: EntityNumbering, tables: [EntityTable], joinTables: [JoinTable]) {
    self.model = model
    self.numbering = numbering
    self.tables = tables
    self.joinTables = joinTables
    layouts = PropertyLayouts(model, tables: tables, joinTables: joinTables)
    entityNames = numbering.namesByNumber
  }

  /// The number (`Z_ENT`) of an entity.
  package func entityNumber(_ entityName: String) -> Int { numbering[entityName] }

  /// The table that holds the instances of an entity.
  package func table(forEntityNamed name: String) -> EntityTable? { layouts.table(forEntityNamed: name) }

  /// The column of an attribute or to-one relationship, own or inherited.
  ///
  /// Sibling entities in one table can have properties with the same name; each has its own column.
  package func column(forProperty property: String, ofEntityNamed entity: String) -> EntityTable.Column? {
    table(forEntityNamed: entity)?.column(forProperty: property, ofEntities: layouts.lineages[entity] ?? [])
  }

  /// The join table of a many-to-many relationship, own or inherited, named from either side.
  package func joinTable(forRelationship relationship: String, ofEntityNamed entity: String) -> JoinTable? {
    layouts.links(ofRelationship: relationship, ofEntityNamed: entity)?.table
  }

  /// The relationships, given as `Entity.relationship`, that no join table is named after.
  package func relationshipsWithoutJoinTable(among names: [String]) -> [String] {
    names.filter { name in
      let end = JoinTableEnd(name)
      return end.flatMap { layouts.links(ofRelationship: $0.relationship, ofEntityNamed: $0.entity) }?.isNaming != true
    }
  }

  /// The first of these relationships whose table Core Data certainly names after the inverse, and that inverse.
  ///
  /// Certain are the tables between two entities. Ask a schema in which no names were chosen.
  package func contradiction(among names: [String]) -> (name: String, naming: String)? {
    for name in names {
      guard let end = JoinTableEnd(name),
        let links = layouts.links(ofRelationship: end.relationship, ofEntityNamed: end.entity), !links.isNaming,
        case let naming = links.table.naming, naming.entityName != links.table.inverse.entityName,
        !doubtfulJoinTables.contains(links.table)
      else { continue }
      return (name, "\(naming.entityName).\(naming.relationshipName)")
    }
    return nil
  }

  /// The statements that create the tables, in the order in which Core Data writes them.
  package var tableStatements: [String] {
    let joinTables = joinTablesByTable
    return tables.flatMap { table in
      [table.createStatement] + (joinTables[table.name] ?? []).map(\.createStatement)
    }
  }

  /// The statements that create the indexes.
  package var indexStatements: [String] { indexes.map(\.createStatement) }

  /// The indexes, in the order in which Core Data creates them.
  var indexes: [SchemaIndex] {
    var known: Set<SchemaIndex> = []
    let joinTables = joinTablesByTable
    // An attribute may be marked as indexed and also have an index with its name, which is the same index.
    return tables.flatMap { table in
      table.keyIndexes + (joinTables[table.name] ?? []).map(\.index) + table.fetchIndexes
    }.filter { known.insert($0).inserted }
  }

  /// The columns whose values must be unique, together, each with their table.
  package var uniqueColumns: [(table: String, columns: [String])] {
    indexes.filter { $0.purpose == .uniqueness }.map { ($0.table, $0.columns) }
  }

  /// The join tables, by the table of the entity that names them.
  private var joinTablesByTable: [String: [JoinTable]] {
    Dictionary(grouping: joinTables) { table(forEntityNamed: $0.naming.entityName)?.name ?? "" }
  }

  /// The tables that every store has, created after all others.
  package static let fixedTableStatements = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  /// Those tables with their columns.
  static let fixedTables = [
    ("Z_PRIMARYKEY", PrimaryKeyRow.columns), ("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"]),
    ("Z_MODELCACHE", ["Z_CONTENT"]),
  ]

  /// The names of those tables.
  package static let fixedTableNames = fixedTables.map(\.0)
}

extension StoreSchema {
  /// The names of all tables and indexes that a store of this layout has.
  var objectNames: [String] {
    tables.map(\.name) + joinTables.map(\.name) + Self.fixedTableNames + indexes.map(\.name)
  }

  /// Checks before any work that SQLite can store this layout.
  ///
  /// - Throws: `MigrationError` for a table with too many columns, a name that SQLite does not support, or two tables or
  ///   indexes with the same name.
  func requireWritable(path: String) throws(MigrationError) {
    for table in tables {
      let root = table.entityNames.first ?? ""
      let count = table.columns.count + FoundColumns.fixed.count
      guard count <= Self.columnLimit else {
        throw Self.fault(path, root, "its table would have \(count) columns, and SQLite's limit is \(Self.columnLimit)")
      }
      for name in [table.name] + table.columns.map(\.name) { try Self.requireUsable(name, path, root) }
    }
    for table in joinTables { try Self.requireUsable(table.name, path, table.naming.entityName) }
    var names: Set<[UInt8]> = []
    for name in objectNames {
      try Self.requireUsable(name, path, nil)
      guard names.insert(name.sqlNameKey).inserted else {
        throw Self.fault(path, nil, "the model asks for two tables or indexes named '\(name)'")
      }
    }
  }

  /// `SQLITE_MAX_COLUMN` as SQLite is built by default.
  private static let columnLimit = 2000
  /// Not a limit of SQLite: longer names come only from damaged or hostile models.
  private static let nameLimit = 64 << 10

  private static func requireUsable(_ name: String, _ path: String, _ entity: String?) throws(MigrationError) {
    guard name.utf8.count <= nameLimit else {
      throw fault(path, entity, "a name begins with '\(name.prefix(40))' and has \(name.utf8.count) bytes")
    }
    guard !name.utf8.contains(0) else { throw fault(path, entity, "a name contains a NUL") }
    guard !name.sqlNameKey.starts(with: "sqlite_".sqlNameKey) else {
      throw fault(path, entity, "the name '\(name)' belongs to SQLite")
    }
  }

  private static func fault(_ path: String, _ entity: String?, _ detail: String) -> MigrationError {
    MigrationError(.migrationFailed, MigrationError.Subject(path: path, entity: entity), detail: detail)
  }
}

/// The numbers of entities in a store: `Z_ENT`.
///
/// In a new store, entities are numbered from 1 in pre-order. Siblings are sorted case-insensitively, so
/// `NetworkAttachment` comes before `NWActivity`.
struct EntityNumbering {
  /// The entity names in the order of the numbers in a new store.
  let names: [String]
  private let numbers: [String: Int]

  init(_ model: ManagedObjectModel) {
    names = Self.names(model)
    numbers = Dictionary(zip(names, 1...), uniquingKeysWith: { first, _ in first })
  }

  /// The actual numbers of a store.
  init(_ model: ManagedObjectModel, numbers: [String: Int]) {
    names = Self.names(model)
    self.numbers = numbers
  }

  /// The number of an entity; 0 if it is not in the model.
  subscript(name: String) -> Int { numbers[name] ?? 0 }

  /// The entity names in the order of their numbers.
  var namesByNumber: [String] { names.sorted { self[$0] < self[$1] } }

  private static func names(_ model: ManagedObjectModel) -> [String] {
    let byName = model.entitiesByName
    var names: [String] = []
    var waiting = sorted(model.entities.filter { $0.superentityName == nil }.map(\.name)).reversed() as [String]
    while let name = waiting.popLast() {
      names.append(name)
      waiting += sorted(byName[name]?.subentityNames ?? []).reversed()
    }
    return names
  }

  private static func sorted(_ names: [String]) -> [String] {
    names.sorted { left, right in
      let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
      return foldedLeft == foldedRight ? left.precedesByBytes(right) : foldedLeft.precedesByBytes(foldedRight)
    }
  }
}

/// A row of `Z_PRIMARYKEY`: the number of an entity, and its greatest used primary key.
package struct PrimaryKeyRow: Sendable, Hashable {
  /// The entity's number in this store: `Z_ENT`.
  package let entityNumber: Int64
  /// The name of the entity in the store.
  package let entityName: String
  /// The number of the parent entity; 0 for roots.
  package let superentityNumber: Int64
  /// The greatest primary key ever used, in the row of the root entity.
  package let greatestKey: Int64

  /// Whether the greatest key is one that no app has given: only another program, or a damaged disk, can have written it.
  package var hasImpossibleKey: Bool { Self.isImpossible(greatestKey) }

  static func isImpossible(_ key: Int64) -> Bool { key > .max / 2 }

  /// Creates a row.
  package init(entityNumber: Int64, entityName: String, superentityNumber: Int64, greatestKey: Int64) {
    (self.entityNumber, self.entityName) = (entityNumber, entityName)
    (self.superentityNumber, self.greatestKey) = (superentityNumber, greatestKey)
  }

  /// The columns to read.
  static let columns = ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]

  /// More entities than any model has, and few enough to search all of them for each one's parent.
  private static let limit = 20_000

  static func all(_ connection: Connection, path: String) throws -> [PrimaryKeyRow] {
    let statement = try connection.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var rows: [PrimaryKeyRow] = []
    while try statement.step() {
      guard rows.count < limit else {
        throw MigrationError(
          .damaged, path: path, about: "Z_PRIMARYKEY", "its table Z_PRIMARYKEY has more than \(limit) rows")
      }
      rows.append(
        PrimaryKeyRow(
          entityNumber: statement.integer(0), entityName: statement.text(1) ?? "",
          superentityNumber: statement.integer(2), greatestKey: statement.integer(3)))
    }
    return rows
  }
}

extension String {
  /// This name as in Core Data's schema: without quotes, if SQLite reads it as one word.
  ///
  /// Names come from untrusted models. All others are quoted, so that they are never read as more than a name.
  var schemaIdentifier: String {
    let isWord = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
        true
      default: false
      }
    }
    return isWord ? self : quotedIdentifier
  }
}

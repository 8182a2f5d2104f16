public import DataModel
internal import SQLite

/// How Core Data lays a model out in SQLite: its tables, columns and indexes.
///
/// `init(_:)` is the layout of a fresh store, in the form of the newest framework version that is known here (866 and
/// later), whatever the version of the store that is migrated: newer frameworks read it, and so do older ones.
/// `init(_:asFoundIn:)` is the layout that a file really has, for reading.
public struct StoreSchema: Sendable {
  /// The model that is laid out.
  public let model: ManagedObjectModel
  /// One table for each root entity, in the order of entity numbers.
  public let tables: [EntityTable]
  /// One table for each many-to-many relationship and its inverse.
  public let joinTables: [JoinTable]
  /// Those of them whose names are best guesses: what is known of Core Data's rule does not say which side names them.
  public private(set) var doubtfulJoinTables: [JoinTable] = []
  /// The entity names in the order of their numbers.
  public let entityNames: [String]
  /// Whether the store keeps its text as UTF-8.
  ///
  /// SQLite compares the bytes that it keeps: in a UTF-16 store, text has another order than elsewhere.
  public internal(set) var keepsTextAsUTF8 = true

  private let numbering: EntityNumbering

  /// Lays a model out as in a fresh store.
  public init(_ model: ManagedObjectModel, joinTables naming: JoinTableNaming = JoinTableNaming()) {
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
    entityNames = numbering.namesByNumber
  }

  /// The number (`Z_ENT`) of an entity.
  public func entityNumber(_ entityName: String) -> Int { numbering[entityName] }

  /// The table that holds the instances of an entity.
  public func table(forEntityNamed name: String) -> EntityTable? {
    tables.first { $0.entityNames.contains(name) }
  }

  /// The column of an attribute or to-one relationship, own or inherited.
  ///
  /// Entities beside each other in one table may have properties of the same name; each has a column of its own.
  public func column(forProperty property: String, ofEntityNamed entity: String) -> EntityTable.Column? {
    table(forEntityNamed: entity)?.column(forProperty: property, ofEntities: model.lineage(of: entity))
  }

  /// The join table of a many-to-many relationship, own or inherited, named from either side.
  public func joinTable(forRelationship relationship: String, ofEntityNamed entity: String) -> JoinTable? {
    for owner in model.lineage(of: entity) {
      let found = joinTables.first { table in
        [table.naming, table.inverse].contains { $0.entityName == owner && $0.relationshipName == relationship }
      }
      if let found { return found }
    }
    return nil
  }

  /// Those of some relationships, each given as `Entity.relationship`, that no join table is named after.
  package func relationshipsWithoutJoinTable(among names: [String]) -> [String] {
    names.filter { name in
      guard let end = JoinTableEnd(name),
        let table = joinTable(forRelationship: end.relationship, ofEntityNamed: end.entity)
      else { return true }
      return !isNaming(end.relationship, ofEntityNamed: end.entity, in: table)
    }
  }

  /// Whether a join table is named after this relationship, own or inherited, and not after its inverse.
  package func isNaming(_ relationship: String, ofEntityNamed entity: String, in table: JoinTable) -> Bool {
    let owner = model.lineage(of: entity).first { owner in
      [table.naming, table.inverse].contains { $0.entityName == owner && $0.relationshipName == relationship }
    }
    return table.naming.entityName == owner && table.naming.relationshipName == relationship
  }

  /// The statements that create the tables, in the order in which Core Data writes them.
  public var tableStatements: [String] {
    tables.flatMap { table in
      [table.createStatement]
        + joinTables.filter { table.entityNames.contains($0.naming.entityName) }.map(\.createStatement)
    }
  }

  /// The statements that create the indexes.
  public var indexStatements: [String] {
    var statements: Set<String> = []
    // An attribute may be marked as indexed and have an index of its name besides: one and the same.
    return tables.flatMap { table in
      table.keyIndexStatements
        + joinTables.filter { table.entityNames.contains($0.naming.entityName) }.map(\.indexStatement)
        + table.fetchIndexStatements
    }.filter { statements.insert($0).inserted }
  }

  /// The tables that every store has, created after all others.
  public static let fixedTableStatements = [
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
  static let fixedTableNames = fixedTables.map(\.0)
}

internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Makes sure that all rows of a store can go on as they are, and counts them.
///
/// Writing a store anew reads every row, makes its indexes again, and mends or counts what is wrong with rows and links.
/// What is only copied keeps all that is wrong with it; so there must be nothing.
struct CopiedStoreCheck {
  let connection: Connection
  /// The layout of the store.
  let schema: StoreSchema
  /// The store as the user named it.
  let path: String

  /// Looks at all pages and rows.
  ///
  /// - Throws: `MigrationError`, with `interrupted` when the migration is to stop.
  func run() throws(MigrationError) -> Result<CopiedRows, ExtensionObstacle> {
    do throws(MigrationError) {
      return try reporting(path: path) {
        do {
          return .success(try rows())
        } catch let obstacle as ExtensionObstacle {
          return .failure(obstacle)
        }
      }
    } catch let error where [.damaged, .notADatabase].contains(error.code) {
      return .failure(.damage)
    }
  }

  private func rows() throws -> CopiedRows {
    let integrity = try connection.integrityProblems(limit: 1)
    // SQLite cannot write to an index that needs an app's collation or function.
    guard integrity.problems.isEmpty, integrity.uncheckedIndexes.isEmpty else { throw ExtensionObstacle.damage }
    var rows = CopiedRows()
    for table in schema.tables {
      rows.instances.merge(try count(table), uniquingKeysWith: +)
      for place in table.columns where place.content == .order {
        let key = table.columns.first { $0.content == .foreignKey && $0.isBeside(place) }
        guard let key = key?.name.quotedIdentifier else { continue }
        try requirePlaces("(\(key) IS NULL) <> (\(place.name.quotedIdentifier) IS NULL)", in: table.name)
      }
    }
    for table in schema.joinTables {
      let count = try connection.integer("SELECT count(*) FROM main.\(table.name.quotedIdentifier)")
      rows.links[table.name] = Int(clamping: count ?? 0)
      for place in table.orderColumns {
        try requirePlaces("\(place.quotedIdentifier) IS NULL", in: table.name)
      }
    }
    if let failure = try StoreValidator(schema, connection, path: path).failures().first {
      throw ExtensionObstacle.brokenRule("\(failure.entity).\(failure.property): \(failure)")
    }
    return rows
  }

  /// Counts the rows of a table by entity.
  private func count(_ table: EntityTable) throws -> [String: Int] {
    let concrete = table.entityNames.filter { schema.model.entity(named: $0)?.isAbstract == false }
    let names = Dictionary(concrete.map { (Int64(schema.entityNumber($0)), $0) }, uniquingKeysWith: { $1 })
    // Where there is one entity, there is no index to group by.
    let isOnlyEntity = table.entityNames.count == 1 && names.count == 1
    let number = names.keys.first ?? 0
    let statement = try connection.prepare(
      isOnlyEntity
        ? "SELECT \(number), count(*), count(*) = count(CASE WHEN Z_ENT = \(number) THEN 1 END) "
          + "FROM main.\(table.name.quotedIdentifier)"
        : "SELECT Z_ENT, count(*), typeof(Z_ENT) = 'integer' FROM main.\(table.name.quotedIdentifier) GROUP BY Z_ENT")
    var counts = Dictionary(concrete.map { ($0, 0) }, uniquingKeysWith: { $1 })
    while try statement.step() {
      guard let name = names[statement.integer(0)], statement.integer(2) == 1 else {
        throw ExtensionObstacle.strayRows(table: table.name)
      }
      counts[name] = Int(clamping: statement.integer(1))
    }
    return counts
  }

  private func requirePlaces(_ isWrong: String, in table: String) throws {
    guard try connection.integer("SELECT 1 FROM main.\(table.quotedIdentifier) WHERE \(isWrong) LIMIT 1") == nil else {
      throw ExtensionObstacle.missingPlaces(table: table)
    }
  }
}

extension EntityTable.Column {
  /// Whether two columns belong to one relationship.
  fileprivate func isBeside(_ other: EntityTable.Column) -> Bool {
    entityName == other.entityName && propertyName == other.propertyName
  }
}

/// The rows of a store that are carried over unchanged.
struct CopiedRows: Sendable, Hashable {
  /// The number of instances, by entity.
  var instances: [String: Int] = [:]
  /// The number of links, by join table.
  var links: [String: Int] = [:]
}

extension CopiedRows {
  /// Counts the rows of a store.
  init(_ source: StoreReader, _ schema: StoreSchema) throws(MigrationError) {
    self = try reporting(path: source.file.path) {
      var rows = CopiedRows(instances: try RowCensus(source.connection, schema).counts)
      for table in schema.joinTables {
        let count = try source.connection.integer(
          "SELECT count(*) FROM main.\(table.name.quotedIdentifier) NOT INDEXED")
        rows.links[table.name] = Int(clamping: count ?? 0)
      }
      return rows
    }
  }
}

internal import DataModel
public import Diagnostics
internal import Expressions
public import PersistentStore
internal import SQLite

/// Checks a store against its model, with statements on whole tables: one that is written and not yet finished, or one
/// that is to be migrated.
///
/// What it finds in a new store may have been wrong in the old one already: Core Data, too, refuses such a migration.
/// Which failures end a migration is for the caller to decide.
public struct StoreValidator {
  let schema: StoreSchema
  let connection: Connection
  let path: String

  /// The most checks that are made in one pass over a table; SQLITE_MAX_COLUMN is 2000.
  static let checksPerPass = 100

  /// Prepares to check a store.
  public init(_ writer: StoreWriter) {
    self.init(writer.schema, writer.bulkConnection, path: writer.path)
  }

  /// Prepares to check the main database of a connection.
  ///
  /// - Parameter path: The store as errors name it.
  init(_ schema: StoreSchema, _ connection: Connection, path: String) {
    (self.schema, self.connection, self.path) = (schema, connection, path)
  }

  /// All failures: entity by entity in the order of their numbers, then the tables of links and the hidden
  /// keys, then the constraints.
  public func failures() throws(MigrationError) -> [ValidationFailure] {
    try reporting(path: path) {
      try connection.createFunction(AttributeChecks.lengthFunction, argumentCount: 1) { texts in
        (texts.first ?? nil).map { .integer(Int64($0.utf16.count)) } ?? .null
      }
      var found: [ValidationFailure] = []
      for name in schema.entityNames {
        guard let entity = schema.model.entity(named: name) else { continue }
        found += try failures(of: entity)
      }
      for table in schema.joinTables { found += try failures(of: table) }
      found += try hiddenKeyFailures()
      return found + (try findDuplicates())
    }
  }

  /// The values that occur more than once where a uniqueness constraint forbids it.
  ///
  /// Building the index of the constraint would fail, and not tell for which rows.
  public func uniquenessFailures() throws(MigrationError) -> [ValidationFailure] {
    try reporting(path: path) { try findDuplicates() }
  }

  private func failures(of entity: EntityDescription) throws -> [ValidationFailure] {
    guard let table = schema.table(forEntityNamed: entity.name) else { return [] }
    let rows: SQLFragment =
      "\(.destinationTable(table.name)) d WHERE d.Z_ENT = \(.number(schema.entityNumber(entity.name)))"
    var found: [ValidationFailure] = []
    var checks = rowChecks(of: entity)[...]
    let areRowsSmall = try areRowsSmall(in: table)
    while !checks.isEmpty {
      let pass = Array(checks.prefix(Self.checksPerPass))
      checks = checks.dropFirst(pass.count)
      // Nearly always nothing is wrong, which is found out faster than how often what is wrong.
      let conditions = pass.map {
        "(\(areRowsSmall ? $0.quickCondition ?? $0.condition : $0.condition))" as SQLFragment
      }
      let isWrong = conditions.joined(by: " OR ")
      if try connection.integer(fragment: "SELECT 1 FROM \(rows) AND (\(isWrong)) LIMIT 1") == nil { continue }
      let counts = pass.map { "count(CASE WHEN \($0.condition) THEN 1 END)" as SQLFragment }.joined(by: ", ")
      let statement = try connection.prepare(fragment: "SELECT \(counts) FROM \(rows)")
      guard try statement.step() else { continue }
      for (index, check) in pass.enumerated() where statement.integer(index) > 0 {
        let keys: SQLFragment = "SELECT d.Z_PK FROM \(rows) AND (\(check.condition)) ORDER BY d.Z_PK"
        found.append(
          ValidationFailure(
            entity: entity.name, property: check.property, kind: check.kind,
            count: Int(clamping: statement.integer(index)), rows: try firstKeys(keys)))
      }
    }
    for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient {
      found += try countFailures(of: relationship, entity, table)
    }
    return found
  }

  /// Whether nearly all rows lie in one page, so that looking at a value costs no more than looking at its type.
  private func areRowsSmall(in table: EntityTable) throws(SQLiteError) -> Bool {
    let pages = try connection.integer("PRAGMA main.page_count") ?? 0
    let greatestKey = try connection.integer(fragment: "SELECT max(Z_PK) FROM \(.destinationTable(table.name))") ?? 0
    return pages / Self.rowsPerPage < greatestKey
  }

  /// How many rows a page must hold at least, on average, for them to be small.
  private static let rowsPerPage: Int64 = 2

  /// The rules that a row breaks or keeps on its own.
  private func rowChecks(of entity: EntityDescription) -> [ValidationCheck] {
    let attributes = entity.attributes.filter { !$0.isTransient }.flatMap { attribute -> [ValidationCheck] in
      guard let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name) else { return [] }
      return AttributeChecks(attribute: attribute, column: "d.\(identifier: column.name)").all
    }
    let relationships = entity.relationships.filter { !$0.isTransient && !$0.isToMany }
    return attributes + relationships.flatMap { keyChecks(of: $0, entity) }
  }

  /// The first few keys that a query gives, or all of them.
  func firstKeys(_ query: SQLFragment) throws(SQLiteError) -> [Int64] {
    let statement = try connection.prepare(fragment: "\(query) LIMIT \(.number(ValidationFailure.rowLimit))")
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }
}

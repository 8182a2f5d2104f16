internal import CoreDataExpressions
internal import DataModel
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// Checks a store against its model, with statements on whole tables.
///
/// What it finds in a new store may have been wrong in the old one already: Core Data, too, refuses such a migration.
/// Which failures end a migration is for the caller to decide.
package struct StoreValidator {
  let schema: StoreSchema
  let connection: Connection
  let path: String
  let knownKeys = KnownKeys()

  /// The maximum number of checks in one pass over a table; SQLITE_MAX_COLUMN is 2000.
  static let checksPerPass = 100

  /// Prepares to check a store.
  package init(_ writer: StoreWriter) {
    self.init(writer.schema, writer.connection, path: writer.path)
  }

  /// Prepares to look at a store that is only read.
  package init(_ store: StoreReader, _ schema: StoreSchema) {
    self.init(schema, store.connection, path: store.file.path)
  }

  /// Prepares to check the main database of a connection.
  ///
  /// - Parameter path: The name of the store in errors.
  init(_ schema: StoreSchema, _ connection: Connection, path: String) {
    (self.schema, self.connection, self.path) = (schema, connection, path)
  }

  /// All failures: entity by entity in the order of their numbers, then the tables of links and the hidden
  /// keys, then the constraints.
  package func failures() throws(MigrationError) -> [ValidationFailure] {
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

  /// The values that occur more than once although a uniqueness constraint forbids it.
  ///
  /// Building the index of the constraint would fail, and not tell for which rows.
  package func uniquenessFailures() throws(MigrationError) -> [ValidationFailure] {
    try reporting(path: path) { try findDuplicates() }
  }

  /// The required composites without a value in any of their columns.
  ///
  /// A struct may consist of nothing but optional parts, so only a migration that makes a composite required can tell that
  /// the value is missing.
  package func emptyComposites() throws(MigrationError) -> [ValidationFailure] {
    try reporting(path: path) {
      try schema.entityNames.compactMap { schema.model.entity(named: $0) }.flatMap { entity in
        try failures(of: entity, compositeChecks(of: entity))
      }
    }
  }

  private func compositeChecks(of entity: EntityDescription) -> [ValidationCheck] {
    entity.requiredComposites.compactMap { composite, elements in
      let columns = elements.compactMap { schema.column(forProperty: $0.name, ofEntityNamed: entity.name) }
      guard !columns.isEmpty else { return nil }
      let isMissing = columns.map { "d.\(identifier: $0.name) IS NULL" as SQLFragment }.joined(by: " AND ")
      return ValidationCheck(property: composite.name, kind: .missingValue, condition: isMissing)
    }
  }

  private func failures(of entity: EntityDescription) throws -> [ValidationFailure] {
    guard let table = schema.table(forEntityNamed: entity.name) else { return [] }
    var found = try failures(of: entity, rowChecks(of: entity))
    for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient {
      found += try countFailures(of: relationship, entity, table)
    }
    return found
  }

  private func failures(of entity: EntityDescription, _ all: [ValidationCheck]) throws -> [ValidationFailure] {
    guard let table = schema.table(forEntityNamed: entity.name) else { return [] }
    let rows: SQLFragment =
      "\(.destinationTable(table.name)) d WHERE d.Z_ENT = \(.number(schema.entityNumber(entity.name)))"
    var found: [ValidationFailure] = []
    var checks = all[...]
    let areRowsSmall = try areRowsSmall(in: table)
    while !checks.isEmpty {
      let pass = Array(checks.prefix(Self.checksPerPass))
      checks = checks.dropFirst(pass.count)
      // Nearly always nothing is wrong, and checking that is faster than counting each failure.
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
    return found
  }

  /// Whether nearly every row fits in one page, so that reading a value costs no more than reading its type.
  private func areRowsSmall(in table: EntityTable) throws(SQLiteError) -> Bool {
    let pages = try connection.integer("PRAGMA main.page_count") ?? 0
    let greatestKey = try connection.integer(fragment: "SELECT max(Z_PK) FROM \(.destinationTable(table.name))") ?? 0
    return pages / Self.pagesPerRow < greatestKey
  }

  /// Rows are small if the file has fewer pages than this for each of them.
  ///
  /// One page would be too few, because the pages of indexes and other tables count too.
  private static let pagesPerRow: Int64 = 2

  /// The rules that can be checked on a single row.
  private func rowChecks(of entity: EntityDescription) -> [ValidationCheck] {
    let attributes = entity.attributes.filter { !$0.isTransient }.flatMap { attribute -> [ValidationCheck] in
      guard let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name) else { return [] }
      return AttributeChecks(attribute: attribute, column: "d.\(identifier: column.name)").all
    }
    let relationships = entity.relationships.filter { !$0.isTransient && !$0.isToMany }
    return attributes + relationships.flatMap { keyChecks(of: $0, entity) }
  }

  /// The first few keys that a query returns, or all of them.
  func firstKeys(_ query: SQLFragment) throws(SQLiteError) -> [Int64] {
    let statement = try connection.prepare(fragment: "\(query) LIMIT \(.number(ValidationFailure.rowLimit))")
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }
}

extension StoreValidator {
  /// The rules for the key of a to-one relationship in a row `d`.
  private func keyChecks(of relationship: RelationshipDescription, _ entity: EntityDescription) -> [ValidationCheck] {
    guard let table = schema.table(forEntityNamed: entity.name),
      let column = schema.column(forProperty: relationship.name, ofEntityNamed: entity.name)
    else { return [] }
    let key: SQLFragment = "d.\(identifier: column.name)"
    var checks: [ValidationCheck] = []
    func append(_ kind: ValidationFailure.Kind, _ condition: SQLFragment) {
      checks.append(ValidationCheck(property: relationship.name, kind: kind, condition: condition))
    }
    if !relationship.isOptional { append(.missingDestination, "\(key) IS NULL") }
    guard let found = destinationNumber(key, relationship.destinationEntityName) else { return checks }
    append(.danglingKey, "\(key) IS NOT NULL AND \(found) IS NULL")
    if let name = table.companion(of: column, .destinationEntity) {
      // If there is no destination, the row is already counted.
      append(
        .wrongEntity,
        "CASE WHEN \(key) IS NULL THEN d.\(identifier: name) IS NOT NULL ELSE d.\(identifier: name) IS NOT coalesce(\(found), d.\(identifier: name)) END"
      )
    }
    return checks
  }

  /// Returns the rows of an entity for which a to-many relationship has too few or too many destinations, or dangling
  /// ones.
  ///
  /// The minimum is decisive, but an optional relationship may be empty regardless. A required one without a minimum
  /// may be empty too: SwiftData stores `[Model] = []` this way.
  private func countFailures(
    of relationship: RelationshipDescription, _ entity: EntityDescription, _ table: EntityTable
  ) throws(SQLiteError) -> [ValidationFailure] {
    guard let links = links(of: relationship, entity) else { return [] }
    var found: [ValidationFailure] = []
    // Both in one list that is sorted once: looking up each row may take time quadratic in the number of rows.
    let counted: SQLFragment =
      "(SELECT o AS Z_PK, sum(link) AS n FROM (\(links) UNION ALL SELECT Z_PK, 0 FROM \(.destinationTable(table.name)) WHERE Z_ENT = \(.number(schema.entityNumber(entity.name)))) GROUP BY o HAVING min(link) = 0)"
    let minimum = Int(relationship.minCount)
    if minimum > 0 {
      let least: SQLFragment = relationship.isOptional ? "n > 0 AND " : ""
      let few: SQLFragment = "\(least)n < \(.number(minimum))"
      found += try failure(.tooFewDestinations, relationship.name, entity, counted, few)
    }
    if relationship.maxCount > 1 {
      let many: SQLFragment = "n > \(.number(Int(relationship.maxCount)))"
      found += try failure(.tooManyDestinations, relationship.name, entity, counted, many)
    }
    return found
  }

  private func failure(
    _ kind: ValidationFailure.Kind, _ property: String, _ entity: EntityDescription, _ counted: SQLFragment,
    _ condition: SQLFragment
  ) throws(SQLiteError) -> [ValidationFailure] {
    let query: SQLFragment = "FROM \(counted) WHERE \(condition)"
    guard let count = try connection.integer(fragment: "SELECT count(*) \(query)"), count > 0 else {
      return []
    }
    let keys = try firstKeys("SELECT Z_PK \(query) ORDER BY Z_PK")
    return [
      ValidationFailure(entity: entity.name, property: property, kind: kind, count: Int(clamping: count), rows: keys)
    ]
  }

  /// The query that returns the key of a row once for each of its destinations.
  private func links(of relationship: RelationshipDescription, _ entity: EntityDescription) -> SQLFragment? {
    switch schema.layouts.layout(of: relationship, ofEntityNamed: entity.name) {
    case .own, nil: return nil
    case .destination(let table, let column, _):
      let key: SQLFragment = "\(identifier: column)"
      return "SELECT \(key) AS o, 1 AS link FROM \(.destinationTable(table)) WHERE \(key) IS NOT NULL"
    case .join(let links):
      let key: SQLFragment = "\(identifier: links.sourceColumn)"
      return "SELECT \(key) AS o, 1 AS link FROM \(.destinationTable(links.table.name))"
    }
  }
}

extension StoreValidator {
  /// The values that occur more than once, constraint by constraint.
  ///
  /// As in the index that keeps them unique, NULL equals nothing, and all rows of the table are compared.
  private func findDuplicates() throws(SQLiteError) -> [ValidationFailure] {
    var found: [ValidationFailure] = []
    for name in schema.entityNames {
      for constraint in schema.model.entity(named: name)?.uniquenessConstraints ?? [] {
        if let failure = try duplicates(constraint, name) { found.append(failure) }
      }
    }
    return found
  }

  private func duplicates(_ constraint: [String], _ entity: String) throws(SQLiteError) -> ValidationFailure? {
    let names = constraint.flatMap { schema.model.entity(named: entity)?.indexedProperties(named: $0) ?? [$0] }
    let columns = names.compactMap { schema.column(forProperty: $0, ofEntityNamed: entity)?.name }
    guard let table = schema.table(forEntityNamed: entity), columns.count == names.count, !columns.isEmpty else {
      return nil
    }
    let keys = columns.map { "\(identifier: $0) COLLATE BINARY" as SQLFragment }
    let filled = columns.map { "\(identifier: $0) IS NOT NULL" as SQLFragment }
    let groups: SQLFragment =
      "(SELECT min(Z_PK) AS k, max(Z_PK) AS l FROM \(.destinationTable(table.name)) WHERE \(filled.joined(by: " AND ")) GROUP BY \(keys.joined(by: ", ")) HAVING count(*) > 1)"
    guard let count = try connection.integer(fragment: "SELECT count(*) FROM \(groups)"), count > 0 else { return nil }
    let statement = try connection.prepare(fragment: "SELECT k, l FROM \(groups) ORDER BY k LIMIT 2")
    var rows: [Int64] = []
    while try statement.step() { rows += [statement.integer(0), statement.integer(1)] }
    return ValidationFailure(
      entity: entity, property: constraint.joined(separator: ", "), kind: .notUnique, count: Int(clamping: count),
      rows: rows)
  }
}

/// The rules for the values of one attribute.
///
/// Regular expressions are not checked: the models use ICU's, which differ from those available here, and a valid value
/// must not be rejected.
private struct AttributeChecks {
  /// The function that measures strings in UTF-16 units, as Core Data does; SQL's `length` counts scalars.
  static let lengthFunction = "validation_utf16_length"

  let attribute: AttributeDescription
  /// The column of a row `d`.
  let column: SQLFragment

  /// All rules, in a fixed order.
  var all: [ValidationCheck] {
    var checks: [ValidationCheck] = []
    // A derived value is computed when the app saves.
    if !attribute.isOptional, !attribute.isDerived { checks.append(check(.missingValue, "\(column) IS NULL")) }
    checks += limits
    if let fits {
      var fitting = check(.unfitStorageClass, "\(column) IS NOT NULL AND NOT (\(fits))")
      fitting.quickCondition = doesNotFit
      checks.append(fitting)
    }
    return checks
  }

  private func check(_ kind: ValidationFailure.Kind, _ condition: SQLFragment) -> ValidationCheck {
    ValidationCheck(property: attribute.name, kind: kind, condition: condition)
  }

  private var limits: [ValidationCheck] {
    let value: SQLFragment
    let kinds: (low: ValidationFailure.Kind, high: ValidationFailure.Kind)
    switch attribute.type.limit {
    case .number: (value, kinds) = (number, (.numberTooSmall, .numberTooLarge))
    case .date: (value, kinds) = (number, (.dateTooSoon, .dateTooLate))
    case .length: (value, kinds) = (length, (.stringTooShort, .stringTooLong))
    case nil: return []
    }
    var checks: [ValidationCheck] = []
    if let limit = attribute.validation.minimum {
      checks.append(check(kinds.low, "\(value) < \(argument: .column(limit))"))
    }
    if let limit = attribute.validation.maximum {
      checks.append(check(kinds.high, "\(value) > \(argument: .column(limit))"))
    }
    return checks
  }

  /// NULL for values that are not numbers: SQLite sorts text after all numbers.
  private var number: SQLFragment { "CASE WHEN typeof(\(column)) IN ('integer', 'real') THEN \(column) END" }

  private var length: SQLFragment {
    "CASE WHEN typeof(\(column)) = 'text' THEN validation_utf16_length(\(column)) END"
  }

  /// The same using the order of values, which can be checked without a function call: numbers come first, then text,
  /// then blobs.
  ///
  /// A text column has an affinity that converts numbers to text.
  private var doesNotFit: SQLFragment? {
    switch attribute.type.storedForm {
    case .text: "\(column) >= x''"
    case .number: "\(column) >= ''"
    case .integer, .blob, .uuid, .any: nil
    }
  }

  /// The condition that a column's values have the right kind; `nil` if any kind is valid.
  private var fits: SQLFragment? {
    switch attribute.type.storedForm {
    case .integer: "typeof(\(column)) = 'integer'"
    case .number: "typeof(\(column)) IN ('integer', 'real')"
    case .text: "typeof(\(column)) = 'text'"
    case .uuid: "typeof(\(column)) = 'blob' AND length(\(column)) = 16"
    case .blob: "typeof(\(column)) = 'blob'"
    case .any: nil
    }
  }
}

/// One rule for the rows `d` of an entity, as a condition that is true for rows that violate it.
private struct ValidationCheck {
  let property: String
  let kind: ValidationFailure.Kind
  let condition: SQLFragment
  /// A cheaper condition that is true for the same rows, used if values are small enough to be read.
  var quickCondition: SQLFragment?
}

internal import DataModel
internal import Expressions
internal import PersistentStore
internal import SQLite

extension StoreValidator {
  /// The rules for the key of a to-one relationship in a row `d`.
  func keyChecks(of relationship: RelationshipDescription, _ entity: EntityDescription) -> [ValidationCheck] {
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
      // Where there is no destination, the row is already counted.
      append(
        .wrongEntity,
        "CASE WHEN \(key) IS NULL THEN d.\(identifier: name) IS NOT NULL ELSE d.\(identifier: name) IS NOT coalesce(\(found), d.\(identifier: name)) END"
      )
    }
    return checks
  }

  /// Tells for which rows of an entity a to-many relationship has too few or too many destinations, or ones that are
  /// not there.
  ///
  /// The minimum is what counts, and an optional one may have none all the same. A required one without a minimum may
  /// be empty: SwiftData writes `[Model] = []` so.
  func countFailures(
    of relationship: RelationshipDescription, _ entity: EntityDescription, _ table: EntityTable
  ) throws(SQLiteError) -> [ValidationFailure] {
    guard let links = links(of: relationship, entity) else { return [] }
    var found: [ValidationFailure] = []
    // Both in one list that is sorted once: what is looked up row by row may take the square of the rows.
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

  /// The query that gives the key of a row once for each of its destinations.
  private func links(of relationship: RelationshipDescription, _ entity: EntityDescription) -> SQLFragment? {
    guard let link = SourceLink(relationship, of: entity.name, in: schema) else { return nil }
    switch link {
    case .itself, .own: return nil
    case .inverse(let column, _):
      guard let table = schema.table(forEntityNamed: relationship.destinationEntityName) else { return nil }
      let key: SQLFragment = "\(identifier: column)"
      return "SELECT \(key) AS o, 1 AS link FROM \(.destinationTable(table.name)) WHERE \(key) IS NOT NULL"
    case .joinTable(let name, let source, _, _, _), .mutual(let name, let source, _):
      let key: SQLFragment = "\(identifier: source)"
      return "SELECT \(key) AS o, 1 AS link FROM \(.destinationTable(name))"
    }
  }

  /// The entity number of the row behind a key; NULL where there is none, or none of a suitable entity.
  func destinationNumber(_ key: SQLFragment, _ entity: String) -> SQLFragment? {
    rows(of: entity).map { "(SELECT x.Z_ENT FROM \($0) AND x.Z_PK = \(key))" }
  }

  /// The rows `x` of an entity and those below it.
  private func rows(of entity: String) -> SQLFragment? {
    guard let table = schema.table(forEntityNamed: entity) else { return nil }
    let numbers = schema.model.tree(of: entity).map(schema.entityNumber).sorted().map { SQLFragment.number($0) }
    return "\(.destinationTable(table.name)) x WHERE x.Z_ENT IN (\(numbers.joined(by: ", ")))"
  }

  /// Whether all keys in a column of a join table are keys of an entity, as far as that can be told without looking for
  /// each of them: nearly always there are rows for all keys of a range.
  private func areAllThere(_ column: SQLFragment, of joinTable: String, _ entity: String) throws(SQLiteError) -> Bool {
    guard let there = try gaplessKeys(of: entity) else { return false }
    // What is no whole number does not equal what the bits of one give.
    let keys = try connection.prepare(
      fragment:
        "SELECT count(*) = sum((\(column) | 0) = \(column)), min(\(column)), max(\(column)) FROM \(.destinationTable(joinTable))"
    )
    guard try keys.step(), keys.integer(0) == 1 else { return false }
    return there.contains(keys.integer(1)) && there.contains(keys.integer(2))
  }

  /// The keys of an entity and those below it, where there is a row for every key from the first to the last.
  func gaplessKeys(of entity: String) throws(SQLiteError) -> ClosedRange<Int64>? {
    guard let rows = rows(of: entity) else { return nil }
    let found = try connection.prepare(fragment: "SELECT count(*), min(x.Z_PK), max(x.Z_PK) FROM \(rows)")
    guard try found.step() else { return nil }
    let (count, least, greatest) = (found.integer(0), found.integer(1), found.integer(2))
    let isGapless = count > 0 && greatest.subtractingReportingOverflow(least) == (count - 1, false)
    return isGapless ? least...greatest : nil
  }

  /// Tells which rows of a join table lead from or to nothing, and which hidden keys do.
  func failures(of table: JoinTable) throws(SQLiteError) -> [ValidationFailure] {
    var found: [ValidationFailure] = []
    for (side, other) in [(table.naming, table.inverse), (table.inverse, table.naming)] {
      guard let entity = schema.model.entity(named: side.entityName),
        let relationship = entity.relationship(named: side.relationshipName),
        let number = destinationNumber(
          "j.\(identifier: side.destinationColumn)", relationship.destinationEntityName)
      else { continue }
      let column: SQLFragment = "\(identifier: side.destinationColumn)"
      if try areAllThere(column, of: table.name, relationship.destinationEntityName) { continue }
      found += try dangling(
        "\(.destinationTable(table.name)) j WHERE \(number) IS NULL",
        key: "j.\(identifier: other.destinationColumn)", side.relationshipName, side.entityName)
    }
    return found
  }

  /// Tells which hidden keys of to-many relationships without inverse lead to nothing.
  func hiddenKeyFailures() throws(SQLiteError) -> [ValidationFailure] {
    var found: [ValidationFailure] = []
    for name in schema.entityNames {
      for relationship in schema.model.entity(named: name)?.ownRelationships ?? []
      where relationship.isToMany && relationship.inverseName == nil && !relationship.isTransient {
        guard case .inverse(let column, _) = SourceLink(relationship, of: name, in: schema),
          let table = schema.table(forEntityNamed: relationship.destinationEntityName),
          let number = destinationNumber("d.\(identifier: column)", name)
        else { continue }
        found += try dangling(
          "\(.destinationTable(table.name)) d WHERE d.\(identifier: column) IS NOT NULL AND \(number) IS NULL",
          key: "d.\(identifier: column)", relationship.name, name)
      }
    }
    return found
  }

  /// The failure of the rows that a query gives, if there are any.
  func dangling(
    _ rows: SQLFragment, key: SQLFragment, _ property: String, _ entity: String
  ) throws(SQLiteError) -> [ValidationFailure] {
    guard let count = try connection.integer(fragment: "SELECT count(*) FROM \(rows)"), count > 0 else { return [] }
    return [
      ValidationFailure(
        entity: entity, property: property, kind: .danglingKey, count: Int(clamping: count),
        rows: try firstKeys("SELECT \(key) FROM \(rows) ORDER BY 1"))
    ]
  }
}

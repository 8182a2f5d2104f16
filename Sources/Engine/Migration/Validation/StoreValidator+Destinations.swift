internal import CoreDataExpressions
internal import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

// Nearly always there is a row for every key of a range, and no key is outside it. Only otherwise is each key looked up.

extension StoreValidator {
  /// The entity number of the row that a key refers to; NULL if there is none, or none of a suitable entity.
  func destinationNumber(_ key: SQLFragment, _ entity: String) -> SQLFragment? {
    rows(of: entity).map { "(SELECT x.Z_ENT FROM \($0.table) WHERE \($0.condition) AND x.Z_PK = \(key))" }
  }

  /// The table `x` of an entity, and the condition for its rows and those of its subentities.
  private func rows(of entity: String) -> (table: SQLFragment, condition: SQLFragment)? {
    guard let table = schema.table(forEntityNamed: entity) else { return nil }
    let numbers = schema.model.tree(of: entity).map(schema.entityNumber).sorted().map { SQLFragment.number($0) }
    return ("\(.destinationTable(table.name)) x", "x.Z_ENT IN (\(numbers.joined(by: ", ")))")
  }

  /// The two ends of the links in a join table, each with the column of its keys.
  private func ends(of table: JoinTable) -> [(links: JoinTable.Links, to: KeyColumn)] {
    [table.namingLinks, table.inverseLinks].compactMap { links in
      schema.model.entity(named: links.entityName)?.relationship(named: links.relationshipName).map {
        (links, KeyColumn(name: "\(identifier: links.destinationColumn)", entity: $0.destinationEntityName))
      }
    }
  }

  /// Whether all keys in columns of a join table are keys of their entities, as far as that can be determined without
  /// looking up each of them: nearly always there are rows for all keys of a range.
  private func areAllThere(_ columns: [KeyColumn], of joinTable: String) throws(SQLiteError) -> Bool {
    guard !columns.isEmpty else { return true }
    var strays: [SQLFragment] = []
    for column in columns {
      guard let there = try gaplessKeys(of: column.entity) else { return false }
      let (name, least, greatest) = (column.name, there.lowerBound, there.upperBound)
      // NULL is in no range. A value that is not an integer does not equal the result of a bit operation on it.
      strays.append(
        "(\(name) BETWEEN \(argument: .integer(least)) AND \(argument: .integer(greatest))) IS NOT TRUE OR (\(name) | 0) <> \(name)"
      )
    }
    let rows: SQLFragment = "\(.destinationTable(joinTable)) WHERE \(strays.joined(by: " OR "))"
    return try connection.integer(fragment: "SELECT 1 FROM \(rows) LIMIT 1") == nil
  }

  /// The keys of an entity and its subentities, if there is a row for every key from the first to the last.
  private func gaplessKeys(of entity: String) throws(SQLiteError) -> ClosedRange<Int64>? {
    if let known = knownKeys.ranges[entity] { return known }
    guard let (table, condition) = rows(of: entity) else { return nil }
    let rows: SQLFragment = "\(table) WHERE \(condition)"
    // The first and the last row are found at once; functions would compare all of them.
    let first: SQLFragment = "SELECT x.Z_PK FROM \(rows) ORDER BY x.Z_PK LIMIT 1"
    let last: SQLFragment = "SELECT x.Z_PK FROM \(rows) ORDER BY x.Z_PK DESC LIMIT 1"
    let found = try connection.prepare(fragment: "SELECT count(*), (\(first)), (\(last)) FROM \(rows)")
    guard try found.step() else { return nil }
    let (count, least, greatest) = (found.integer(0), found.integer(1), found.integer(2))
    let isGapless = count > 0 && greatest.subtractingReportingOverflow(least) == (count - 1, false)
    let range = isGapless ? least...greatest : nil
    knownKeys.ranges[entity] = .some(range)
    return range
  }

  /// Returns the dangling rows and hidden keys of a join table.
  func failures(of table: JoinTable) throws(SQLiteError) -> [ValidationFailure] {
    let ends = ends(of: table)
    if try areAllThere(ends.map(\.to), of: table.name) { return [] }
    return try failures(of: table, at: ends)
  }

  /// Returns the dangling rows of a join table that lead nowhere at some of its ends.
  private func failures(
    of table: JoinTable, at ends: [(links: JoinTable.Links, to: KeyColumn)]
  ) throws(SQLiteError) -> [ValidationFailure] {
    var found: [ValidationFailure] = []
    for (links, column) in ends {
      guard let number = destinationNumber("j.\(column.name)", column.entity), let rows = rows(of: column.entity) else {
        continue
      }
      if ends.count > 1, try areAllThere([column], of: table.name) { continue }
      // Both keys have an index: in its order, each row is looked up once, and a join, unlike a subquery, finds it next to
      // the one before.
      let groups: SQLFragment =
        "(SELECT \(column.name) AS k, count(*) AS n FROM \(.destinationTable(table.name)) GROUP BY 1) j"
      found += try dangling(
        "\(.destinationTable(table.name)) j WHERE \(number) IS NULL",
        count:
          "SELECT sum(j.n) FROM \(groups) LEFT JOIN \(rows.table) ON x.Z_PK = j.k AND \(rows.condition) WHERE x.Z_ENT IS NULL",
        key: "j.\(identifier: links.sourceColumn)", links.relationshipName, links.entityName)
    }
    return found
  }

  /// Returns the dangling hidden keys of to-many relationships without an inverse.
  func hiddenKeyFailures() throws(SQLiteError) -> [ValidationFailure] {
    var found: [ValidationFailure] = []
    for name in schema.entityNames {
      for relationship in schema.model.entity(named: name)?.ownRelationships ?? []
      where relationship.isToMany && relationship.inverseName == nil && !relationship.isTransient {
        guard
          case .destination(let table, let column, _) = schema.layouts.layout(of: relationship, ofEntityNamed: name),
          let number = destinationNumber("d.\(identifier: column)", name)
        else { continue }
        found += try dangling(
          "\(.destinationTable(table)) d WHERE d.\(identifier: column) IS NOT NULL AND \(number) IS NULL",
          key: "d.\(identifier: column)", relationship.name, name)
      }
    }
    return found
  }

  /// The failure for the rows that a query returns, if there are any.
  ///
  /// - Parameter count: A faster query for their number.
  func dangling(
    _ rows: SQLFragment, count: SQLFragment? = nil, key: SQLFragment, _ property: String, _ entity: String
  ) throws(SQLiteError) -> [ValidationFailure] {
    guard let count = try connection.integer(fragment: count ?? "SELECT count(*) FROM \(rows)"), count > 0 else {
      return []
    }
    return [
      ValidationFailure(
        entity: entity, property: property, kind: .danglingKey, count: Int(clamping: count),
        rows: try firstKeys("SELECT \(key) FROM \(rows) ORDER BY 1"))
    ]
  }

  // MARK: - Dangling links

  // An app's store may have links to instances that no longer exist, because of a bug or of SQL that bypassed Core
  // Data. Core Data ignores them, and so do migrations. Their loss is reported.

  /// The relationships with dangling links: those in the instances' own rows, then those in join tables, then the
  /// hidden keys.
  func danglingLinks() throws(MigrationError) -> [ValidationFailure] {
    try reporting(path: path) {
      var found: [ValidationFailure] = []
      for table in schema.tables { found += try danglingKeys(in: table) }
      for table in schema.joinTables { found += try failures(of: table) }
      return found + (try hiddenKeyFailures())
    }
  }

  /// The dangling links of a many-to-many relationship, from either end.
  ///
  /// For questions that should not wait for a pass over all links: where there is a row for every key of a range, the first
  /// and the last key of each end decide, which its indexes find at once.
  package func danglingLinks(
    ofRelationship relationship: String, ofEntityNamed entity: String
  ) throws(MigrationError) -> [ValidationFailure] {
    guard let table = schema.joinTable(forRelationship: relationship, ofEntityNamed: entity) else { return [] }
    return try reporting(path: path) {
      let doubtful = try ends(of: table).filter { try !isWithinRange($0.to, of: table.name) }
      return doubtful.isEmpty ? [] : try failures(of: table, at: doubtful)
    }
  }

  /// Whether the first and the last key in a column of a join table are in a range in which every key has a row.
  private func isWithinRange(_ column: KeyColumn, of joinTable: String) throws(SQLiteError) -> Bool {
    let keys: SQLFragment = "SELECT \(column.name) FROM \(.destinationTable(joinTable)) ORDER BY 1"
    let ends = try connection.prepare(
      fragment: "SELECT * FROM (\(keys) LIMIT 1) UNION ALL SELECT * FROM (\(keys) DESC LIMIT 1)")
    while try ends.step() {
      guard ends.storageClass(0) == .integer, try gaplessKeys(of: column.entity)?.contains(ends.integer(0)) == true
      else {
        return false
      }
    }
    return true
  }

  /// Returns the dangling keys of to-one relationships in a table.
  private func danglingKeys(in table: EntityTable) throws(SQLiteError) -> [ValidationFailure] {
    let keys = table.columns.filter { $0.content == .foreignKey }.compactMap { column -> Key? in
      guard let entity = schema.model.entity(named: column.entityName),
        let relationship = entity.relationship(named: column.propertyName), !relationship.isToMany
      else { return nil }
      return Key(column: "d.\(identifier: column.name)", relationship: relationship, entity: entity.name)
    }
    var found: [ValidationFailure] = []
    for start in stride(from: 0, to: keys.count, by: Self.checksPerPass) {
      let pass = Array(keys[start..<min(start + Self.checksPerPass, keys.count)])
      for key in try doubtful(pass, in: table) {
        guard let number = destinationNumber(key.column, key.relationship.destinationEntityName) else { continue }
        found += try dangling(
          "\(.destinationTable(table.name)) d WHERE \(key.column) IS NOT NULL AND \(number) IS NULL", key: "d.Z_PK",
          key.relationship.name, key.entity)
      }
    }
    return found
  }

  /// The columns whose keys must be looked up one by one.
  ///
  /// A single pass over all rows is nearly always enough: there are rows for all keys of a range, and no key is outside
  /// it.
  private func doubtful(_ keys: [Key], in table: EntityTable) throws(SQLiteError) -> [Key] {
    let figures = keys.map { key -> SQLFragment in
      "count(\(key.column)) = sum((\(key.column) | 0) = \(key.column)), min(\(key.column)), max(\(key.column))"
    }
    let statement = try connection.prepare(
      fragment: "SELECT \(figures.joined(by: ", ")) FROM \(.destinationTable(table.name)) d")
    guard try statement.step() else { return [] }
    var doubtful: [Key] = []
    for (index, key) in keys.enumerated() where !statement.isNull(3 * index) {
      let there = try gaplessKeys(of: key.relationship.destinationEntityName)
      let isThere =
        statement.integer(3 * index) == 1 && there?.contains(statement.integer(3 * index + 1)) == true
        && there?.contains(statement.integer(3 * index + 2)) == true
      if !isThere { doubtful.append(key) }
    }
    return doubtful
  }
}

/// A column of a join table, with the entity that its keys are of.
private struct KeyColumn {
  let name: SQLFragment
  let entity: String
}

/// The keys of the entities that have been looked at, which do not change while a store is checked.
final class KnownKeys {
  var ranges: [String: ClosedRange<Int64>?] = [:]
  /// Whether each link of a join table leads to a row.
  var wholeJoinTables: [String: Bool] = [:]
}

/// A column of keys.
private struct Key {
  let column: SQLFragment
  let relationship: RelationshipDescription
  let entity: String
}

internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// Looks for links that one end has and the other has not.
///
/// A one-to-one relationship has a key at each end. Stores in which only one is set exist, also of Apple's own apps, and
/// Core Data then shows the link at that end only. Where exactly one row names another, and that one names none and is
/// named by no other row, the other key can only be that row's.
struct LinkExamination {
  private let connection: Connection
  private let schema: StoreSchema

  init(_ store: StoreReader, _ schema: StoreSchema) {
    (connection, self.schema) = (store.connection, schema)
  }

  func run(_ notes: inout HealthNotes) throws {
    for pair in pairs {
      if let finding = try oneSided(pair) { notes.add(finding) }
      if let finding = try contradicting(pair) { notes.add(finding) }
    }
    for table in schema.joinTables {
      if let finding = try halfLinks(table) { notes.add(finding) }
      if let finding = try repeatedLinks(table) { notes.add(finding) }
      for links in table.isReflexive ? [] : [table.namingLinks, table.inverseLinks] {
        guard let order = links.orderColumn else { continue }
        try examineOrder(
          order, of: "\(links.entityName).\(links.relationshipName)", by: links.sourceColumn, in: table.name, &notes)
      }
    }
    for table in schema.tables {
      for order in table.columns where order.content == .order {
        guard
          let key = table.columns.first(where: {
            $0.content == .foreignKey && ($0.entityName, $0.propertyName) == (order.entityName, order.propertyName)
          })
        else { continue }
        try examineOrder(
          order.name, of: "\(order.entityName).\(order.propertyName)", by: key.name, in: table.name, &notes)
      }
    }
  }

  /// One direction of a one-to-one relationship, in quoted names.
  private struct Pair {
    let entity: String
    let relationship: String
    let inverse: String
    /// The table with the keys.
    let table: String
    let tableName: String
    let key: String
    /// The table of the destinations, with the key that leads back.
    let other: String
    let otherKey: String
    /// The column with the entity of that key, if it has one.
    let otherEntity: String?
    /// The condition for rows of entities that have that key; empty if all rows of their table do.
    let isHolder: String

    /// Each row that is named, with the least key of the rows that name it and their number.
    var named: String {
      "(SELECT \(key) AS k, min(Z_PK) AS pk, count(*) AS n FROM \(table) WHERE \(key) IS NOT NULL GROUP BY \(key))"
    }

    /// The rows that are named by one row, name none, and could not be meant by another.
    var oneSided: String {
      """
      \(named) AS g JOIN \(other) AS d ON d.Z_PK = g.k WHERE g.n = 1 AND d.\(otherKey) IS NULL \
      \(isHolder)AND g.pk NOT IN (SELECT \(otherKey) FROM \(other) WHERE \(otherKey) IS NOT NULL)
      """
    }
  }

  /// The one-to-one relationships, from both ends.
  private var pairs: [Pair] {
    schema.entityNames.compactMap { schema.model.entity(named: $0) }.flatMap { entity in
      entity.ownRelationships.compactMap { relationship in
        guard !relationship.isToMany, let inverseName = relationship.inverseName,
          case let holder = relationship.inverseEntityName ?? relationship.destinationEntityName,
          let inverse = schema.model.entity(named: holder)?.relationship(named: inverseName), !inverse.isToMany,
          let table = schema.table(forEntityNamed: entity.name), let other = schema.table(forEntityNamed: holder),
          case .own(let key, _, _)? = schema.layouts.layout(of: relationship, ofEntityNamed: entity.name),
          case .own(let otherKey, let otherEntity, _)? = schema.layouts.layout(of: inverse, ofEntityNamed: holder)
        else { return nil }
        let holders = other.entityNames.filter { schema.model.lineage(of: $0).contains(holder) }
        let numbers = holders.map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
        return Pair(
          entity: entity.name, relationship: relationship.name, inverse: "\(holder).\(inverseName)",
          table: table.name.quotedIdentifier, tableName: table.name, key: key.quotedIdentifier,
          other: other.name.quotedIdentifier, otherKey: otherKey.quotedIdentifier,
          otherEntity: otherEntity?.quotedIdentifier,
          isHolder: holders.count == other.entityNames.count ? "" : "AND d.Z_ENT IN (\(numbers)) ")
      }
    }
  }

  private func oneSided(_ pair: Pair) throws(SQLiteError) -> Finding? {
    guard try connection.integer("SELECT 1 FROM \(pair.oneSided) LIMIT 1") != nil else { return nil }
    let row = "(SELECT g.pk FROM \(pair.named) AS g WHERE g.k = t.Z_PK)"
    let entity = pair.otherEntity.map { ", \($0) = (SELECT a.Z_ENT FROM \(pair.table) AS a WHERE a.Z_PK = \(row))" }
    let deed =
      "set '\(pair.inverse)' where exactly one row names another by '\(pair.entity).\(pair.relationship)', and that one "
      + "names none"
    var finding = Finding(
      .oneSidedLink,
      "rows that '\(pair.entity).\(pair.relationship)' names do not name them in '\(pair.inverse)'",
      repair: Repair(
        deed: deed,
        work: .statements(
          """
          UPDATE \(pair.other) AS t SET \(pair.otherKey) = \(row)\(entity ?? "") \
          WHERE t.Z_PK IN (SELECT d.Z_PK FROM \(pair.oneSided))
          """)))
    (finding.table, finding.entity, finding.property) = (pair.tableName, pair.entity, pair.relationship)
    try finding.takeRows(connection, pair.oneSided, key: "g.pk")
    return finding
  }

  /// Links of which no rule says which end is right.
  private func contradicting(_ pair: Pair) throws(SQLiteError) -> Finding? {
    let rows = """
      \(pair.named) AS g JOIN \(pair.other) AS d ON d.Z_PK = g.k WHERE g.n > 1 \
      OR d.\(pair.otherKey) IS NOT NULL AND d.\(pair.otherKey) IS NOT g.pk OR d.\(pair.otherKey) IS NULL \
      AND g.pk IN (SELECT \(pair.otherKey) FROM \(pair.other) WHERE \(pair.otherKey) IS NOT NULL)
      """
    guard try connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil else { return nil }
    var finding = Finding(
      .contradictingLink,
      "the two ends of '\(pair.entity).\(pair.relationship)' and '\(pair.inverse)' name different rows")
    (finding.table, finding.entity, finding.property) = (pair.tableName, pair.entity, pair.relationship)
    try finding.takeRows(connection, rows, key: "g.pk")
    return finding
  }

  /// Looks for places of links in an ordered relationship that are none, or that several links of one row have.
  private func examineOrder(
    _ order: String, of property: String, by key: String, in table: String, _ notes: inout HealthNotes
  ) throws(SQLiteError) {
    let (name, key, order) = (table.quotedIdentifier, key.quotedIdentifier, order.quotedIdentifier)
    let wrong = "\(name) WHERE \(key) IS NOT NULL AND typeof(\(order)) <> 'integer'"
    let same =
      "(SELECT 1 FROM \(name) WHERE \(key) IS NOT NULL AND typeof(\(order)) = 'integer' GROUP BY \(key), \(order) "
      + "HAVING count(*) > 1)"
    for (rows, fact) in [(wrong, "links without a place"), (same, "links that share a place in it")] {
      guard let count = try connection.integer("SELECT count(*) FROM \(rows)"), count > 0 else { continue }
      var finding = Finding(.linkOrder, "the order of '\(property)' in '\(table)' has \(fact)")
      (finding.table, finding.count) = (table, count)
      notes.add(finding)
    }
  }

  /// Looks for links that a table without a primary key has more than once.
  private func repeatedLinks(_ table: JoinTable) throws(SQLiteError) -> Finding? {
    let (name, keys) = (table.name.quotedIdentifier, table.keyColumns.map(\.quotedIdentifier).joined(separator: ", "))
    let groups = "SELECT 1 FROM \(name) GROUP BY \(keys) HAVING count(*) > 1"
    guard let count = try connection.integer("SELECT count(*) FROM (\(groups))"), count > 0 else { return nil }
    var finding = Finding(.notUnique, "its table '\(table.name)' has links more than once")
    (finding.table, finding.count) = (table.name, count)
    (finding.entity, finding.property) = (table.naming.entityName, table.naming.relationshipName)
    if !table.isOrdered {
      finding.statementCondition = "to keep one of each"
      finding.statement = "DELETE FROM \(name) WHERE rowid NOT IN (SELECT min(rowid) FROM \(name) GROUP BY \(keys));"
    }
    return finding
  }

  private func halfLinks(_ table: JoinTable) throws(SQLiteError) -> Finding? {
    let name = table.name.quotedIdentifier
    let isHalf = table.keyColumns.map { "\($0.quotedIdentifier) IS NULL" }.joined(separator: " OR ")
    guard let count = try connection.integer("SELECT count(*) FROM \(name) WHERE \(isHalf)"), count > 0 else {
      return nil
    }
    var finding = Finding(.halfLink, "its table '\(table.name)' has rows with one end only")
    (finding.table, finding.count) = (table.name, count)
    (finding.entity, finding.property) = (table.naming.entityName, table.naming.relationshipName)
    return finding
  }
}

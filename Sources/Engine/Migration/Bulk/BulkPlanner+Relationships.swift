internal import CoreDataExpressions
internal import DataModel
internal import PersistentStore

extension BulkPlanner {
  /// Fills keys that are still empty from the other side; where several rows claim one, the last one has it, as if they
  /// had been set one after the other: in the order of the mappings, then of the keys.
  mutating func update(
    _ key: EntityTable.Column, in table: EntityTable, with contributions: [BulkRelationshipMapping],
    _ relationship: RelationshipDescription, _ entity: EntityDescription
  ) {
    guard !isTooLarge(contributions) else {
      return reasons.append(.tooManyMappings(property: relationship.name, entity: entity.name))
    }
    guard let pairs = union(contributions) else { return }
    let column: SQLFragment = "\(identifier: key.name)"
    var assignments: [SQLFragment] = ["\(column) = x.owner"]
    if let name = table.companion(of: key, .destinationEntity) {
      assignments.append("\(identifier: name) = x.ownerEntity")
    }
    if let name = table.companion(of: key, .order) { assignments.append("\(identifier: name) = x.place") }
    let links: SQLFragment =
      Set(contributions.map(\.owner.index)).count == 1
      ? "SELECT target, max(owner) AS owner, ownerEntity, place FROM (\(pairs)) GROUP BY target"
      : "SELECT target, owner, ownerEntity, place FROM (SELECT *, row_number() OVER (PARTITION BY target ORDER BY turn DESC, owner DESC) AS n FROM (\(pairs))) WHERE n = 1"
    let statement: SQLFragment =
      "UPDATE \(.destinationTable(table.name)) AS d SET \(assignments.joined(by: ", ")) FROM (\(links)) AS x WHERE d.Z_PK = x.target AND d.\(column) IS NULL"
    guard !isTooLarge(statement) else {
      return reasons.append(.tooManyMappings(property: relationship.name, entity: entity.name))
    }
    plan.steps.append(BulkPlan.Step(statement: statement))
  }

  /// Lets only the last of several rows keep a destination that can have but one: in the order of the mappings, then of
  /// the keys.
  private mutating func keepLast(
    _ key: EntityTable.Column, in table: EntityTable, of contributions: [BulkRelationshipMapping]
  ) {
    let target = SQLFragment.destinationTable(table.name)
    let column: SQLFragment = "\(identifier: key.name)"
    let others = [table.companion(of: key, .destinationEntity), table.companion(of: key, .order)].compactMap { $0 }
    let assignments = [key.name] + others
    let list = assignments.map { "\(identifier: $0) = NULL" as SQLFragment }.joined(by: ", ")
    let turns = contributions.map { contribution -> SQLFragment in
      "WHEN \(.number(contribution.owner.destinationNumber)) THEN \(.number(contribution.owner.index))"
    }
    let last: SQLFragment =
      turns.count < 2
      ? "SELECT max(Z_PK) FROM \(target) WHERE \(column) IS NOT NULL GROUP BY \(column)"
      : "SELECT k FROM (SELECT Z_PK AS k, row_number() OVER (PARTITION BY \(column) ORDER BY CASE Z_ENT \(turns.joined(by: " ")) END DESC, Z_PK DESC) AS n FROM \(target) WHERE \(column) IS NOT NULL) WHERE n = 1"
    plan.steps.append(
      BulkPlan.Step(
        statement: "UPDATE \(target) SET \(list) WHERE \(column) IS NOT NULL AND Z_PK NOT IN (\(last))"))
  }

  /// Gives places to the rows that have none: after those that have one, in the order of primary keys.
  mutating func number(_ order: String, by key: EntityTable.Column, in table: EntityTable) {
    let target = SQLFragment.destinationTable(table.name)
    let (column, place): (SQLFragment, SQLFragment) = ("\(identifier: key.name)", "\(identifier: order)")
    plan.steps.append(
      BulkPlan.Step(
        condition: "SELECT 1 FROM \(target) WHERE \(column) IS NOT NULL AND \(place) IS NULL LIMIT 1",
        statement:
          "UPDATE \(target) AS d SET \(place) = x.next FROM (SELECT Z_PK AS k, \(place) AS old, \(Self.next(place, by: column, then: "Z_PK")) AS next FROM \(target) WHERE \(column) IS NOT NULL) AS x WHERE x.old IS NULL AND d.Z_PK = x.k"
      ))
  }

  /// The next free place in a list: 2048, 3072 … in a new one.
  static func next(_ place: SQLFragment, by owner: SQLFragment, then key: SQLFragment) -> SQLFragment {
    "coalesce(max(\(place)) OVER (PARTITION BY \(owner)), 1024) + 1024 * row_number() OVER (PARTITION BY \(owner), \(place) IS NULL ORDER BY \(key))"
  }

  // MARK: - Links

  /// SQLITE_MAX_COMPOUND_SELECT is 500, SQLITE_MAX_EXPR_DEPTH 1000.
  private static let partLimit = 400
  /// SQLITE_MAX_VARIABLE_NUMBER is 32766.
  private static let argumentLimit = 32_000

  /// Plans the links that the rows themselves do not say: those that the other side gives, and the places.
  mutating func planLinks() {
    for entity in destination.model.entities {
      for relationship in entity.ownRelationships where !relationship.isTransient {
        planKeys(of: relationship, in: entity)
      }
    }
    for table in destination.joinTables { plan(table) }
  }

  private mutating func planKeys(of relationship: RelationshipDescription, in entity: EntityDescription) {
    let own = contributions(to: relationship.name, ofEntity: entity.name)
    if relationship.isToMany {
      // With an inverse, the key is that one's or there is a join table.
      guard relationship.inverseName == nil, !own.isEmpty else { return }
      guard let table = destination.table(forEntityNamed: relationship.destinationEntityName),
        let key = table.column(
          forProperty: relationship.name, ofEntities: destination.model.lineage(of: entity.name)),
        key.content == .foreignKey
      else { return reasons.append(.notStored(property: relationship.name, entity: entity.name)) }
      return update(key, in: table, with: own, relationship, entity)
    }
    guard let table = destination.table(forEntityNamed: entity.name),
      let key = destination.column(forProperty: relationship.name, ofEntityNamed: entity.name)
    else {
      if !own.isEmpty { reasons.append(.notStored(property: relationship.name, entity: entity.name)) }
      return
    }
    let inverse = inverseContributions(of: relationship)
    let missing = inverse.filter { !isRedundant($0, own) }
    if inverse.isEmpty, own.isEmpty { return }
    let isOneToOne = isOneToOne(relationship)
    guard !contradict(own, inverse), !isOneToOne || own.isEmpty || missing.isEmpty else {
      return reasons.append(.bothSides(property: relationship.name, entity: entity.name))
    }
    if isOneToOne {
      // Whose turn it was must show in the rows.
      guard Set(own.map(\.owner.destinationNumber)).count == own.count else {
        return reasons.append(.bothSides(property: relationship.name, entity: entity.name))
      }
    }
    // A pair that stays one, with both sides, comes over as it is.
    let isPair = isOneToOne && !own.isEmpty && !inverse.isEmpty
    let all = isPair ? missing : missing + mirrors(own.isEmpty ? inverse : own, areTurned: own.isEmpty)
    if !all.isEmpty { update(key, in: table, with: all, relationship, entity) }
    if isOneToOne, inverse.isEmpty { keepLast(key, in: table, of: own) }
    if let order = table.companion(of: key, .order) { number(order, by: key, in: table) }
  }

  /// Returns the mappings that fill a relationship that an entity declares.
  func contributions(to relationship: String, ofEntity name: String) -> [BulkRelationshipMapping] {
    moves(to: destination.model.tree(of: name)).compactMap { contributions[$0.index]?[relationship] }
  }

  /// Returns the mappings that fill the inverse of a relationship.
  private func inverseContributions(of relationship: RelationshipDescription) -> [BulkRelationshipMapping] {
    guard let name = relationship.inverseName,
      let owner = destination.model.owner(ofRelationship: name, from: relationship.destinationEntityName)
    else { return [] }
    return contributions(to: name, ofEntity: owner)
  }

  /// The links of one-to-one pairs of the source as the other side has them, which may be the only one that does.
  ///
  /// - Parameter areTurned: Whether the contributions are those of the inverse.
  private func mirrors(
    _ contributions: [BulkRelationshipMapping], areTurned: Bool = false
  ) -> [BulkRelationshipMapping] {
    contributions.flatMap { contribution -> [BulkRelationshipMapping] in
      guard case .own = contribution.layout, let name = contribution.source?.inverseName else { return [] }
      return contribution.targets.compactMap { target in
        guard let inverse = target.source.relationship(named: name),
          case .own(let key, let entity, let order) = source.layouts.layout(
            of: inverse, ofEntityNamed: target.source.name)
        else { return nil }
        return BulkRelationshipMapping(
          owner: target, relationship: contribution.relationship, source: inverse,
          layout: .own(key: key, entity: entity, inverseOrder: order), targets: [contribution.owner],
          isTurned: areTurned)
      }
    }
  }

  private func isOneToOne(_ relationship: RelationshipDescription) -> Bool {
    guard let name = relationship.inverseName else { return false }
    let inverse = destination.model.entity(named: relationship.destinationEntityName)?.relationship(named: name)
    return inverse?.isToMany == false
  }

  /// Whether all links that a contribution gives are given by mappings of the other side too.
  ///
  /// Nearly always they are: a source that has both sides has the same links on both.
  private func isRedundant(_ contribution: BulkRelationshipMapping, _ others: [BulkRelationshipMapping]) -> Bool {
    contribution.targets.allSatisfy { target in
      others.contains { $0.owner.index == target.index && $0.mirrors(contribution) }
    }
  }

  /// The queries of several contributions as one, with a filter that cannot be SQL refused where it is planned.
  func union(
    _ contributions: [BulkRelationshipMapping], _ select: (SQLFragment) -> SQLFragment = { $0 }
  ) -> SQLFragment? {
    let queries = contributions.compactMap { contribution in
      (try? contribution.pairs()).map(select)
    }
    guard queries.count == contributions.count, !queries.isEmpty else { return nil }
    return queries.joined(by: " UNION ALL ")
  }

  /// Whether links are more than one statement can have.
  func isTooLarge(_ contributions: [BulkRelationshipMapping]) -> Bool {
    contributions.count > Self.partLimit
      || contributions.contains { $0.targets.count { $0.filter != nil } > Self.partLimit }
  }

  /// Whether a statement has more arguments than SQLite takes.
  func isTooLarge(_ statement: SQLFragment) -> Bool { statement.arguments.count > Self.argumentLimit }

  // MARK: - Join tables

  /// Plans the rows of a join table: the links that either side gives, each once.
  mutating func plan(_ table: JoinTable) {
    let (relationship, entity) = (table.naming.relationshipName, table.naming.entityName)
    let naming = contributions(to: relationship, ofEntity: entity)
    var inverse = naming
    if !table.isReflexive {
      inverse = contributions(to: table.inverse.relationshipName, ofEntity: table.inverse.entityName)
    }
    guard !contradict(naming, inverse) else {
      return reasons.append(.bothSides(property: relationship, entity: entity))
    }
    inverse = table.isReflexive ? [] : inverse.filter { !isRedundant($0, naming) } + mirrors(naming)
    let turned = table.isReflexive || !naming.isEmpty ? [] : mirrors(inverse)
    guard !naming.isEmpty || !inverse.isEmpty else { return }
    guard !isTooLarge(naming + inverse) else {
      return reasons.append(.tooManyMappings(property: relationship, entity: entity))
    }
    var queries = [
      union(naming + turned) { pairs in
        "SELECT owner AS a, target AS b, place AS p, inversePlace AS q FROM (\(pairs))"
      },
      union(inverse) { pairs in
        "SELECT target AS a, owner AS b, inversePlace AS p, place AS q FROM (\(pairs))"
      },
    ]
    if table.isReflexive { queries.append(mirrored(naming)) }
    let links = queries.compactMap { $0 }
    // An empty list: a filter is refused where its own mapping is planned.
    guard !links.isEmpty else { return }
    let statement = statement(table, links)
    guard !isTooLarge(statement) else {
      return reasons.append(.tooManyMappings(property: relationship, entity: entity))
    }
    let keys: SQLFragment = table.isReflexive ? "b, a" : "a, b"
    plan.joins.append(
      BulkPlan.Join(
        table: table.name, statement: statement,
        pairs: table.isOrdered ? nil : "SELECT \(keys) FROM (\(links.joined(by: " UNION ALL ")))"))
  }

  /// Friendship that only one side is given holds both ways where it is its own inverse.
  private func mirrored(_ contributions: [BulkRelationshipMapping]) -> SQLFragment? {
    let oneSided = contributions.filter { !isRedundant($0, contributions) }
    return union(oneSided) { pairs in
      "SELECT target AS a, owner AS b, NULL AS p, NULL AS q FROM (\(pairs))"
    }
  }

  private func statement(_ table: JoinTable, _ links: [SQLFragment]) -> SQLFragment {
    let named = table.namingLinks
    var columns: [SQLFragment] = ["\(identifier: named.sourceColumn)", "\(identifier: named.destinationColumn)"]
    var values: [SQLFragment] = ["a", "b"]
    if let order = named.orderColumn {
      columns.append("\(identifier: order)")
      values.append("coalesce(p, \(Self.next("p", by: "a", then: "b")))")
    }
    if let order = named.inverseOrderColumn {
      columns.append("\(identifier: order)")
      values.append("coalesce(q, \(Self.next("q", by: "b", then: "a")))")
    }
    let sorting: SQLFragment = table.isReflexive ? "b, a" : "a, b"
    return
      "INSERT INTO \(.destinationTable(table.name)) (\(columns.joined(by: ", "))) SELECT \(values.joined(by: ", ")) FROM (SELECT a, b, max(p) AS p, max(q) AS q FROM (\(links.joined(by: " UNION ALL "))) GROUP BY a, b) ORDER BY \(sorting)"
  }
}

extension BulkRelationshipMapping {
  /// The rows `o` and their destinations `r` of a pair of tables, for FROM.
  func rows(from source: String, to destination: String) -> SQLFragment {
    let (source, destination): (SQLFragment, SQLFragment) = (.sourceTable(source), .sourceTable(destination))
    switch layout {
    case nil: return "\(source) o JOIN \(destination) r ON r.Z_PK = o.Z_PK"
    case .own(let key, _, _): return "\(source) o JOIN \(destination) r ON r.Z_PK = o.\(identifier: key)"
    // CROSS keeps the order of the loops: the keys are looked up in the table that has them for its primary keys.
    case .destination(_, let key, _):
      return "\(destination) r CROSS JOIN \(source) o ON o.Z_PK = r.\(identifier: key)"
    case .join(let links):
      let table = SQLFragment.sourceTable(links.table.name)
      let (from, to): (SQLFragment, SQLFragment) = (
        "\(identifier: links.sourceColumn)", "\(identifier: links.destinationColumn)"
      )
      guard links.table.isReflexive else {
        // Rows that a filter must read are read in their order, and their links found by the index of the join table.
        if targets.contains(where: { $0.filter != nil }) {
          return
            "\(destination) r CROSS JOIN \(table) j ON j.\(to) = r.Z_PK CROSS JOIN \(source) o ON o.Z_PK = j.\(from)"
        }
        return
          "\(table) j CROSS JOIN \(source) o ON o.Z_PK = j.\(from) CROSS JOIN \(destination) r ON r.Z_PK = j.\(to)"
      }
      // A link of a relationship that is its own inverse may be there once or both ways.
      return
        "(SELECT \(to) AS a, \(from) AS b FROM \(table) UNION SELECT \(from), \(to) FROM \(table)) j CROSS JOIN \(source) o ON o.Z_PK = j.a CROSS JOIN \(destination) r ON r.Z_PK = j.b"
    }
  }

  /// The place of the destination among those of its row.
  var place: SQLFragment {
    switch layout {
    case .destination(_, _, let order): order.map { "r.\(identifier: $0)" } ?? "NULL"
    case .join(let links): (links.table.isReflexive ? nil : links.orderColumn).map { "j.\(identifier: $0)" } ?? "NULL"
    case .own, nil: "NULL"
    }
  }

  /// The place of the row among those of its destination.
  var inversePlace: SQLFragment {
    switch layout {
    case .own(_, _, let order): order.map { "o.\(identifier: $0)" } ?? "NULL"
    case .join(let links): links.inverseOrderColumn.map { "j.\(identifier: $0)" } ?? "NULL"
    case .destination, nil: "NULL"
    }
  }
}

extension EntityTable {
  /// The name of the column that goes with a foreign key: that of the destination's entity or that of the place.
  func companion(of key: Column, _ content: Column.Content) -> String? {
    columns.first {
      $0.content == content && $0.propertyName == key.propertyName && $0.entityName == key.entityName
    }?.name
  }
}

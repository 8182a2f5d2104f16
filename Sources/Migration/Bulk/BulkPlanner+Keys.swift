internal import DataModel
internal import Expressions
internal import PersistentStore

extension BulkPlanner {
  /// Fills keys that are still empty from the other side; where several rows claim one, the last one has it, as if they
  /// had been set one after the other: in the order of the mappings, then of the keys.
  mutating func update(
    _ key: EntityTable.Column, in table: EntityTable, with contributions: [BulkContribution],
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
  mutating func keepLast(_ key: EntityTable.Column, in table: EntityTable, of contributions: [BulkContribution]) {
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
}

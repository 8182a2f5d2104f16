internal import DataModel
internal import Expressions
internal import PersistentStore

extension BulkPlanner {
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
    inverse = table.isReflexive ? [] : inverse.filter { !isRedundant($0, naming) }
    guard !naming.isEmpty || !inverse.isEmpty else { return }
    guard !isTooLarge(naming + inverse) else {
      return reasons.append(.tooManyMappings(property: relationship, entity: entity))
    }
    var queries = [
      union(naming) { pairs in
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
    plan.joins.append(BulkPlan.Join(table: table.name, statement: statement))
  }

  /// Friendship that only one side is given holds both ways where it is its own inverse.
  private func mirrored(_ contributions: [BulkContribution]) -> SQLFragment? {
    let oneSided = contributions.filter { !isRedundant($0, contributions) }
    return union(oneSided) { pairs in
      "SELECT target AS a, owner AS b, NULL AS p, NULL AS q FROM (\(pairs))"
    }
  }

  private func statement(_ table: JoinTable, _ links: [SQLFragment]) -> SQLFragment {
    // The owner of a link of the naming side is a destination of the other.
    var columns: [SQLFragment] = [
      "\(identifier: table.inverse.destinationColumn)", "\(identifier: table.naming.destinationColumn)",
    ]
    var values: [SQLFragment] = ["a", "b"]
    if let order = table.naming.orderColumn {
      columns.append("\(identifier: order)")
      values.append("coalesce(p, \(Self.next("p", by: "a", then: "b")))")
    }
    if let order = table.inverse.orderColumn {
      columns.append("\(identifier: order)")
      values.append("coalesce(q, \(Self.next("q", by: "b", then: "a")))")
    }
    let sorting: SQLFragment = table.isReflexive ? "b, a" : "a, b"
    return
      "INSERT INTO \(.destinationTable(table.name)) (\(columns.joined(by: ", "))) SELECT \(values.joined(by: ", ")) FROM (SELECT a, b, max(p) AS p, max(q) AS q FROM (\(links.joined(by: " UNION ALL "))) GROUP BY a, b) ORDER BY \(sorting)"
  }
}

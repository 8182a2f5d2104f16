internal import DataModel
internal import Expressions

/// The links that one relationship mapping gives.
struct BulkContribution {
  /// The rows whose relationship it is.
  let owner: BulkMove
  /// The destination's relationship.
  let relationship: RelationshipDescription
  /// The source's relationship that is followed; `nil` for `$source` itself.
  let source: RelationshipDescription?
  let link: SourceLink
  /// The mappings that may have made the destinations, of one source table.
  let targets: [BulkMove]

  /// Whether this gives the same links as another mapping does for the inverse relationship.
  func mirrors(_ other: BulkContribution) -> Bool {
    guard targets.contains(where: { $0.index == other.owner.index }) else { return false }
    guard let source, let otherSource = other.source else { return source == nil && other.source == nil }
    return source.inverseName == otherSource.name && otherSource.inverseName == source.name
  }

  /// What is true of the rows `r` that are carried over; `nil` where all are.
  func targetCondition() throws(SQLRefusal) -> SQLFragment? {
    var numbers: [SQLFragment] = []
    var parts: [SQLFragment] = []
    for target in targets {
      if target.filter == nil, let number = target.sourceNumber {
        numbers.append(.number(number))
      } else if let condition = try target.condition("r") {
        parts.append("(\(condition))")
      } else {
        return nil
      }
    }
    if !numbers.isEmpty { parts.append("r.Z_ENT IN (\(numbers.joined(by: ", ")))") }
    return "(\(parts.joined(by: " OR ")))"
  }

  /// The destination's number of what a row `r` has become.
  var targetNumber: SQLFragment {
    let numbers = targets.map(\.destinationNumber)
    if let first = numbers.first, numbers.allSatisfy({ $0 == first }) { return .number(first) }
    let cases = targets.map { target -> SQLFragment in
      "WHEN \(.number(target.sourceNumber ?? 0)) THEN \(.number(target.destinationNumber))"
    }
    return "CASE r.Z_ENT \(cases.joined(by: " ")) END"
  }

  /// The query of all links: `owner`, `target`, the place of the mapping that has its `turn`, the owner's entity number and
  /// the places on both sides.
  func pairs() throws(SQLRefusal) -> SQLFragment {
    let conditions = [try owner.condition("o"), try targetCondition()].compactMap { $0 }
    let filter: SQLFragment = conditions.isEmpty ? "" : " WHERE \(conditions.joined(by: " AND "))"
    guard let target = targets.first else {
      return "SELECT 0 AS owner, 0 AS target, 0 AS turn, 0 AS ownerEntity, 0 AS place, 0 AS inversePlace WHERE 0"
    }
    return
      "SELECT o.Z_PK AS owner, r.Z_PK AS target, \(.number(owner.index)) AS turn, \(.number(owner.destinationNumber)) AS ownerEntity, \(link.place) AS place, \(link.inversePlace) AS inversePlace FROM \(link.rows(from: owner.sourceTable.name, to: target.sourceTable.name))\(filter)"
  }

  /// The destination of a row `t0` and its entity's number, for a relationship that leads to one; `nil` if this leads
  /// to several.
  func target() throws(SQLRefusal) -> (key: SQLFragment, entity: SQLFragment, place: SQLFragment?)? {
    let column: SQLFragment
    var place: SQLFragment?
    switch link {
    case .itself: column = "t0.Z_PK"
    case .own(let name, let inversePlace):
      column = "t0.\(identifier: name)"
      place = inversePlace.map { "t0.\(identifier: $0)" }
    case .inverse, .joinTable, .mutual: return nil
    }
    guard let table = targets.first?.sourceTable.name else { return ("NULL", "NULL", nil) }
    let condition: SQLFragment = try targetCondition().map { " AND \($0)" } ?? ""
    let rows: SQLFragment = " FROM \(.sourceTable(table)) r WHERE r.Z_PK = \(column)\(condition)"
    let key: SQLFragment = "(SELECT r.Z_PK\(rows))"
    return (
      key, "(SELECT \(targetNumber)\(rows))", place.map { "CASE WHEN \(key) IS NOT NULL THEN \($0) END" }
    )
  }
}

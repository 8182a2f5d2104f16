internal import DataModel
internal import Expressions
internal import PersistentStore

extension BulkPlanner {
  /// Plans the statements that carry rows over, with their attributes and to-one relationships.
  mutating func planCopies() {
    for move in moves {
      var columns: [(name: String, value: SQLFragment)] = []
      for attribute in move.destination.attributes where !attribute.isTransient {
        if let column = destination.column(forProperty: attribute.name, ofEntityNamed: move.destination.name),
          let value = value(of: attribute, in: move)
        {
          columns.append((column.name, value))
        }
      }
      checkNames(of: move)
      for relationship in move.destination.relationships where !relationship.isToMany && !relationship.isTransient {
        columns += keyColumns(of: relationship, in: move)
      }
      do throws(SQLRefusal) {
        append(move, columns, try rows(of: move))
      } catch {
        reasons.append(.filter(error.description, mapping: move.mapping.name))
      }
    }
  }

  private mutating func append(_ move: BulkMove, _ columns: [(name: String, value: SQLFragment)], _ rows: SQLFragment) {
    let table = SQLFragment.destinationTable(move.destinationTable.name)
    let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map { "\(identifier: $0.name)" } as [SQLFragment])
    let values: [SQLFragment] = ["t0.Z_PK", .number(move.destinationNumber), "t0.Z_OPT"] + columns.map(\.value)
    let entity: SQLFragment = move.sourceNumber.map { " WHERE t0.Z_ENT = \(.number($0))" } ?? ""
    let insertion: SQLFragment =
      "INSERT INTO \(table) (\(names.joined(by: ", "))) SELECT \(values.joined(by: ", "))\(rows)"
    let statement: SQLFragment = "\(insertion) ORDER BY t0.Z_PK"
    let conjunction: SQLFragment = move.sourceNumber == nil && move.filter == nil ? "WHERE" : "AND"
    guard !isTooLarge(statement) else {
      return reasons.append(.tooLarge(mapping: move.mapping.name))
    }
    plan.copies.append(
      BulkPlan.Copy(
        mappingName: move.mapping.name, sourceEntity: move.source.name, destinationEntity: move.destination.name,
        destinationTable: move.destinationTable.name,
        statement: statement,
        slice: "\(insertion) \(conjunction) t0.Z_PK BETWEEN \(.number(0)) AND \(.number(0)) ORDER BY t0.Z_PK",
        sourceTable: move.sourceTable.name,
        count: move.filter == nil
          ? nil : "SELECT count(*) FROM \(.sourceTable(move.sourceTable.name)) t0\(entity)",
        sharedKeys: "SELECT t0.Z_PK FROM \(table) d CROSS JOIN (SELECT t0.Z_PK\(rows)) t0 ON t0.Z_PK = d.Z_PK"))
    if let root = move.destinationTable.entityNames.first, let sourceRoot = move.sourceTable.entityNames.first {
      plan.keySources[root, default: []].insert(source.entityNumber(sourceRoot))
    }
  }

  /// `FROM` and `WHERE` of the source rows `t0`.
  private func rows(of move: BulkMove) throws(SQLRefusal) -> SQLFragment {
    let condition: SQLFragment = try move.condition("t0").map { " WHERE \($0)" } ?? ""
    return " FROM \(.sourceTable(move.sourceTable.name)) t0\(condition)"
  }

  private mutating func checkNames(of move: BulkMove) {
    for mapping in move.mapping.attributeMappings where move.destination.attribute(named: mapping.name) == nil {
      reasons.append(.unknownProperty(mapping.name, mapping: move.mapping.name))
    }
  }

  /// The columns of a to-one relationship that the mapping itself gives a destination.
  private mutating func keyColumns(
    of relationship: RelationshipDescription, in move: BulkMove
  ) -> [(name: String, value: SQLFragment)] {
    guard let contribution = contributions[move.index]?[relationship.name] else { return [] }
    guard let key = destination.column(forProperty: relationship.name, ofEntityNamed: move.destination.name) else {
      reasons.append(.notStored(property: relationship.name, entity: move.destination.name))
      return []
    }
    guard !isTooLarge([contribution]) else {
      reasons.append(.tooManyMappings(property: relationship.name, entity: move.destination.name))
      return []
    }
    // A filter of another mapping is refused where that one is planned.
    guard let target = try? contribution.target() else {
      if contribution.leadsToSeveral {
        reasons.append(.severalDestinations(property: relationship.name, mapping: move.mapping.name))
      }
      return []
    }
    var columns = [(name: key.name, value: target.key)]
    if let entity = move.destinationTable.companion(of: key, .destinationEntity) {
      columns.append((entity, target.entity))
    }
    if let order = move.destinationTable.companion(of: key, .order), let place = target.place {
      columns.append((order, place))
    }
    return columns
  }
}

extension BulkContribution {
  fileprivate var leadsToSeveral: Bool {
    switch link {
    case .itself, .own: false
    case .inverse, .joinTable, .mutual: true
    }
  }
}

internal import DataModel
internal import Expressions
internal import PersistentStore

extension BulkPlanner {
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
      update(key, in: table, with: own, relationship, entity)
      return count(key, in: table, relationship, entity)
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
      if inverse.isEmpty { keepLast(key, in: table, of: own) }
    }
    if !missing.isEmpty { update(key, in: table, with: missing, relationship, entity) }
    if let order = table.companion(of: key, .order) { number(order, by: key, in: table) }
    count(key, in: table, relationship, entity)
  }

  private mutating func count(
    _ key: EntityTable.Column, in table: EntityTable, _ relationship: RelationshipDescription,
    _ entity: EntityDescription
  ) {
    plan.keys.append(
      BulkPlan.Key(entity: entity.name, relationship: relationship.name, table: table.name, column: key.name))
  }

  /// What mappings give a relationship that an entity declares.
  func contributions(to relationship: String, ofEntity name: String) -> [BulkContribution] {
    let tree = destination.model.tree(of: name)
    return moves.filter { tree.contains($0.destination.name) }.compactMap {
      contributions[$0.index]?[relationship]
    }
  }

  /// What mappings give the inverse of a relationship.
  private func inverseContributions(of relationship: RelationshipDescription) -> [BulkContribution] {
    guard let name = relationship.inverseName,
      let owner = destination.model.owner(ofRelationship: name, from: relationship.destinationEntityName)
    else { return [] }
    return contributions(to: name, ofEntity: owner)
  }

  private func isOneToOne(_ relationship: RelationshipDescription) -> Bool {
    guard let name = relationship.inverseName else { return false }
    let inverse = destination.model.entity(named: relationship.destinationEntityName)?.relationship(named: name)
    return inverse?.isToMany == false
  }

  /// Whether all links that a contribution gives are given by mappings of the other side too.
  ///
  /// Nearly always they are: a source that has both sides has the same links on both.
  func isRedundant(_ contribution: BulkContribution, _ others: [BulkContribution]) -> Bool {
    contribution.targets.allSatisfy { target in
      others.contains { $0.owner.index == target.index && $0.mirrors(contribution) }
    }
  }

  /// The queries of several contributions as one, with a filter that cannot be SQL refused where it is planned.
  func union(
    _ contributions: [BulkContribution], _ select: (SQLFragment) -> SQLFragment = { $0 }
  ) -> SQLFragment? {
    let queries = contributions.compactMap { contribution in
      (try? contribution.pairs()).map(select)
    }
    guard queries.count == contributions.count, !queries.isEmpty else { return nil }
    return queries.joined(by: " UNION ALL ")
  }

  /// Whether links are more than one statement can have.
  func isTooLarge(_ contributions: [BulkContribution]) -> Bool {
    contributions.count > Self.partLimit
      || contributions.contains { $0.targets.count { $0.filter != nil } > Self.partLimit }
  }

  /// Whether a statement has more arguments than SQLite takes.
  func isTooLarge(_ statement: SQLFragment) -> Bool { statement.arguments.count > Self.argumentLimit }
}

internal import PersistentStore
internal import SQLiteDatabase

/// Compares the links of a many-to-many relationship that both versions have.
struct JoinTableComparison {
  /// How one of the stores keeps the links.
  private struct Layout {
    let side: StoreSide
    let table: JoinTable
    let naming: JoinTable.Side
    let inverse: JoinTable.Side

    /// The links in the order of their keys: those of the inverse's destinations, who have the relationship, first.
    func rows() throws(SQLiteError) -> Statement {
      let (owner, destination) = (inverse.destinationColumn.quotedIdentifier, naming.destinationColumn.quotedIdentifier)
      let table = table.name.quotedIdentifier
      // A relationship that is its own inverse may be there once or both ways.
      if self.table.isReflexive {
        return try side.connection.prepare(
          "SELECT \(owner), \(destination) FROM \(table) UNION SELECT \(destination), \(owner) FROM \(table) ORDER BY 1, 2"
        )
      }
      let orders = [naming.orderColumn, inverse.orderColumn].compactMap { $0?.quotedIdentifier }
      return try side.connection.prepare(
        "SELECT \(([owner, destination] + orders).joined(separator: ", ")) FROM \(table) ORDER BY 1, 2")
    }
  }

  private let old: Layout
  private let new: Layout
  private let log: DifferenceLog

  /// Prepares the comparison; `nil` when the relationship is not on both sides.
  init?(_ table: JoinTable, old: StoreSide, new: StoreSide, log: DifferenceLog) {
    let (relationship, entity) = (table.naming.relationshipName, table.naming.entityName)
    guard let oldTable = old.schema.joinTable(forRelationship: relationship, ofEntityNamed: entity) else { return nil }
    let isNaming =
      oldTable.naming.relationshipName == relationship && oldTable.naming.entityName == entity
    self.old = Layout(
      side: old, table: oldTable, naming: isNaming ? oldTable.naming : oldTable.inverse,
      inverse: isNaming ? oldTable.inverse : oldTable.naming)
    self.new = Layout(side: new, table: table, naming: table.naming, inverse: table.inverse)
    self.log = log
  }

  func run() throws {
    let (first, second) = (try old.rows(), try new.rows())
    var (hasFirst, hasSecond) = (try first.step(), try second.step())
    while hasFirst || hasSecond {
      let (link, other) = (Self.link(first), Self.link(second))
      let isInOld = hasFirst && (!hasSecond || link <= other)
      let isInNew = hasSecond && (!hasFirst || other <= link)
      if isInOld, isInNew {
        try compareOrders(first, second)
      } else if isInOld {
        if try exists(link) { try add(.missingLink, link) { $0.expected = "\(link.1)" } }
      } else {
        try add(.extraLink, other) { $0.found = "\(other.1)" }
      }
      if isInOld { hasFirst = try first.step() }
      if isInNew { hasSecond = try second.step() }
    }
  }

  private static func link(_ row: Statement) -> (Int64, Int64) { (row.integer(0), row.integer(1)) }

  /// A place that is not there is given by the migration.
  private func compareOrders(_ first: Statement, _ second: Statement) throws {
    guard !old.table.isReflexive else { return }
    for column in 2..<max(2, first.columnCount) where !first.isNull(column) {
      guard column < second.columnCount, !StoredValue.areEqual(first, column, second, column) else { continue }
      try add(.value, Self.link(first)) {
        $0.detail = "place of \(Self.link(first).1)"
        ($0.expected, $0.found) = (StoredValue.text(first, column), StoredValue.text(second, column))
      }
    }
  }

  /// Whether both ends of an old link are there; one that leads nowhere is not carried over.
  private func exists(_ link: (Int64, Int64)) throws -> Bool {
    let schema = old.side.schema
    guard let owners = schema.table(forEntityNamed: old.naming.entityName),
      let destinations = schema.table(forEntityNamed: old.inverse.entityName)
    else { return false }
    return try old.side.hasRow(link.0, in: owners.name) && old.side.hasRow(link.1, in: destinations.name)
  }

  private func add(
    _ kind: Difference.Kind, _ link: (Int64, Int64), _ fill: (inout Difference) -> Void
  ) throws {
    try log.add(kind) {
      ($0.entity, $0.row) = (new.naming.entityName, link.0)
      $0.property = new.naming.relationshipName
      fill(&$0)
    }
  }
}

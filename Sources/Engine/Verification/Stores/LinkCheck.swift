internal import DataModel
internal import PersistentStore
package import SQLiteDatabase

/// Compares the links of the new store with those that the old one's must have become.
///
/// Those are gathered in a scratch database on the disk, in the order of their new keys, so that memory does not grow
/// with their number.
package struct LinkCheck {
  private let lineage: Lineage
  /// The ways of links by the new entity of their owners.
  private let routesByEntity: [String: [LinkRoute]]
  private let entities: EntityCheck
  private let old: StoreSide
  private let new: StoreSide
  private var log: DifferenceLog
  private let scratch: Connection
  /// The number of links that there have to be.
  private(set) var count: Int64 = 0
  /// The links of each relationship that were left out since one of their ends has room for one only.
  private(set) var droppedCounts: [String: Int64] = [:]
  /// The contents that were not compared, and the reasons.
  private(set) var unchecked: [String] = []
  /// The number of links that the old store has at one end only, of the relationship that is compared.
  private var oneSidedCount = 0

  package init(
    _ lineage: Lineage, _ entities: EntityCheck, old: StoreSide, new: StoreSide, scratch: Connection, log: DifferenceLog
  ) throws {
    (self.lineage, self.entities, self.old, self.new) = (lineage, entities, old, new)
    (self.scratch, self.log) = (scratch, log)
    routesByEntity = Dictionary(grouping: lineage.links) { lineage.routes[$0.owner].destination }
    try scratch.execute(
      """
      CREATE TABLE links (owner INTEGER, target INTEGER, place, inversePlace, isFree INTEGER, isFound INTEGER,
        ends INTEGER, PRIMARY KEY (owner, target)) WITHOUT ROWID;
      CREATE INDEX linksByTarget ON links (target);
      CREATE TABLE places (owner INTEGER, target INTEGER, place, inversePlace, newPlace, newInversePlace)
      """)
  }

  /// Compares the links of all relationships, each pair of inverse ones once.
  package mutating func run() throws {
    var seen: Set<RelationshipEnd> = []
    let model = new.schema.model
    for entity in model.entities {
      for relationship in entity.ownRelationships where !relationship.isTransient {
        let inverse = relationship.inverse(in: model)
        let back = inverse.flatMap { RelationshipEnd($0, of: relationship.destinationEntityName, in: model) }
        if let back, seen.contains(back) { continue }
        if let end = RelationshipEnd(relationship, of: entity.name, in: model) { seen.insert(end) }
        // Where one of them leads to one, that is how both are kept.
        if let inverse, let back, relationship.isToMany, !inverse.isToMany {
          try check(inverse, of: back.entity, relationship)
        } else {
          try check(relationship, of: entity.name, inverse)
        }
      }
    }
  }

  private mutating func check(
    _ relationship: RelationshipDescription, of entity: String, _ inverse: RelationshipDescription?
  ) throws {
    let model = new.schema.model
    let family = model.tree(of: entity)
    if let reason = lineage.reason(relationship.name, of: entity) {
      unchecked.append("\(entity).\(relationship.name): its links, since \(reason)")
      return
    }
    let routes = family.flatMap { routesByEntity[$0] ?? [] }.filter { $0.relationship == relationship.name }
    guard routes.allSatisfy({ entities.knows($0.owner) && entities.knows($0.target) }) else {
      unchecked.append("\(entity).\(relationship.name): its links, since it is not known which rows they belong to")
      return
    }
    defer { entities.usesAlternatives = false }
    // Where equal rows do not tell which they were, the links decide, if they fit either way.
    if routes.contains(where: { entities.isAmbiguous($0.owner) || entities.isAmbiguous($0.target) }) {
      func isRight(_ usesAlternatives: Bool) throws -> Bool {
        var trial = self
        trial.log = DifferenceLog(limit: 0) { _ in }
        entities.usesAlternatives = usesAlternatives
        try trial.compare(routes, relationship, of: entity, inverse)
        return trial.log.count == 0
      }
      entities.usesAlternatives = try !isRight(false) && isRight(true)
    }
    try compare(routes, relationship, of: entity, inverse)
  }

  /// Compares the links of some ways with those of the new store.
  private mutating func compare(
    _ routes: [LinkRoute], _ relationship: RelationshipDescription, of entity: String,
    _ inverse: RelationshipDescription?
  ) throws {
    try scratch.execute("DELETE FROM links; DELETE FROM places")
    for route in routes { try gather(route) }
    guard let storage = LinkStorage(relationship, ofEntityNamed: entity, in: new.schema) else { return }
    // Of a pair that leads to one both ways, each side keeps a key of its own.
    var other: LinkStorage?
    if let inverse, !inverse.isToMany, !relationship.isToMany {
      other = LinkStorage(inverse, ofEntityNamed: relationship.destinationEntityName, in: new.schema)?.reversed
      if other == storage { other = nil }
    }
    oneSidedCount = 0
    try compare(storage, entity, relationship, isFirst: true, hasOther: other != nil)
    try countLinks(entity, relationship.name)
    if let other { try compare(other, entity, relationship, isFirst: false, hasOther: true) }
    if oneSidedCount > 0 {
      unchecked.append(
        "\(entity).\(relationship.name): the other end of \(oneSidedCount.counting("link")) that the old store has at one "
          + "end only")
    }
    if relationship.isOrdered { try compareOrder("owner", "place", "newPlace", entity, relationship.name) }
    if let inverse, inverse.isOrdered {
      try compareOrder(
        "target", "inversePlace", "newInversePlace", relationship.destinationEntityName, inverse.name)
    }
  }

  /// Gathers the links of one way, with the keys that their rows have now.
  private func gather(_ link: LinkRoute) throws {
    let (owner, target) = (lineage.routes[link.owner], lineage.routes[link.target])
    guard let owners = old.schema.table(forEntityNamed: owner.source)?.name,
      let targets = old.schema.table(forEntityNamed: target.source)?.name
    else { return }
    let conditions = [owner.condition(in: old, alias: "o"), target.condition(in: old, alias: "t")].compactMap { $0 }
    let rows = try old.connection.prepare(
      link.storage.query(owners: owners, targets: targets, conditions: conditions))
    let insertion = try scratch.prepare(
      """
      INSERT INTO links VALUES (?, ?, ?, ?, ?, 0, ?) ON CONFLICT DO UPDATE SET
        place = coalesce(place, excluded.place), inversePlace = coalesce(inversePlace, excluded.inversePlace),
        isFree = isFree & excluded.isFree, ends = ends | excluded.ends
      """)
    // Of several links that only one of can stay, any may: which, is a matter of the order of the work.
    let isFree: Int64 = (link.hasOneTarget ? 0 : 1) + (link.hasOneOwner ? 0 : 2) + (link.wasNarrowed ? 0 : 4)
    while try rows.step() {
      guard let first = try entities.newKey(of: rows.integer(0), on: link.owner),
        let second = try entities.newKey(of: rows.integer(1), on: link.target)
      else { continue }
      try insertion.bind(first, at: 1)
      try insertion.bind(second, at: 2)
      // What had no order gets one.
      for (column, place) in [(2, link.storage.place), (3, link.storage.inversePlace)] {
        let value = place == nil ? .text(Self.noOrder) : ColumnValue(rows, column)
        try value.bind(to: insertion, at: Int32(column + 1))
      }
      try insertion.bind(isFree, at: 5)
      try insertion.bind(link.keepsBothEnds ? link.storage.end : 3, at: 6)
      try insertion.run()
    }
  }

  /// Stands for the place of a link in a relationship that has no order.
  private static let noOrder = "none"

  /// - Parameters:
  ///   - isFirst: Whether the other end was not compared before, where both keep keys of their own.
  ///   - hasOther: Whether both keep keys of their own.
  private mutating func compare(
    _ storage: LinkStorage, _ entity: String, _ relationship: RelationshipDescription, isFirst: Bool, hasOther: Bool
  ) throws {
    try noteFound(storage, isFirst: isFirst)
    let found = try new.connection.prepare(storage.sortedQuery)
    let expected = try scratch.prepare(
      "SELECT owner, target, place, inversePlace, isFree, isFound, ends FROM links ORDER BY 1, 2")
    let insertion = try scratch.prepare("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?)")
    let hasPlaces = storage.place != nil || storage.inversePlace != nil
    let log = log
    func add(_ kind: Difference.Kind, _ link: Statement) throws {
      try log.add(kind) {
        ($0.entity, $0.row, $0.property) = (entity, link.integer(0), relationship.name)
        if kind == .missingLink { $0.expected = "\(link.integer(1))" } else { $0.found = "\(link.integer(1))" }
      }
    }
    var (hasFound, hasExpected) = (try found.step(), try expected.step())
    while hasFound || hasExpected {
      let first = (expected.integer(0), expected.integer(1))
      let second = (found.integer(0), found.integer(1))
      let isExpected = hasExpected && (!hasFound || first <= second)
      let isFound = hasFound && (!hasExpected || second <= first)
      if isExpected, isFound {
        if hasPlaces {
          for column in 0..<4 { try ColumnValue(expected, column).bind(to: insertion, at: Int32(column + 1)) }
          for column in 2..<4 { try ColumnValue(found, column).bind(to: insertion, at: Int32(column + 3)) }
          try insertion.run()
        }
      } else if isExpected {
        let ends = expected.integer(6)
        if hasOther, ends & storage.end == 0, ends != 0 {
          // The old store lacks it at this end as well; at the other, it must be there.
          oneSidedCount += 1
        } else if isFirst || expected.integer(5) == 0 || ends == storage.end, try !isDisplaced(expected) {
          // What one end has, the other one must have, unless it has another link; what neither has was named before.
          try add(.missingLink, expected)
        }
      } else {
        try add(.extraLink, found)
      }
      if isExpected { hasExpected = try expected.step() }
      if isFound { hasFound = try found.step() }
    }
  }

  /// Notes which of the expected links are there.
  private func noteFound(_ storage: LinkStorage, isFirst: Bool) throws {
    // -1 for a link that the other end lacks as well.
    if !isFirst { try scratch.execute("UPDATE links SET isFound = isFound - 1") }
    let found = try new.connection.prepare(storage.sortedQuery)
    let update = try scratch.prepare("UPDATE links SET isFound = 1 WHERE owner = ? AND target = ?")
    while try found.step() {
      try update.bind(found.integer(0), at: 1)
      try update.bind(found.integer(1), at: 2)
      try update.run()
    }
  }

  /// Counts the links that there have to be: those that are there, and those that are missing.
  private mutating func countLinks(_ entity: String, _ relationship: String) throws {
    let all = try scratch.integer("SELECT count(*) FROM links") ?? 0
    var dropped: Int64 = 0
    let rows = try scratch.prepare(
      "SELECT owner, target, 0, 0, isFree FROM links WHERE isFound = 0 AND isFree & 3 <> 3")
    while try rows.step() { if try isDisplaced(rows) { dropped += 1 } }
    count += all - dropped
    guard dropped > 0 else { return }
    droppedCounts["\(entity).\(relationship)"] = dropped
    unchecked.append("\(entity).\(relationship): which of several links was kept, where there is room for one only")
  }

  /// Whether another link has taken the place of one, at an end that can have but one.
  ///
  /// The other one must be there, or have lost its own place in the same way.
  private func isDisplaced(_ link: Statement) throws -> Bool {
    let isFree = link.integer(4)
    if isFree & 3 == 3 { return false }
    if isFree & 4 == 0 {
      // A later hop may have left out the row whose link had taken the place.
      return try isFree & 1 == 0 && hasOthers("owner", link.integer(0))
        || isFree & 2 == 0 && hasOthers("target", link.integer(1))
    }
    struct Link: Hashable {
      let owner: Int64
      let target: Int64
    }
    let first = Link(owner: link.integer(0), target: link.integer(1))
    var (open, seen) = ([first], Set([first]))
    let others = try scratch.prepare(
      """
      SELECT owner, target, isFound FROM links
      WHERE owner = ?1 AND \(isFree & 1 == 0 ? 1 : 0) OR target = ?2 AND \(isFree & 2 == 0 ? 1 : 0)
      """)
    while let next = open.popLast(), seen.count < 1000 {
      try others.bind(next.owner, at: 1)
      try others.bind(next.target, at: 2)
      defer { others.reset() }
      while try others.step() {
        if others.integer(2) == 1 { return true }
        let link = Link(owner: others.integer(0), target: others.integer(1))
        if seen.insert(link).inserted { open.append(link) }
      }
    }
    return false
  }

  private func hasOthers(_ column: String, _ key: Int64) throws -> Bool {
    try scratch.integer("SELECT count(*) > 1 FROM links WHERE \(column) = \(key)") == 1
  }

  /// Compares the order in which an instance has its destinations; in what numbers it is written down, does not matter.
  private mutating func compareOrder(
    _ owner: String, _ place: String, _ newPlace: String, _ entity: String, _ relationship: String
  ) throws {
    let other = owner == "owner" ? "target" : "owner"
    let unordered = "\(place) = '\(Self.noOrder)'"
    if try scratch.integer("SELECT 1 FROM places WHERE \(unordered) LIMIT 1") != nil {
      unchecked.append("\(entity).\(relationship): its order, since there was none before")
    }
    let unplaced = try scratch.prepare(
      "SELECT \(owner), \(other) FROM places WHERE \(unordered) AND \(newPlace) IS NULL ORDER BY 1, 2")
    while try unplaced.step() {
      try log.add(.value) {
        ($0.entity, $0.row, $0.property) = (entity, unplaced.integer(0), relationship)
        ($0.expected, $0.detail) = ("a place", "place of \(unplaced.integer(1))")
      }
    }
    let rows = try scratch.prepare(
      """
      SELECT key, other, previous FROM (
        SELECT \(owner) AS key, \(other) AS other, \(place) AS place, \(newPlace) AS newPlace,
          lag(\(other)) OVER list AS previous, lag(\(place)) OVER list AS before,
          lag(\(newPlace)) OVER list AS newBefore
        FROM places WHERE typeof(\(place)) IN ('integer', 'real')
        WINDOW list AS (PARTITION BY \(owner) ORDER BY \(place)))
      WHERE newPlace IS NULL OR before < place AND newBefore >= newPlace ORDER BY 1
      """)
    while try rows.step() {
      try log.add(.value) {
        ($0.entity, $0.row, $0.property) = (entity, rows.integer(0), relationship)
        $0.expected = rows.isNull(2) ? "a place" : "\(rows.integer(1)) after \(rows.integer(2))"
        $0.detail = "place of \(rows.integer(1))"
      }
    }
  }
}

/// Looks for links of a store that refer to missing rows, whatever the old store held.
package struct DanglingLinkCheck {
  package let side: StoreSide
  /// A join table that is checked elsewhere.
  package var exceptedTable: String?
  package let log: DifferenceLog

  package init(side: StoreSide, exceptedTable: String? = nil, log: DifferenceLog) {
    (self.side, self.exceptedTable, self.log) = (side, exceptedTable, log)
  }

  package func run() throws {
    for entity in side.schema.model.entities {
      for relationship in entity.ownRelationships where !relationship.isTransient {
        guard let storage = LinkStorage(relationship, ofEntityNamed: entity.name, in: side.schema),
          storage.table != exceptedTable
        else { continue }
        if relationship.isToMany, relationship.inverseName == nil {
          try check(storage.owner, in: storage.table, entity.name, entity.name, relationship.name)
        }
        try check(storage.target, in: storage.table, relationship.destinationEntityName, entity.name, relationship.name)
        if storage.owner != "Z_PK", storage.target != "Z_PK" { continue }
        if !relationship.isToMany { try checkEntityColumn(relationship, entity.name, storage) }
      }
    }
  }

  /// Looks for keys in a column that no row of an entity has.
  private func check(
    _ column: String, in table: String, _ destination: String, _ entity: String, _ property: String
  ) throws {
    guard column != "Z_PK", let target = side.schema.table(forEntityNamed: destination) else { return }
    let (name, key) = (table.quotedIdentifier, column.quotedIdentifier)
    let hasOwnKeys = side.schema.tables.contains { $0.name == table }
    let rows = try side.connection.prepare(
      """
      SELECT \(hasOwnKeys ? "Z_PK" : "NULL"), \(key) FROM \(name) link WHERE \(key) IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM \(target.name.quotedIdentifier) t WHERE t.Z_PK = link.\(key)\(condition(target, destination)))
      """)
    while try rows.step() {
      try log.add(.danglingLink) {
        ($0.entity, $0.property) = (entity, property)
        $0.row = rows.isNull(0) ? nil : rows.integer(0)
        $0.found = StoredValue.text(rows, 1)
      }
    }
  }

  /// The SQL condition that selects the rows of an entity and its descendants in their table.
  private func condition(_ table: EntityTable, _ entity: String) -> String {
    let family = table.entityNames.filter { side.schema.model.lineage(of: $0).contains(entity) }
    guard family.count < table.entityNames.count else { return "" }
    return " AND t.Z_ENT IN (\(family.map { "\(side.schema.entityNumber($0))" }.joined(separator: ", ")))"
  }

  /// Compares the entity number next to a key with that of the destination.
  private func checkEntityColumn(
    _ relationship: RelationshipDescription, _ entity: String, _ storage: LinkStorage
  ) throws {
    guard let table = side.schema.table(forEntityNamed: entity),
      let target = side.schema.table(forEntityNamed: relationship.destinationEntityName),
      let number = table.columns.first(where: {
        $0.content == .destinationEntity && $0.propertyName == relationship.name && $0.entityName == entity
      })?.name.quotedIdentifier
    else { return }
    let key = storage.target.quotedIdentifier
    let rows = try side.connection.prepare(
      """
      SELECT link.Z_PK, t.Z_ENT, link.\(number) FROM \(table.name.quotedIdentifier) link
      LEFT JOIN \(target.name.quotedIdentifier) t ON t.Z_PK = link.\(key)
      WHERE link.\(number) IS NOT t.Z_ENT AND (t.Z_PK IS NOT NULL OR link.\(key) IS NULL) ORDER BY 1
      """)
    while try rows.step() {
      try log.add(.value) {
        ($0.entity, $0.row, $0.property) = (entity, rows.integer(0), relationship.name)
        ($0.expected, $0.found) = (StoredValue.text(rows, 1), StoredValue.text(rows, 2))
        $0.detail = "the number of the destination's entity"
      }
    }
  }
}

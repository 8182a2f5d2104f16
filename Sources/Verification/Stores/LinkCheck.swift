internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// Compares the links of the new store with those that the old store's links must have become.
///
/// The expected links are gathered in a scratch database on disk, in the order of their new keys, so memory does not grow
/// with their number.
struct LinkCheck {
  private let lineage: Lineage
  private let entities: EntityCheck
  private let old: StoreSide
  private let new: StoreSide
  private let log: DifferenceLog
  private let scratch: Connection
  /// The number of expected links.
  private(set) var count: Int64 = 0
  /// What was not compared.
  private(set) var unchecked: [String] = []

  init(
    _ lineage: Lineage, _ entities: EntityCheck, old: StoreSide, new: StoreSide, scratch: Connection, log: DifferenceLog
  ) throws {
    (self.lineage, self.entities, self.old, self.new) = (lineage, entities, old, new)
    (self.scratch, self.log) = (scratch, log)
    try scratch.execute(
      """
      CREATE TABLE links (owner INTEGER, target INTEGER, place, inversePlace, isFree INTEGER, isSeen INTEGER,
        PRIMARY KEY (owner, target)) WITHOUT ROWID;
      CREATE INDEX linksByTarget ON links (target);
      CREATE TABLE places (owner INTEGER, target INTEGER, place, inversePlace, newPlace, newInversePlace)
      """)
  }

  /// Compares the links of all relationships, each pair of inverse ones once.
  mutating func run() throws {
    var seen: Set<RelationshipEnd> = []
    let model = new.schema.model
    for entity in model.entities {
      for relationship in entity.ownRelationships where !relationship.isTransient {
        let inverse = relationship.inverse(in: model)
        let back = inverse.flatMap { RelationshipEnd($0, of: relationship.destinationEntityName, in: model) }
        if let back, seen.contains(back) { continue }
        if let end = RelationshipEnd(relationship, of: entity.name, in: model) { seen.insert(end) }
        // The key of the to-one side holds the links of both.
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
    let routes = lineage.links.filter {
      $0.relationship == relationship.name && family.contains(lineage.routes[$0.owner].destination)
    }
    guard routes.allSatisfy({ entities.knows($0.owner) && entities.knows($0.target) }) else {
      unchecked.append("\(entity).\(relationship.name): its links, since it is not known which rows they belong to")
      return
    }
    try scratch.execute("DELETE FROM links; DELETE FROM places")
    for route in routes { try gather(route) }
    count += try scratch.integer("SELECT count(*) FROM links") ?? 0
    guard let storage = LinkStorage(relationship, ofEntityNamed: entity, in: new.schema) else { return }
    try compare(storage, entity, relationship)
    // In a one-to-one relationship, each side has a key of its own.
    if let inverse, !inverse.isToMany, !relationship.isToMany,
      let other = LinkStorage(inverse, ofEntityNamed: relationship.destinationEntityName, in: new.schema)?.reversed,
      other != storage
    {
      try compare(other, entity, relationship)
    }
    if relationship.isOrdered { try compareOrder("owner", "place", "newPlace", entity, relationship.name) }
    if let inverse, inverse.isOrdered {
      try compareOrder(
        "target", "inversePlace", "newInversePlace", relationship.destinationEntityName, inverse.name)
    }
  }

  /// Gathers the links of one route, with the new keys of their rows.
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
      INSERT INTO links VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO UPDATE SET
        place = coalesce(place, excluded.place), inversePlace = coalesce(inversePlace, excluded.inversePlace),
        isFree = min(isFree, excluded.isFree)
      """)
    // If only one of several links can remain, the order of the work decides which: any of them is right.
    let isFree: Int64 = (link.hasOneTarget ? 0 : 1) + (link.hasOneOwner ? 0 : 2)
    while try rows.step() {
      guard let first = try entities.newKey(of: rows.integer(0), on: link.owner),
        let second = try entities.newKey(of: rows.integer(1), on: link.target)
      else { continue }
      try insertion.bind(first, at: 1)
      try insertion.bind(second, at: 2)
      try ColumnValue(rows, 2).bind(to: insertion, at: 3)
      try ColumnValue(rows, 3).bind(to: insertion, at: 4)
      try insertion.bind(isFree, at: 5)
      try insertion.run()
    }
  }

  private func compare(_ storage: LinkStorage, _ entity: String, _ relationship: RelationshipDescription) throws {
    let found = try new.connection.prepare(storage.sortedQuery)
    let expected = try scratch.prepare("SELECT owner, target, place, inversePlace, isFree FROM links ORDER BY 1, 2")
    let insertion = try scratch.prepare("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?)")
    try scratch.execute("UPDATE links SET isSeen = 0 WHERE isSeen")
    let mark = try scratch.prepare("UPDATE links SET isSeen = 1 WHERE owner = ? AND target = ?")
    let hasPlaces = storage.place != nil || storage.inversePlace != nil
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
        if expected.integer(4) != Self.isFreeAtBothEnds {
          try mark.bind(first.0, at: 1)
          try mark.bind(first.1, at: 2)
          try mark.run()
        }
        if hasPlaces {
          for column in 0..<4 { try ColumnValue(expected, column).bind(to: insertion, at: Int32(column + 1)) }
          for column in 2..<4 { try ColumnValue(found, column).bind(to: insertion, at: Int32(column + 3)) }
          try insertion.run()
        }
      } else if isExpected {
        if expected.integer(4) == Self.isFreeAtBothEnds { try add(.missingLink, expected) }
      } else {
        try add(.extraLink, found)
      }
      if isExpected { hasExpected = try expected.step() }
      if isFound { hasFound = try found.step() }
    }
    // At an end with room for one link, another one may have taken the place of this one.
    let missing = try scratch.prepare(
      """
      SELECT owner, target FROM links link WHERE isFree < \(Self.isFreeAtBothEnds) AND NOT isSeen AND NOT EXISTS (
        SELECT 1 FROM links other WHERE other.isSeen
          AND (NOT link.isFree & 1 AND other.owner = link.owner OR NOT link.isFree & 2 AND other.target = link.target))
      ORDER BY 1, 2
      """)
    while try missing.step() { try add(.missingLink, missing) }
  }

  /// Bit 0: the owner may have other destinations; bit 1: the destination may have other owners.
  private static let isFreeAtBothEnds: Int64 = 3

  /// Compares the order in which an instance has its destinations; the numbers that express it do not matter.
  private func compareOrder(
    _ owner: String, _ place: String, _ newPlace: String, _ entity: String, _ relationship: String
  ) throws {
    let other = owner == "owner" ? "target" : "owner"
    let rows = try scratch.prepare(
      """
      SELECT key, other, previous FROM (
        SELECT \(owner) AS key, \(other) AS other, \(place) AS place, \(newPlace) AS newPlace,
          lag(\(other)) OVER list AS previous, lag(\(place)) OVER list AS before, lag(\(newPlace)) OVER list AS newBefore
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
struct DanglingLinkCheck {
  let side: StoreSide
  /// A join table that is checked elsewhere.
  var exceptedTable: String?
  let log: DifferenceLog

  func run() throws {
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

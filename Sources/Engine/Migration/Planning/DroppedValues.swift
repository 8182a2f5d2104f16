internal import CoreDataExpressions
internal import DataModel
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// The contents of a store that an inferred hop drops.
package struct DroppedValues: Sendable, Hashable {
  /// The dropped entity or property.
  package let dropped: DroppedProperty
  /// The number of rows with a value, of links, or of rows.
  package let count: Int
  /// The bounds of the search that found no mapping model for the hop; only the last of a hop has them.
  var bounds: SearchBounds?
  /// Whether SwiftData's plan gives the hops, which has no mapping models.
  var isPlanned = false

  /// Whether it is gone, and not under another name than expected.
  var isDropped: Bool { if case .diverted = dropped.reason { false } else { true } }

  /// The version before.
  package var sourceVersion: String { dropped.sourceVersion }

  /// The loss, the advice if it was not intended, and where a mapping model was not looked for.
  package var warning: Advice {
    bounds?.remark.map { "\(description); \($0)" } ?? "\(description)"
  }
}

extension DroppedValues: CustomStringConvertible {
  private var advice: String {
    isPlanned ? DroppedProperty.planAdvice : dropped.advice
  }

  /// The loss, and the advice if it was not intended.
  package var description: String {
    let name = dropped.name
    switch (dropped.content, dropped.reason) {
    case (.links, .inverseIsToOne), (.links, .hasNoInverse):
      return "'\(name)' has \(count.counting("link")) too many: it \(dropped.circumstance); \(advice)"
    case (.rows, _):
      return
        "\(count.counting("row")) \(count == 1 ? "belongs" : "belong") to '\(name)', which \(dropped.circumstance); "
        + advice
    case (.links, _):
      return
        "\(count.counting("link")) \(count == 1 ? "belongs" : "belong") to '\(name)', which \(dropped.circumstance); "
        + advice
    case (.values, _):
      return "\(count.counting("row")) \(count == 1 ? "has" : "have") a value of '\(name)', which "
        + "\(dropped.circumstance); \(advice)"
    }
  }
}

extension DroppedValues {
  /// Counts what hops drop of a store, as far as that can be told before.
  ///
  /// What a hop by mapping models leaves for the next is known only when it is done.
  ///
  /// - Parameters:
  ///   - steps: The hops, of which the first begins at the store's version.
  ///   - bounds: The bounds of the search for mapping models.
  package static func all(
    in steps: [MigrationStep], of store: StoreReader, _ schema: StoreSchema, _ bounds: SearchBounds
  ) throws(MigrationError) -> [DroppedValues] {
    let found = DroppedProperty.all(along: steps)
    guard !found.isEmpty else { return [] }
    return try reporting(path: store.file.path) {
      let names = found.filter { $0.dropped.content == .values }.flatMap(\.origins)
      let census = try ValueCensus(store.connection, schema, of: names).counts
      let links = LinkCensus(connection: store.connection, schema: schema)
      var values: [DroppedValues] = try found.compactMap { dropped, origins in
        let count =
          switch dropped.content {
          case .values: origins.reduce(0) { $0 + (census[$1] ?? 0) }
          case .links: try links.count(of: origins, dropped.reason)
          case .rows: try links.rowCount(of: origins)
          }
        return count > 0 ? DroppedValues(dropped: dropped, count: count) : nil
      }
      for index in values.indices
      where index + 1 == values.count || values[index + 1].sourceVersion != values[index].sourceVersion {
        values[index].bounds = bounds
      }
      return values
    }
  }
}

extension MigrationStep {
  /// Whether a store has something of what a finding says is lost, besides values and links, which are counted.
  func loses(
    _ finding: InferenceFinding, of store: StoreReader, _ schema: StoreSchema
  ) throws(MigrationError) -> Bool {
    try reporting(path: store.file.path) {
      let census = LinkCensus(connection: store.connection, schema: schema)
      switch finding.kind {
      case .entityRemoved, .becomesAbstract:
        return try census.rowCount(of: [PropertyName(entity: finding.entity, property: nil)]) > 0
      case .destinationRemoved:
        return try census.count(of: InferredHop(self).origins(of: finding), .removed) > 0
      case .orderRemoved: return try census.hasOrder(InferredHop(self).origins(of: finding))
      case .precisionMayBeLost: return try census.hasGreatNumber(InferredHop(self).origins(of: finding))
      case .unknownIdentifier, .unmatchedIdentifier, .unreadableDefault, .valueMayBeMissing,
        .uniquenessConstraintAdded:
        return true
      // What each drops is counted (`DroppedProperty.Reason`).
      case .attributeRemoved, .relationshipRemoved, .becomesDerived, .becomesTransient, .claimedByRenaming,
        .inverseBecomesToOne, .linksMayConflict, .linksMayBeDropped:
        return false
      }
    }
  }
}

/// The number of rows with a value, by entity and attribute.
private struct ValueCensus {
  private(set) var counts: [PropertyName: Int] = [:]

  /// Counts in one pass through each table.
  init(_ connection: Connection, _ schema: StoreSchema, of names: [PropertyName]) throws(SQLiteError) {
    let byTable = Dictionary(grouping: Set(names)) { schema.table(forEntityNamed: $0.entity)?.name ?? "" }
    for (table, names) in byTable {
      let cells = names.compactMap { name -> (name: PropertyName, column: String)? in
        schema.layouts.column(forAttribute: name.property ?? "", ofEntityNamed: name.entity).map { (name, $0.name) }
      }
      let isShared = (schema.table(forEntityNamed: cells.first?.name.entity ?? "")?.entityNames.count ?? 0) > 1
      // A statement has 2000 columns at most.
      for start in stride(from: 0, to: cells.count, by: 500) {
        let part = cells[start..<min(start + 500, cells.count)]
        let columns = part.map { cell -> SQLFragment in
          isShared
            ? "count(CASE WHEN Z_ENT = \(.number(schema.entityNumber(cell.name.entity))) THEN \(identifier: cell.column) END)"
            : "count(\(identifier: cell.column))"
        }
        let statement = try connection.prepare(
          fragment: "SELECT \(columns.joined(by: ", ")) FROM main.\(identifier: table) NOT INDEXED")
        guard try statement.step() else { continue }
        for (index, cell) in part.enumerated() { counts[cell.name] = Int(clamping: statement.integer(index)) }
      }
    }
  }
}

/// Counts the links of relationships, and the rows of entities.
private struct LinkCensus {
  /// The place of links: a table, and the columns with the keys of the owners and of the destinations.
  private struct Place: Hashable {
    let table: String
    let owner: String
    let target: String
  }

  let connection: Connection
  let schema: StoreSchema

  /// The number of rows of exactly these entities.
  func rowCount(of names: [PropertyName]) throws(SQLiteError) -> Int {
    var count: Int64 = 0
    for name in names {
      guard let table = schema.table(forEntityNamed: name.entity) else { continue }
      count +=
        try connection.integer(
          fragment:
            "SELECT count(*) FROM main.\(identifier: table.name) NOT INDEXED WHERE Z_ENT = \(.number(schema.entityNumber(name.entity)))"
        ) ?? 0
    }
    return Int(clamping: count)
  }

  /// The number of links, or of those for which their destinations have no room.
  func count(of names: [PropertyName], _ reason: DroppedProperty.Reason) throws(SQLiteError) -> Int {
    var count: Int64 = 0
    for (place, names) in Dictionary(grouping: names, by: place(of:)) {
      guard let place, let owners = schema.table(forEntityNamed: names[0].entity) else { continue }
      let target: SQLFragment = "\(identifier: place.target)"
      let lost: SQLFragment =
        switch reason {
        case .inverseIsToOne, .hasNoInverse: "count(\(target)) - count(DISTINCT \(target))"
        case .removed, .becomesDerived, .becomesTransient, .claimed, .diverted: "count(\(target))"
        }
      let numbers = names.map { .number(schema.entityNumber($0.entity)) as SQLFragment }.joined(by: ", ")
      let own: SQLFragment =
        place.owner == "Z_PK"
        ? "Z_ENT IN (\(numbers))"
        : "\(identifier: place.owner) IN (SELECT Z_PK FROM main.\(identifier: owners.name) WHERE Z_ENT IN (\(numbers)))"
      count +=
        try connection.integer(
          fragment: "SELECT \(lost) FROM main.\(identifier: place.table) NOT INDEXED WHERE \(own)") ?? 0
    }
    return Int(clamping: count)
  }

  /// Whether an owner has several links, which are in an order.
  func hasOrder(_ names: [PropertyName]) throws(SQLiteError) -> Bool {
    for place in Set(names.compactMap(place(of:))) where place.owner != "Z_PK" {
      let owner: SQLFragment = "\(identifier: place.owner)"
      let found = try connection.integer(
        fragment:
          "SELECT 1 FROM main.\(identifier: place.table) NOT INDEXED WHERE \(owner) NOTNULL GROUP BY \(owner) HAVING count(*) > 1 LIMIT 1"
      )
      if found != nil { return true }
    }
    return false
  }

  /// Whether an attribute has a whole number that a `Double` cannot hold.
  func hasGreatNumber(_ names: [PropertyName]) throws(SQLiteError) -> Bool {
    for name in names {
      guard let table = schema.table(forEntityNamed: name.entity)?.name,
        let column = schema.layouts.column(forAttribute: name.property ?? "", ofEntityNamed: name.entity)?.name
      else { continue }
      let value: SQLFragment = "\(identifier: column)"
      let found = try connection.integer(
        fragment:
          "SELECT 1 FROM main.\(identifier: table) NOT INDEXED WHERE \(value) NOT BETWEEN -9007199254740992 AND 9007199254740992 LIMIT 1"
      )
      if found != nil { return true }
    }
    return false
  }

  private func place(of name: PropertyName) -> Place? {
    guard let relationship = name.property.flatMap({ schema.model.entity(named: name.entity)?.relationship(named: $0) })
    else { return nil }
    switch schema.layouts.layout(of: relationship, ofEntityNamed: name.entity) {
    case .own(let key, _, _):
      return schema.table(forEntityNamed: name.entity).map { Place(table: $0.name, owner: "Z_PK", target: key) }
    case .destination(let table, let key, _): return Place(table: table, owner: key, target: "Z_PK")
    case .join(let links):
      return Place(table: links.table.name, owner: links.sourceColumn, target: links.destinationColumn)
    case nil: return nil
    }
  }
}

package import DataModel
internal import PersistentStore
package import SQLiteDatabase

/// Compares the rows of the entities, and remembers which old row has become which new one.
package final class EntityCheck {
  /// The translation of the keys of a route's rows.
  private enum Translation {
    /// They stay the same.
    case none
    /// They are looked up in a table of the scratch database.
    case table(Statement)
  }

  private let lineage: Lineage
  private let old: StoreSide
  private let new: StoreSide
  private let log: DifferenceLog
  private let scratch: Connection
  /// The translation of each route by its place; none if it is unknown what its rows have become.
  private var translations: [Int: Translation] = [:]
  /// Others that fit as well, as far as the values of the rows tell.
  private var alternatives: [Int: Translation] = [:]
  /// Whether those are used.
  var usesAlternatives = false
  /// The number of rows of each entity that policies have made besides its mappings.
  private let addedCounts: [String: Int64]
  /// The rows that were compared, by entity.
  private(set) var counts: [String: Int64] = [:]
  /// The contents that were not compared, and the reasons.
  private(set) var unchecked: [String] = []

  /// - Parameters:
  ///   - keepsAllKeys: Whether every row is known to keep its key.
  ///   - addedCounts: The number of rows of each entity that policies have made besides its mappings.
  package init(
    _ lineage: Lineage, old: StoreSide, new: StoreSide, scratch: Connection, keepsAllKeys: Bool = false,
    addedCounts: [String: Int64] = [:], log: DifferenceLog
  ) {
    self.addedCounts = addedCounts
    (self.lineage, self.old, self.new, self.scratch, self.log) = (lineage, old, new, scratch, log)
    for place in lineage.routes.indices where keepsAllKeys { translations[place] = Translation.none }
  }

  /// Whether it is known what the rows of a route have become.
  func knows(_ route: Int) -> Bool { translations[route] != nil }

  /// Whether the rows of a route may have become others as well.
  func isAmbiguous(_ route: Int) -> Bool { alternatives[route] != nil }

  /// The key of an old row in the new store.
  func newKey(of key: Int64, on route: Int) throws -> Int64? {
    switch (usesAlternatives ? alternatives[route] : nil) ?? translations[route] {
    case nil: return nil
    case .some(.none): return key
    case .table(let statement):
      try statement.bind(key, at: 1)
      defer { statement.reset() }
      return try statement.step() ? statement.integer(0) : nil
    }
  }

  /// Compares all rows of an entity of the new store.
  package func check(_ entity: EntityDescription, _ progress: () throws -> Void) throws {
    if let reason = lineage.opaqueEntities[entity.name] {
      unchecked.append("\(entity.name): its rows, since \(reason)")
      return
    }
    let places = lineage.routes.indices.filter { lineage.routes[$0].destination == entity.name }
    try noteValues(of: entity, places)
    guard let first = places.first else { return try checkEmpty(entity) }
    guard places.count > 1 || lineage.routes[first].filters == nil else { return try check(entity, first, progress) }
    try checkTogether(entity, places, progress)
  }

  /// Compares the rows of an entity that come by one route.
  private func check(_ entity: EntityDescription, _ place: Int, _ progress: () throws -> Void) throws {
    let route = lineage.routes[place]
    guard let tables = try count(route), !isGrown(entity, from: tables.old, to: tables.new) else { return }
    counts[entity.name] = tables.new
    guard try !haveSameKeys(route) else { return try compare(place, .keys, progress) }
    // Rows that are numbered again have the numbers 1, 2, 3 and so on.
    let keepsKeys = try route.keepsKeys && !isNumberedWithoutGaps(route.destination, new)
    if tables.old == tables.new, !keepsKeys {
      try compare(place, .order, progress)
    } else if route.keepsKeys {
      try compare(place, .keys, progress)
    } else {
      try addCounts(entity, tables.old, "", tables.new)
    }
  }

  /// Whether there are more rows of an entity than mappings make, as many as policies have made besides.
  ///
  /// Then the rows cannot be told apart.
  private func isGrown(_ entity: EntityDescription, from expected: Int64, to found: Int64) -> Bool {
    guard let added = addedCounts[entity.name], added > 0, found == expected + added else { return false }
    unchecked.append("\(entity.name): its rows, since policies have made \(added) of \(found) besides its mappings")
    return true
  }

  /// Compares the rows of an entity that come by several routes, or that a filter chooses.
  ///
  /// Statements keep the keys of rows, and instances get new ones; the verification does not know which it was. It tries
  /// both and takes what fits.
  private func checkTogether(_ entity: EntityDescription, _ places: [Int], _ progress: () throws -> Void) throws {
    guard let newTable = new.schema.table(forEntityNamed: entity.name)?.name else { return }
    let counted = try places.compactMap { place in try count(lineage.routes[place]).map { (place, $0.old) } }
    guard counted.count == places.count else { return }
    let found = try new.count(newTable, where: new.condition(forEntityNamed: entity.name))
    if isGrown(entity, from: counted.reduce(0) { $0 + $1.1 }, to: found) { return }
    let isFiltered = places.contains { lineage.routes[$0].filters == nil }
    if isFiltered { unchecked.append("\(entity.name): which rows there are, since a filter chooses them") }
    let pairing = try RowPairing(
      lineage.routes, counted, entity, newCount: found, old: old, new: new, scratch: scratch)
    let choices = try pairing.bestChoices()
    guard let choice = choices.first else {
      let least = counted.filter { lineage.routes[$0.0].filters != nil }.reduce(0) { $0 + $1.1 }
      let most = counted.reduce(0) { $0 + $1.1 }
      unchecked.append("\(entity.name): the values of its rows, since it is not known which old rows they were")
      if found < least { return try addCounts(entity, least, isFiltered ? "at least " : "", found) }
      if found > most { try addCounts(entity, most, isFiltered ? "at most " : "", found) }
      return
    }
    counts[entity.name] = found
    try pairing.compare(choice, log, progress)
    for place in places {
      translations[place] = .table(try pairing.translation(choice, place))
      if choices.count > 1 { alternatives[place] = .table(try pairing.translation(choices[1], place)) }
    }
  }

  private func compare(
    _ place: Int, _ matching: RouteComparison.Matching, _ progress: () throws -> Void
  ) throws {
    guard let comparison = try RouteComparison(lineage.routes[place], old: old, new: new, log: log) else { return }
    guard matching == .order else {
      translations[place] = Translation.none
      return try comparison.run(matching) { _, _ in try progress() }
    }
    let table = "route\(place)"
    try scratch.execute("CREATE TABLE \(table) (old INTEGER PRIMARY KEY, new INTEGER)")
    let insertion = try scratch.prepare("INSERT INTO \(table) VALUES (?, ?)")
    try comparison.run(matching) { old, new in
      try progress()
      guard let old, let new else { return }
      try insertion.bind(old, at: 1)
      try insertion.bind(new, at: 2)
      try insertion.run()
    }
    translations[place] = .table(try scratch.prepare("SELECT new FROM \(table) WHERE old = ?"))
  }

  /// The number of rows on both sides.
  private func count(_ route: RowRoute) throws -> (old: Int64, new: Int64)? {
    guard let oldTable = old.schema.table(forEntityNamed: route.source)?.name,
      let newTable = new.schema.table(forEntityNamed: route.destination)?.name
    else { return nil }
    return (
      try old.count(oldTable, where: route.condition(in: old)),
      try new.count(newTable, where: new.condition(forEntityNamed: route.destination))
    )
  }

  /// Whether the rows of both sides have the same keys.
  private func haveSameKeys(_ route: RowRoute) throws -> Bool {
    guard let oldTable = old.schema.table(forEntityNamed: route.source)?.name,
      let newTable = new.schema.table(forEntityNamed: route.destination)?.name
    else { return false }
    let first = try old.keys(oldTable, where: route.condition(in: old))
    let second = try new.keys(newTable, where: new.condition(forEntityNamed: route.destination))
    while true {
      let (hasFirst, hasSecond) = (try first.step(), try second.step())
      guard hasFirst, hasSecond else { return hasFirst == hasSecond }
      guard first.integer(0) == second.integer(0) else { return false }
    }
  }

  /// Whether the keys of an entity's table are 1, 2, 3 and so on.
  private func isNumberedWithoutGaps(_ entity: String, _ side: StoreSide) throws -> Bool {
    guard let name = side.schema.table(forEntityNamed: entity)?.name.quotedIdentifier else { return false }
    return try side.connection.integer(
      "SELECT count(*) = 0 OR min(Z_PK) = 1 AND max(Z_PK) = count(*) FROM \(name)") == 1
  }

  /// Reports every row of an entity that nothing is mapped to.
  private func checkEmpty(_ entity: EntityDescription) throws {
    guard let table = new.schema.table(forEntityNamed: entity.name)?.name else { return }
    let keys = try new.keys(table, where: new.condition(forEntityNamed: entity.name))
    while try keys.step() {
      try log.add(.extraRow) { ($0.entity, $0.row) = (entity.name, keys.integer(0)) }
    }
  }

  private func addCounts(
    _ entity: EntityDescription, _ expected: Int64, _ bound: String = "", _ found: Int64
  ) throws {
    try log.add(found > expected ? .extraRow : .missingRow) {
      $0.entity = entity.name
      ($0.expected, $0.found) = (bound + expected.counting("row"), found.counting("row"))
    }
  }

  /// Notes the values that are not compared.
  private func noteValues(of entity: EntityDescription, _ places: [Int]) throws {
    for attribute in entity.attributes where !attribute.isTransient {
      for place in places {
        guard case .unknown(let reason)? = lineage.routes[place].values[attribute.name] else { continue }
        if attribute.isDerived, try checkCounts(attribute, entity, places) { break }
        let isComputed = attribute.isDerived && new.schema.computesValues(of: attribute, entity)
        unchecked.append(
          isComputed
            ? "\(entity.name).\(attribute.name): its values, since the store derives it"
            : "\(entity.name).\(attribute.name): its values, since \(reason)")
        break
      }
    }
  }

  /// Compares a derived attribute that counts the destinations of a relationship with their number.
  ///
  /// - Returns: Whether it is one.
  private func checkCounts(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ places: [Int]
  ) throws -> Bool {
    guard let rows = try wrongCounts(attribute, entity, new) else { return false }
    // Counts that are carried over are as right as they were, whatever names they had.
    for route in places.map({ lineage.routes[$0] }) {
      guard let before = old.schema.model.entity(named: route.source),
        let counted = route.derivedSources[attribute.name].flatMap(before.attribute(named:))
      else { continue }
      // What the app counted itself need not be the number of links, unless the store counts again.
      let isStale =
        try counted.isDerived
        ? wrongCounts(counted, before, old)?.step() == true : !new.schema.computesValues(of: attribute, entity)
      if isStale { return false }
    }
    while try rows.step() {
      try log.add(.value) {
        ($0.entity, $0.row, $0.property) = (entity.name, rows.integer(0), attribute.name)
        ($0.expected, $0.found) = (StoredValue.text(rows, 1), StoredValue.text(rows, 2))
      }
    }
    if let table = new.schema.table(forEntityNamed: entity.name)?.name,
      let column = new.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)?.name
    {
      let conditions = [new.condition(forEntityNamed: entity.name), "\(column.quotedIdentifier) IS NULL"]
      let empty = try new.count(table, where: conditions.compactMap(\.self).joined(separator: " AND "))
      if empty > 0 {
        unchecked.append(
          "\(entity.name).\(attribute.name): \(empty.counting("row")) without a number, which the app counts when it saves"
        )
      }
    }
    return true
  }

  /// The rows of a store whose counts are wrong; `nil` for an attribute that is not a count.
  private func wrongCounts(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ side: StoreSide
  ) throws -> Statement? {
    let parts = attribute.derivationExpression?.split(separator: ".") ?? []
    guard parts.count == 2, parts[1] == "@count", attribute.derivationFilterPredicate == nil,
      let relationship = entity.relationship(named: String(parts[0])), relationship.isToMany,
      let storage = LinkStorage(relationship, ofEntityNamed: entity.name, in: side.schema), !storage.isMutual,
      let table = side.schema.table(forEntityNamed: entity.name)?.name.quotedIdentifier,
      let column = side.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)?.name.quotedIdentifier
    else { return nil }
    // Core Data counts the links of a join table when the app saves, and others where no trigger does it; until then there
    // may be no number.
    let isOptional =
      side.schema.joinTable(forRelationship: relationship.name, ofEntityNamed: entity.name) != nil
      || side.schema.omissions.contains { $0.kind == .derivedAttributeTriggers && $0.name == attribute.name }
    let conditions = [side.condition(forEntityNamed: entity.name), isOptional ? "found IS NOT NULL" : nil]
    return try side.connection.prepare(
      """
      SELECT Z_PK, expected, found FROM (SELECT e.*, \(column) AS found, (
          SELECT count(*) FROM \(storage.table.quotedIdentifier) j
          WHERE j.\(storage.owner.quotedIdentifier) = e.Z_PK AND j.\(storage.target.quotedIdentifier) IS NOT NULL
        ) AS expected FROM \(table) e)
      WHERE found IS NOT expected\(conditions.compactMap(\.self).map { " AND \($0)" }.joined()) ORDER BY Z_PK
      """)
  }
}

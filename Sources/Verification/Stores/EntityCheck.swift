internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// Compares the rows of the entities, and remembers which old row has become which new one.
final class EntityCheck {
  /// How the keys of a route's rows are translated.
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
  /// The rows that were compared, by entity.
  private(set) var counts: [String: Int64] = [:]
  /// What was not compared.
  private(set) var unchecked: [String] = []

  /// - Parameter keepsAllKeys: Whether every row is known to keep its key.
  init(
    _ lineage: Lineage, old: StoreSide, new: StoreSide, scratch: Connection, keepsAllKeys: Bool = false,
    log: DifferenceLog
  ) {
    (self.lineage, self.old, self.new, self.scratch, self.log) = (lineage, old, new, scratch, log)
    for place in lineage.routes.indices where keepsAllKeys { translations[place] = Translation.none }
  }

  /// Whether it is known what the rows of a route have become.
  func knows(_ route: Int) -> Bool { translations[route] != nil }

  /// The key of an old row in the new store.
  func newKey(of key: Int64, on route: Int) throws -> Int64? {
    switch translations[route] {
    case nil: return nil
    case .some(.none): return key
    case .table(let statement):
      try statement.bind(key, at: 1)
      defer { statement.reset() }
      return try statement.step() ? statement.integer(0) : nil
    }
  }

  /// Compares all rows of an entity of the new store.
  func check(_ entity: EntityDescription, _ progress: () throws -> Void) throws {
    if let reason = lineage.opaqueEntities[entity.name] {
      unchecked.append("\(entity.name): its rows, since \(reason)")
      return
    }
    let places = lineage.routes.indices.filter { lineage.routes[$0].destination == entity.name }
    noteValues(of: entity, places)
    guard let first = places.first else { return try checkEmpty(entity) }
    guard places.count > 1 else { return try check(entity, first, progress) }
    try checkTogether(entity, places, progress)
  }

  /// Compares the rows of an entity that come by one route.
  private func check(_ entity: EntityDescription, _ place: Int, _ progress: () throws -> Void) throws {
    let route = lineage.routes[place]
    guard let tables = try count(route) else { return }
    counts[entity.name] = tables.new
    if route.filters == nil {
      unchecked.append("\(entity.name): which rows there are, since a filter chooses them")
    }
    guard try !haveSameKeys(route) else { return try compare(place, .keys, isPart: false, progress) }
    // Rows that are numbered again have the numbers 1, 2, 3 and so on.
    let keepsKeys = try route.keepsKeys && !isNumberedWithoutGaps(route.destination, new)
    if route.filters == nil {
      if keepsKeys { return try compare(place, .keys, isPart: false, progress) }
      if tables.new > tables.old { try addCounts(entity, tables.old, isMost: true, tables.new) }
    } else if tables.old == tables.new, !keepsKeys {
      try compare(place, .order, isPart: false, progress)
    } else if route.keepsKeys {
      try compare(place, .keys, isPart: false, progress)
    } else {
      try addCounts(entity, tables.old, tables.new)
    }
  }

  /// Compares the rows of an entity that come by several routes.
  private func checkTogether(_ entity: EntityDescription, _ places: [Int], _ progress: () throws -> Void) throws {
    let routes = places.map { lineage.routes[$0] }
    var (expected, found): (Int64, Int64) = (0, 0)
    for route in routes {
      guard let tables = try count(route) else { return }
      (expected, found) = (expected + tables.old, tables.new)
    }
    counts[entity.name] = found
    let isFiltered = routes.contains { $0.filters == nil }
    if isFiltered ? found > expected : found != expected {
      try addCounts(entity, expected, isMost: isFiltered, found)
    }
    let isNumberedAnew = try isNumberedWithoutGaps(entity.name, new) && !isNumberedWithoutGaps(routes[0].source, old)
    guard !isFiltered, routes.allSatisfy(\.keepsKeys), !isNumberedAnew else {
      unchecked.append("\(entity.name): the values of its rows, which come from several mappings")
      return
    }
    for place in places { try compare(place, .keys, isPart: true, progress) }
  }

  private func compare(
    _ place: Int, _ matching: RouteComparison.Matching, isPart: Bool, _ progress: () throws -> Void
  ) throws {
    guard let comparison = try RouteComparison(lineage.routes[place], old: old, new: new, log: log) else { return }
    // Only the new store shows which rows an unknown filter has left out.
    guard matching == .order || lineage.routes[place].filters == nil else {
      translations[place] = Translation.none
      return try comparison.run(matching, isPart: isPart) { _, _ in try progress() }
    }
    let table = "route\(place)"
    try scratch.execute("CREATE TABLE \(table) (old INTEGER PRIMARY KEY, new INTEGER)")
    let insertion = try scratch.prepare("INSERT INTO \(table) VALUES (?, ?)")
    try comparison.run(matching, isPart: isPart) { old, new in
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

  private func addCounts(_ entity: EntityDescription, _ expected: Int64, isMost: Bool = false, _ found: Int64) throws {
    try log.add(found > expected ? .extraRow : .missingRow) {
      $0.entity = entity.name
      ($0.expected, $0.found) = ((isMost ? "at most " : "") + expected.counting("row"), found.counting("row"))
    }
  }

  /// Notes the values that are not compared.
  private func noteValues(of entity: EntityDescription, _ places: [Int]) {
    for attribute in entity.attributes where !attribute.isTransient {
      for place in places {
        guard case .unknown(let reason)? = lineage.routes[place].values[attribute.name] else { continue }
        unchecked.append("\(entity.name).\(attribute.name): its values, since \(reason)")
        break
      }
    }
  }
}

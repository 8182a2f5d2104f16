internal import DataModel
internal import MigrationDiagnostics
internal import SQLiteDatabase

/// Finds out which old row each new row of an entity was, where its rows come several ways or a filter chooses them.
///
/// Each possibility is a table in the scratch database for each route, with the keys that belong together.
struct RowPairing {
  /// One possibility.
  struct Choice {
    /// The number in the names of its tables.
    fileprivate let number: Int
    fileprivate let matching: RouteComparison.Matching
  }

  private let routes: [RowRoute]
  /// The routes that lead to the entity, by the order in which an engine that numbers rows takes them.
  private let places: [(place: Int, count: Int64)]
  private let entity: EntityDescription
  private let old: StoreSide
  private let new: StoreSide
  private let scratch: Connection
  private let newCount: Int64

  /// Gathers the keys of both sides.
  ///
  /// - Parameters:
  ///   - places: The routes that lead to the entity, with the number of old rows that may go each.
  ///   - newCount: The number of new rows.
  init(
    _ routes: [RowRoute], _ places: [(Int, Int64)], _ entity: EntityDescription, newCount: Int64, old: StoreSide,
    new: StoreSide, scratch: Connection
  ) throws {
    (self.routes, self.entity, self.old, self.new, self.scratch) = (routes, entity, old, new, scratch)
    self.newCount = newCount
    let isEnough = places.contains { $0.1 >= newCount }
    self.places = (isEnough ? Self.withoutAlternatives(routes, places) : places).sorted {
      routes[$0.0].mappings.lexicographicallyPrecedes(routes[$1.0].mappings)
    }
    try scratch.execute(
      """
      DROP TABLE IF EXISTS oldRows; CREATE TABLE oldRows (place INTEGER, key INTEGER, PRIMARY KEY (place, key));
      DROP TABLE IF EXISTS newRows; CREATE TABLE newRows (key INTEGER PRIMARY KEY)
      """)
    let oldInsertion = try scratch.prepare("INSERT INTO oldRows VALUES (?, ?)")
    for (place, _) in self.places {
      guard let table = old.schema.table(forEntityNamed: routes[place].source)?.name else { continue }
      let keys = try old.keys(table, where: routes[place].condition(in: old))
      while try keys.step() {
        try oldInsertion.bind(Int64(place), at: 1)
        try oldInsertion.bind(keys.integer(0), at: 2)
        try oldInsertion.run()
      }
    }
    let newInsertion = try scratch.prepare("INSERT INTO newRows VALUES (?)")
    if let table = new.schema.table(forEntityNamed: entity.name)?.name {
      let keys = try new.keys(table, where: new.condition(forEntityNamed: entity.name))
      while try keys.step() {
        try newInsertion.bind(keys.integer(0), at: 1)
        try newInsertion.run()
      }
    }
  }

  /// Two filters of one entity are taken to choose different rows where both mappings give the same values.
  private static func withoutAlternatives(_ routes: [RowRoute], _ places: [(Int, Int64)]) -> [(Int, Int64)] {
    places.enumerated().filter { index, place in
      let route = routes[place.0]
      return route.filters != nil
        || !places[..<index].contains {
          let other = routes[$0.0]
          return other.filters == nil && other.source == route.source && other.values == route.values
        }
    }.map(\.element)
  }

  /// The possibility with the fewest differences, and another that fits as well; none where there is none.
  ///
  /// Rows with equal values do not tell which they were. Their links may.
  func bestChoices() throws -> [Choice] {
    var best: (choices: [Choice], count: Int) = ([], .max)
    for (number, make) in possibilities.enumerated() {
      for (place, _) in places {
        try scratch.execute("CREATE TABLE \(table(number, place)) (old INTEGER PRIMARY KEY, new INTEGER)")
      }
      guard try make(number) else { continue }
      let choice = Choice(number: number, matching: number == 0 ? .keys : .order)
      if let first = best.choices.first, try areEqual(choice, first) { continue }
      let log = DifferenceLog(limit: 0) { _ in }
      try compare(choice, log) {}
      if log.count < best.count {
        best = ([choice], log.count)
      } else if log.count == 0 {
        best.choices.append(choice)
        break
      }
    }
    return best.choices
  }

  private func areEqual(_ choice: Choice, _ other: Choice) throws -> Bool {
    try places.allSatisfy { place, _ in
      let (first, second) = (table(choice.number, place), table(other.number, place))
      return try scratch.integer(
        """
        SELECT (SELECT count(*) FROM \(first)) = (SELECT count(*) FROM \(second))
          AND NOT EXISTS (SELECT * FROM \(first) EXCEPT SELECT * FROM \(second))
        """) == 1
    }
  }

  /// Compares the rows, and names those that are missing or too many.
  func compare(_ choice: Choice, _ log: DifferenceLog, _ progress: () throws -> Void) throws {
    for (place, _) in places {
      let pairs = try scratch.prepare("SELECT old, new FROM \(table(choice.number, place)) ORDER BY old")
      try RouteComparison(routes[place], old: old, new: new, log: log)?
        .run(choice.matching, pairs: pairs, progress)
    }
    let known = places.map { "SELECT new FROM \(table(choice.number, $0.place)) WHERE new IS NOT NULL" }
    let extra = try scratch.prepare(
      "SELECT key FROM newRows WHERE key NOT IN (\(known.joined(separator: " UNION ALL "))) ORDER BY key")
    while try extra.step() {
      try log.add(.extraRow) { ($0.entity, $0.row) = (entity.name, extra.integer(0)) }
    }
  }

  /// Looks up the new key of an old one.
  func translation(_ choice: Choice, _ place: Int) throws -> Statement {
    // An alternative has no rows of its own.
    let shown = places.contains { $0.place == place } ? place : alternative(of: place)
    return try scratch.prepare(
      "SELECT new FROM \(table(choice.number, shown)) WHERE old = ? AND new IS NOT NULL")
  }

  private func alternative(of place: Int) -> Int {
    places.first {
      routes[$0.place].filters == nil && routes[$0.place].source == routes[place].source
        && routes[$0.place].values == routes[place].values
    }?.place ?? place
  }

  private func table(_ number: Int, _ place: Int) -> String { "pairs\(number)of\(place)" }

  /// The functions that each fill the tables for one possibility, and return whether it holds.
  private var possibilities: [(Int) throws -> Bool] {
    let depths = routes[places.first?.place ?? 0].mappings.count
    let isFiltered = places.contains { routes[$0.place].filters == nil }
    return [pairByKeys]
      + (isFiltered ? [pairSubsequence] : (0...depths).reversed().map { depth in { try pairByOrder($0, depth) } })
  }

  /// Rows have kept their keys.
  private func pairByKeys(_ number: Int) throws -> Bool {
    guard try scratch.integer("SELECT count(*) = count(DISTINCT key) FROM oldRows") == 1 else { return false }
    for (place, _) in places {
      let isOptional = routes[place].filters == nil
      try scratch.execute(
        """
        INSERT INTO \(table(number, place)) SELECT o.key, n.key FROM oldRows o LEFT JOIN newRows n ON n.key = o.key
        WHERE o.place = \(place)\(isOptional ? " AND n.key IS NOT NULL" : "")
        """)
    }
    return true
  }

  /// Rows were numbered mapping by mapping, each in the order of its keys.
  ///
  /// - Parameter depth: The number of hops that have done so, from the last one on.
  private func pairByOrder(_ number: Int, _ depth: Int) throws -> Bool {
    let paths = places.map { Array(routes[$0.place].mappings.prefix(depth)) }
    // Routes that share their last mappings are taken together.
    let ranks = paths.map { path in paths.firstIndex(of: path) ?? 0 }
    let cases = zip(places, ranks).map { "WHEN \($0.place) THEN \($1)" }.joined(separator: " ")
    let order = places.count > 1 ? "CASE place \(cases) END, key, place" : "key"
    try scratch.execute(
      """
      DROP TABLE IF EXISTS numbered; CREATE TABLE numbered (number INTEGER PRIMARY KEY, place, key);
      INSERT INTO numbered SELECT row_number() OVER (ORDER BY \(order)), place, key FROM oldRows;
      DROP TABLE IF EXISTS found; CREATE TABLE found (number INTEGER PRIMARY KEY, key);
      INSERT INTO found SELECT row_number() OVER (ORDER BY key), key FROM newRows
      """)
    for (place, _) in places {
      try scratch.execute(
        """
        INSERT INTO \(table(number, place)) SELECT o.key, n.key FROM numbered o LEFT JOIN found n USING (number)
        WHERE o.place = \(place)
        """)
    }
    return true
  }

  /// Rows were numbered mapping by mapping, without those that filters have left out.
  private func pairSubsequence(_ number: Int) throws -> Bool {
    let optional = places.map { routes[$0.place].filters == nil }
    guard let first = optional.firstIndex(of: true), let last = optional.lastIndex(of: true),
      optional[first...last].allSatisfy(\.self)
    else { return false }
    let before = places[..<first].reduce(0) { $0 + $1.count }
    let after = places[(last + 1)...].reduce(0) { $0 + $1.count }
    guard before + after <= newCount else { return false }
    var start: Int64 = 0
    for (index, (place, count)) in places.enumerated() {
      if index == last + 1 { start = newCount - after }
      guard optional[index] else {
        try scratch.execute(
          """
          INSERT INTO \(table(number, place)) SELECT o.key, n.key
          FROM (SELECT row_number() OVER (ORDER BY key) AS number, key FROM oldRows WHERE place = \(place)) o
          JOIN (SELECT row_number() OVER (ORDER BY key) AS number, key FROM (
            SELECT key FROM newRows ORDER BY key LIMIT \(count) OFFSET \(start))) n USING (number)
          """)
        start += count
        continue
      }
      let end = newCount - after
      guard start < end, let low = try key(at: start), let high = try key(at: end - 1) else { continue }
      let insertion = try scratch.prepare("INSERT INTO \(table(number, place)) VALUES (?, ?)")
      let log = DifferenceLog(limit: 0) { _ in }
      try RouteComparison(routes[place], old: old, new: new, keys: low...high, log: log)?.runSubsequence {
        try insertion.bind($0, at: 1)
        try insertion.bind($1, at: 2)
        try insertion.run()
        start += 1
      }
    }
    return true
  }

  private func key(at position: Int64) throws -> Int64? {
    try scratch.integer("SELECT key FROM newRows ORDER BY key LIMIT 1 OFFSET \(position)")
  }
}

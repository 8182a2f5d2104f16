internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The values of a store that are not what they were before its migration, with examples.
///
/// Memory does not grow with the store: of each attribute a few examples are kept, and the keys of rows that were numbered
/// again are in a temporary database.
package struct ValueChanges: Sendable {
  /// A value as it is shown.
  package enum Value: Sendable, Hashable {
    /// Text in quotes, a number or the first bytes of data.
    case text(String)
    case boolean(Bool)
    /// Seconds since 2001.
    case date(Double)
  }

  /// A value of one row, before and after; `nil` for none.
  package struct Example: Sendable, Hashable {
    /// The key of the row in the new store.
    package let row: Int64
    package let old: Value?
    package let new: Value?
  }

  /// An attribute of the new store with values that changed.
  package struct Attribute: Sendable, Hashable {
    package let entity: String
    package let name: String
    /// The attribute that it was; `nil` for a new one.
    package let oldName: String?
    /// The number of rows with another value than before.
    package fileprivate(set) var count: Int64 = 0
    /// The first of them.
    package fileprivate(set) var examples: [Example] = []
  }

  /// The attributes, in the order of the model.
  package fileprivate(set) var attributes: [Attribute] = []
  /// The rows of each entity that were compared with what they were.
  package fileprivate(set) var rowCountByEntity: [String: Int64] = [:]
  /// The attributes that show what the rows of an entity were, by entity, where policies have made them: there are as many
  /// as before, and in the order of their keys these values are all the same.
  package fileprivate(set) var evidenceByEntity: [String: [String]] = [:]
  /// The entities with rows that no entity of the old store corresponds to.
  package fileprivate(set) var newEntities: [String] = []
  /// The entities with rows of which it is not known what they were.
  package fileprivate(set) var unknownEntities: [String] = []
  /// The rows with values of more than 1 MiB, which are not compared.
  package fileprivate(set) var largeRowsCount: Int64 = 0
}

extension StoreVerification {
  /// Finds the values that the migration, or the app since then, has changed.
  ///
  /// - Parameter exampleCount: The number of examples to keep of each attribute.
  /// - Returns: `nil` if the rows of the new store cannot be read as those of its version.
  package func valueChanges(exampleCount: Int) throws -> ValueChanges? {
    let log = DifferenceLog(limit: 0) { _ in }
    return try source.compared(with: result, isCancelled) {
      try sides(log).flatMap { old, new, lineage in
        try changes(old, new, lineage, exampleCount: exampleCount, log)
      }
    } damaged: { message in
      throw MigrationError(.damaged, path: result.file.path, detail: message)
    }
  }

  private func sides(_ log: DifferenceLog) throws -> (StoreSide, StoreSide, Lineage)? {
    guard let first = hops.first, let last = hops.last else { return nil }
    let old = StoreSide(reader: source, schema: try StoreSchema(first.source, introspecting: source))
    let naming = JoinTableNaming(chosen: joinTableRelationships, foundIn: old.schema)
    let new = StoreSide(reader: result, schema: StoreSchema(last.destination, joinTables: naming))
    let tables = try TableCheck(old: old, new: new, explained: expectedMissingTables, log: log)
    let store = StoreCheck(old: old, new: new, log: log)
    guard try store.checkSchema(besides: tables.appNames, inAnyOrder: true) else { return nil }
    var lineage = Lineage(old.schema)
    for hop in hops { lineage.follow(hop) }
    return (old, new, lineage)
  }

  private func changes(
    _ old: StoreSide, _ new: StoreSide, _ lineage: Lineage, exampleCount: Int, _ log: DifferenceLog
  ) throws -> ValueChanges {
    let scratch = try Connection(path: "a temporary file", access: .temporary)
    let entities = EntityCheck(
      lineage, old: old, new: new, scratch: scratch, addedCounts: addedCounts, log: log)
    var progress = try Progress(isCancelled, onProgress, rowsOf: old)
    var changes = ValueChanges()
    for (number, entity) in new.schema.model.entities.filter({ !$0.isAbstract }).enumerated() {
      try entities.check(entity) { try progress.advance() }
      let places = lineage.routes.indices.filter { lineage.routes[$0].destination == entity.name }
      let isKnown = places.allSatisfy(entities.knows) && lineage.opaqueEntities[entity.name] == nil
      for place in places where isKnown {
        let route = lineage.routes[place]
        let comparison = try ValueComparison(
          entity, of: route.source, values: route.values, where: route.condition(in: old), old: old, new: new)
        _ = try comparison?.run(exampleCount: exampleCount, into: &changes) { key in
          if isCancelled() { throw MigrationError(.interrupted) }
          return try entities.newKey(of: key, on: place)
        }
      }
      if !isKnown, try !guess(entity, number, old, new, scratch, exampleCount: exampleCount, &changes) {
        changes.unknownEntities.append(entity.name)
      }
    }
    changes.attributes.removeAll { $0.count == 0 }
    return changes
  }

  /// Compares the rows of an entity that policies have made with as many old ones, in the order of their keys, if that
  /// shows that they belong together.
  private func guess(
    _ entity: EntityDescription, _ number: Int, _ old: StoreSide, _ new: StoreSide, _ scratch: Connection,
    exampleCount: Int, _ changes: inout ValueChanges
  ) throws -> Bool {
    var name = entity.name
    for hop in hops.reversed() {
      let names = [name, hop.destination.entity(named: name)?.renamingIdentifier].compactMap(\.self)
      guard let before = names.first(where: { hop.source.entity(named: $0) != nil }) else {
        if try !isEmpty(entity.name, new) { changes.newEntities.append(entity.name) }
        return true
      }
      name = before
    }
    guard let oldTable = old.schema.table(forEntityNamed: name)?.name,
      let newTable = new.schema.table(forEntityNamed: entity.name)?.name
    else { return false }
    let (condition, newCondition) = (
      old.condition(forEntityNamed: name), new.condition(forEntityNamed: entity.name)
    )
    guard try old.count(oldTable, where: condition) == new.count(newTable, where: newCondition) else { return false }
    let table = "guess\(number)"
    try scratch.execute("CREATE TABLE \(table) (old INTEGER PRIMARY KEY, new INTEGER)")
    let insertion = try scratch.prepare("INSERT INTO \(table) VALUES (?, ?)")
    let (keys, newKeys) = (try old.keys(oldTable, where: condition), try new.keys(newTable, where: newCondition))
    while try keys.step(), try newKeys.step() {
      try insertion.bind(keys.integer(0), at: 1)
      try insertion.bind(newKeys.integer(0), at: 2)
      try insertion.run()
    }
    let search = try scratch.prepare("SELECT new FROM \(table) WHERE old = ?")
    var found = changes
    let comparison = try ValueComparison(entity, of: name, values: [:], where: condition, old: old, new: new)
    let evidence = try comparison?.run(exampleCount: exampleCount, into: &found) { key in
      if isCancelled() { throw MigrationError(.interrupted) }
      try search.bind(key, at: 1)
      defer { search.reset() }
      return try search.step() ? search.integer(0) : nil
    }
    guard let evidence, !evidence.isEmpty else { return try isEmpty(entity.name, new) }
    changes = found
    changes.evidenceByEntity[entity.name] = evidence
    return true
  }

  private func isEmpty(_ entity: String, _ side: StoreSide) throws -> Bool {
    guard let table = side.schema.table(forEntityNamed: entity)?.name else { return true }
    return try side.count(table, where: side.condition(forEntityNamed: entity)) == 0
  }
}

/// Compares the values of the rows of one route, before and after, whatever should have become of them.
private struct ValueComparison {
  private struct Pair {
    let attribute: AttributeDescription
    let oldAttribute: AttributeDescription?
    let column: String
    let oldColumn: String?
  }

  private let entity: String
  private let pairs: [Pair]
  private let oldRows: RowMergeCursor
  private let newRows: RowMergeCursor

  /// - Parameters:
  ///   - source: The entity of the old rows.
  ///   - values: What is known of the origin of values.
  ///   - condition: The old rows; `nil` for all of the table.
  init?(
    _ entity: EntityDescription, of source: String, values: [String: ValueOrigin], where condition: String?,
    old: StoreSide, new: StoreSide
  ) throws {
    guard let before = old.schema.model.entity(named: source),
      let oldTable = old.schema.table(forEntityNamed: source)?.name,
      let newTable = new.schema.table(forEntityNamed: entity.name)?.name
    else { return nil }
    self.entity = entity.name
    pairs = entity.attributes.filter { !$0.isTransient }.compactMap { attribute in
      guard let column = new.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)?.name else {
        return nil
      }
      let name = Self.oldName(of: attribute, before, values)
      let oldColumn = name.flatMap { old.schema.column(forProperty: $0, ofEntityNamed: source)?.name }
      return Pair(
        attribute: attribute, oldAttribute: oldColumn == nil ? nil : name.flatMap { before.attribute(named: $0) },
        column: column, oldColumn: oldColumn)
    }
    oldRows = try RowMergeCursor(
      old.connection, table: oldTable, expressions: pairs.map { $0.oldColumn?.quotedIdentifier ?? "NULL" },
      filter: condition)
    newRows = try RowMergeCursor(
      new.connection, table: newTable, expressions: pairs.map(\.column.quotedIdentifier),
      filter: new.condition(forEntityNamed: entity.name))
  }

  /// The attribute of which a value was copied or computed, as far as its mapping or its name says.
  private static func oldName(
    of attribute: AttributeDescription, _ before: EntityDescription, _ values: [String: ValueOrigin]
  ) -> String? {
    if case .copied(let name, _)? = values[attribute.name] { return name }
    return [attribute.name, attribute.renamingIdentifier].first { before.attribute(named: $0)?.isTransient == false }
  }

  /// Compares the rows.
  ///
  /// - Parameter newKey: The key that a row has in the new store.
  /// - Returns: The attributes whose values are all the same as before, and not all the same as each other.
  func run(
    exampleCount: Int, into changes: inout ValueChanges, _ newKey: (Int64) throws -> Int64?
  ) throws -> [String] {
    var (first, varying): ([String?], Set<Int>) = ([], [])
    let start = changes.attributes.count
    changes.attributes += pairs.map {
      ValueChanges.Attribute(entity: entity, name: $0.attribute.name, oldName: $0.oldAttribute?.name)
    }
    try oldRows.advance()
    while !oldRows.isAtEnd {
      if let key = try newKey(oldRows.key) {
        try newRows.begin(in: key...key)
        try newRows.advance()
        if !newRows.isAtEnd {
          changes.rowCountByEntity[entity, default: 0] += 1
          if oldRows.isLarge || newRows.isLarge {
            changes.largeRowsCount += 1
          } else {
            for place in pairs.indices where !isSame(place) {
              changes.attributes[start + place].count += 1
              guard changes.attributes[start + place].examples.count < exampleCount else { continue }
              changes.attributes[start + place].examples.append(example(place))
            }
            let texts = pairs.indices.map { StoredValue.text(newRows.statement, $0 + 1) }
            if first.isEmpty { first = texts }
            for place in pairs.indices where texts[place] != first[place] { varying.insert(place) }
          }
        }
      }
      try oldRows.advance()
    }
    let isOneRow = changes.rowCountByEntity[entity] == 1
    let evidence = pairs.indices.filter { place in
      let isSame = pairs[place].oldAttribute != nil && changes.attributes[start + place].count == 0
      return isSame && (varying.contains(place) || isOneRow && first[place] != nil)
    }.map { pairs[$0].attribute.name }
    merge(&changes, from: start)
    return evidence
  }

  /// An entity to which several routes lead has each attribute once.
  private func merge(_ changes: inout ValueChanges, from start: Int) {
    for place in (start..<changes.attributes.count).reversed() {
      let added = changes.attributes[place]
      guard
        let other = changes.attributes[..<start].firstIndex(where: {
          $0.entity == added.entity && $0.name == added.name && $0.oldName == added.oldName
        })
      else { continue }
      changes.attributes[other].count += added.count
      let room = max(0, added.examples.count - changes.attributes[other].examples.count)
      changes.attributes[other].examples += added.examples.prefix(room)
      changes.attributes.remove(at: place)
    }
  }

  private func isSame(_ place: Int) -> Bool {
    let (old, new, column) = (oldRows.statement, newRows.statement, place + 1)
    if StoredValue.areEqual(old, column, new, column) { return true }
    let kinds = [old.storageClass(column), new.storageClass(column)]
    if kinds.allSatisfy({ [.integer, .real].contains($0) }) { return old.real(column) == new.real(column) }
    return StoredValue.isConverted(old, column, to: new, column, pairs[place].attribute.type)
  }

  private func example(_ place: Int) -> ValueChanges.Example {
    let pair = pairs[place]
    return ValueChanges.Example(
      row: newRows.key, old: pair.oldAttribute.flatMap { Self.value(oldRows.statement, place + 1, $0.type) },
      new: Self.value(newRows.statement, place + 1, pair.attribute.type))
  }

  private static func value(_ row: Statement, _ column: Int, _ type: AttributeType) -> ValueChanges.Value? {
    switch (type, row.storageClass(column)) {
    case (_, .null): nil
    case (.boolean, .integer) where [0, 1].contains(row.integer(column)): .boolean(row.integer(column) == 1)
    case (.date, .integer), (.date, .real): .date(row.real(column))
    default: StoredValue.text(row, column).map { .text($0) }
    }
  }
}

package import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase

/// The tables that a store's file actually has, with their columns.
///
/// Views, virtual tables and generated columns are left out: they would run code of the file's author.
struct FoundTables {
  private let tableNames: FoundNames
  private let columns: [[UInt8]: FoundNames]

  init(_ store: StoreReader) throws(MigrationError) {
    let connection = store.connection
    (tableNames, columns) = try reporting(path: store.file.path) {
      let names = try connection.strings(
        """
        SELECT name FROM sqlite_schema WHERE \(Connection.isPlainTable) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
      var columns: [[UInt8]: FoundNames] = [:]
      for name in names { columns[name.sqlNameKey] = FoundNames(try connection.plainColumns(of: name)) }
      return (FoundNames(names), columns)
    }
  }

  /// The names of the tables, sorted.
  var names: [String] { tableNames.names }

  /// The name of the table that matches an expected one.
  func name(for expected: String) -> String? { tableNames.name(for: expected) }

  /// The columns of a table by its own name.
  func columns(of table: String) -> FoundNames { columns[table.sqlNameKey] ?? FoundNames([]) }
}

/// Finds the table of a root entity, even under a former name of the entity.
private struct EntityTableNames {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  /// The expected names of the tables of other entities and relationships.
  let reserved: Set<[UInt8]>
  let gaps: LayoutGaps?

  /// The name of a table; `nil` if there is none, and gaps are collected.
  func name(of expected: EntityTable, in found: FoundTables) throws(MigrationError) -> String? {
    let root = expected.entityNames.first ?? ""
    if let name = found.name(for: expected.name) { return name }
    let earlier = earlierNames(of: root).compactMap { found.name(for: "Z" + $0.uppercased()) }
    if let name = earlier.first(where: { !reserved.contains($0.sqlNameKey) && isEntityTable($0, found) }) {
      return name
    }
    let error = LayoutFault.error(store, entity: root, "it has no table '\(expected.name)' for the entity '\(root)'")
    guard let gaps else { throw error }
    gaps.note(.table(expected), error, table: expected.name)
    return nil
  }

  private func earlierNames(of entity: String) -> [String] {
    let number = Int64(numbering[entity])
    return [model.entity(named: entity)?.renamingIdentifier].compactMap { $0 }
      + store.primaryKeys.filter { $0.entityNumber == number }.map(\.entityName)
  }

  private func isEntityTable(_ name: String, _ found: FoundTables) -> Bool {
    FoundColumns.fixed.allSatisfy { found.columns(of: name).name(for: $0) != nil }
  }
}

extension EntityNumbering {
  /// The numbers that the entities of a model have in a store.
  ///
  /// - Parameter gaps: Collects the entities without a number that can only be those of a new store.
  /// - Throws: `MigrationError` if the store has no number for one of them.
  init(
    _ model: ManagedObjectModel, introspecting store: StoreReader, collecting gaps: LayoutGaps? = nil
  ) throws(MigrationError) {
    var matching = PrimaryKeyMatching(model, store)
    matching.matchByName()
    matching.matchByRenamingIdentifier()
    if let gaps { matching.addMissing(to: gaps) }
    try matching.matchByPlace()
    self.init(model, numbers: matching.numbers)
  }
}

/// Matches the rows of `Z_PRIMARYKEY` with entities.
private struct PrimaryKeyMatching {
  private let model: ManagedObjectModel
  private let store: StoreReader
  private let fresh: EntityNumbering
  private var free: [PrimaryKeyRow]
  private var rows: [String: PrimaryKeyRow] = [:]

  init(_ model: ManagedObjectModel, _ store: StoreReader) {
    self.model = model
    self.store = store
    fresh = EntityNumbering(model)
    free = store.primaryKeys.filter { $0.isOfModel }
  }

  var numbers: [String: Int] { rows.mapValues { Int($0.entityNumber) } }

  mutating func matchByName() {
    let byName = Dictionary(grouping: free, by: \.entityName)
    for name in fresh.names { take(byName[name] ?? [], for: name) }
  }

  /// After an entity has been renamed in place, its row may still have the old name.
  mutating func matchByRenamingIdentifier() {
    for entity in model.entities where rows[entity.name] == nil && entity.renamingIdentifier != entity.name {
      take(free.filter { $0.entityName == entity.renamingIdentifier }, for: entity.name)
    }
  }

  /// Matches entities whose rows have names that the model does not know by their place in the hierarchy.
  ///
  /// It succeeds only if nothing is left on either side, and the rows of all entities agree with the model about their
  /// parents.
  mutating func matchByPlace() throws(MigrationError) {
    let missing = fresh.names.filter { rows[$0] == nil }
    guard let first = missing.first else { return try requireDistinctNumbers() }
    guard missing.count == free.count else { throw unknown(first) }
    // Parents come before their children.
    for name in missing where rows[name] == nil {
      let parent = parentNumber(of: name)
      let siblings = missing.filter { rows[$0] == nil && parentNumber(of: $0) == parent }
      let candidates = free.filter { $0.superentityNumber == parent }
      if siblings.count == 1, candidates.count == 1 {
        take(candidates, for: name)
      } else {
        take(candidates.filter { $0.entityNumber == fresh[name] }, for: name)
      }
      guard rows[name] != nil else { throw unknown(name) }
    }
    for name in fresh.names where rows[name]?.superentityNumber != parentNumber(of: name) { throw unknown(name) }
    try requireDistinctNumbers()
  }

  /// Gives entities without a row the numbers of a new store, if all others have theirs.
  ///
  /// In a store with other numbers, nothing says which one is free for them.
  mutating func addMissing(to gaps: LayoutGaps) {
    guard free.isEmpty, rows.allSatisfy({ fresh[$0.key] == Int($0.value.entityNumber) }) else { return }
    for name in fresh.names where rows[name] == nil {
      gaps.note(.entity(name, number: fresh[name]), unknown(name), table: "Z_PRIMARYKEY")
      let parent = model.entity(named: name)?.superentityName.map { fresh[$0] } ?? 0
      rows[name] = PrimaryKeyRow(
        entityNumber: Int64(fresh[name]), entityName: name, superentityNumber: Int64(parent), greatestKey: 0)
    }
  }

  /// Takes the only row, or of several rows the one with the number that the entity has in a new store.
  private mutating func take(_ candidates: [PrimaryKeyRow], for name: String) {
    let row = candidates.count == 1 ? candidates.first : candidates.first { $0.entityNumber == fresh[name] }
    guard let row, let index = free.firstIndex(of: row) else { return }
    free.remove(at: index)
    rows[name] = row
  }

  /// 0 for a root; `nil` if the parent's number is not known yet.
  private func parentNumber(of name: String) -> Int64? {
    guard let parent = model.entity(named: name)?.superentityName else { return 0 }
    return rows[parent]?.entityNumber
  }

  private func requireDistinctNumbers() throws(MigrationError) {
    var names: [Int64: String] = [:]
    for (name, row) in rows.sorted(by: { $0.key.precedesByBytes($1.key) }) {
      if let other = names.updateValue(name, forKey: row.entityNumber) {
        throw LayoutFault.error(
          store, entity: name, "its entities '\(other)' and '\(name)' have the same number \(row.entityNumber)")
      }
    }
  }

  private func unknown(_ name: String) -> MigrationError {
    let names = store.primaryKeys.filter(\.isOfModel).map { "'\($0.entityName)'" }
    let list = names.isEmpty ? "none" : names.joined(separator: ", ")
    return LayoutFault.error(
      store, entity: name, "it has no entity that could be the model's '\(name)', its entities being: \(list)")
  }
}

extension PrimaryKeyRow {
  /// Whether the row belongs to an entity of the app's model, rather than to one of Core Data's own.
  var isOfModel: Bool { entityNumber > 0 && !isOfCoreData }

  /// Whether the row belongs to one of Core Data's own entities for history and mirrors.
  var isOfCoreData: Bool { entityNumber > 16_000 }
}

extension StoreSchema {
  /// The actual layout of a store, for reading it.
  ///
  /// A store that was migrated in place, or written by an old framework, differs from a new one: entities have other numbers
  /// or old names, join tables are named after the other side, columns have other numbers. This finds everything that the
  /// model stores under its name in the file. Indexes are those that Core Data would make of it; whether they are there, see
  /// ``StoreReader/requireLayout(of:)``.
  ///
  /// The entity column of a to-one relationship, which only repeats the destination's entity, may be missing; then the
  /// schema has none.
  ///
  /// - Throws: `MigrationError` with `damaged` if a part of the model is not in the file: the file is damaged, or has
  ///   another model.
  package init(_ model: ManagedObjectModel, introspecting store: StoreReader) throws(MigrationError) {
    try self.init(model, introspecting: store, collecting: nil)
  }

  /// The actual layout of a store, completed by what it lacks and a new store would have.
  ///
  /// - Parameter gaps: Collects what is missing as a whole; without it, the first missing part is an error.
  init(
    _ model: ManagedObjectModel, introspecting store: StoreReader, collecting gaps: LayoutGaps?
  ) throws(MigrationError) {
    let numbering = try EntityNumbering(model, introspecting: store, collecting: gaps)
    let found = try FoundTables(store)
    let expectedTables = EntityTable.all(in: model, numbering: numbering)
    let expectedJoinTables = JoinTable.all(in: model, numbering: numbering).map(\.table)
    let names = EntityTableNames(
      store: store, model: model, numbering: numbering,
      reserved: Set((expectedTables.map(\.name) + expectedJoinTables.map(\.name)).map(\.sqlNameKey)), gaps: gaps)
    let byName = model.entitiesByName
    var tables: [EntityTable] = []
    var entities: [String: String] = [:]
    for expected in expectedTables {
      guard let name = try names.name(of: expected, in: found) else {
        tables.append(expected)
        continue
      }
      let entity = expected.entityNames.first ?? ""
      if let other = entities.updateValue(entity, forKey: name) {
        throw LayoutFault.error(
          store, entity: entity, "its table '\(name)' would be that of both '\(other)' and '\(entity)'")
      }
      let columns = FoundColumns(
        store: store, model: model, byName: byName, numbering: numbering, expected: expected, tableName: name,
        names: found.columns(of: name), gaps: gaps)
      tables.append(try columns.table())
    }
    var finder = JoinTableFinder(
      store: store, model: model, numbering: numbering, found: found, tables: tables, gaps: gaps)
    self.init(model, numbering: numbering, tables: tables, joinTables: try finder.tables(expectedJoinTables))
    keepsTextAsUTF8 = store.layout.encoding == "UTF-8"
  }
}

/// The error for a part of a model that is not in a store.
enum LayoutFault {
  static func error(
    _ store: StoreReader, entity: String, property: String? = nil, _ fact: String
  ) -> MigrationError {
    var error = MigrationError(
      .damaged, MigrationError.Subject(path: store.file.path, entity: entity, property: property),
      detail: fact + doubt)
    error.advice =
      "Nothing was changed. Restore it from a backup; everything that is missing, and what can be mended, is listed by: "
      + "\(.examine(store.file.path))"
    return error
  }

  /// The end of each fact: nothing proves that the model is the store's.
  private static let doubt = "; or this model is not its own"

  /// Returns the fact for a model that is known to be the store's.
  static func withoutDoubt(_ detail: String) -> String {
    detail.hasSuffix(doubt) ? String(detail.dropLast(doubt.count)) : detail
  }
}

package import DataModel
package import MigrationDiagnostics
internal import SQLiteDatabase

/// The tables that a store's file really has, with their columns.
///
/// Only tables that are what they seem: views and virtual tables would run code of the file's author, and so would
/// generated columns, which are left out too.
struct FoundTables {
  private let tableNames: FoundNames
  private let columns: [[UInt8]: FoundNames]

  init(_ store: StoreReader) throws(MigrationError) {
    let connection = store.connection
    (tableNames, columns) = try reporting(path: store.file.path) {
      let statement = try connection.prepare(
        """
        SELECT name FROM sqlite_schema WHERE \(Connection.isPlainTable) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
      var names: [String] = []
      while try statement.step() { names += [statement.text(0)].compactMap { $0 } }
      var columns: [[UInt8]: FoundNames] = [:]
      for name in names {
        columns[name.sqlNameKey] = try Self.columns(of: name, connection)
      }
      return (FoundNames(names), columns)
    }
  }

  /// The names of the tables, sorted.
  var names: [String] { tableNames.names }

  /// The name of the table that stands for an expected one.
  func name(for expected: String) -> String? { tableNames.name(for: expected) }

  /// The columns of a table by its own name.
  func columns(of table: String) -> FoundNames { columns[table.sqlNameKey] ?? FoundNames([]) }

  private static func columns(of table: String, _ connection: Connection) throws -> FoundNames {
    // The pragma itself, not the function of its name: a table could bear that.
    let statement = try connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    var names: [String] = []
    while try statement.step() { names += [statement.text(1)].compactMap { $0 } }
    return FoundNames(names)
  }
}

/// Finds the table of a root entity, also under the name that the entity had before it was renamed.
private struct EntityTableNames {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  /// The names that other entities and relationships expect for their tables.
  let reserved: Set<[UInt8]>

  func name(of expected: EntityTable, in found: FoundTables) throws(MigrationError) -> String {
    let root = expected.entityNames.first ?? ""
    if let name = found.name(for: expected.name) { return name }
    let earlier = earlierNames(of: root).compactMap { found.name(for: "Z" + $0.uppercased()) }
    if let name = earlier.first(where: { !reserved.contains($0.sqlNameKey) && isEntityTable($0, found) }) {
      return name
    }
    throw LayoutFault.error(store, entity: root, "it has no table '\(expected.name)' for the entity '\(root)'")
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
  /// - Throws: `MigrationError` when the store has no number for one of them.
  init(_ model: ManagedObjectModel, introspecting store: StoreReader) throws(MigrationError) {
    var matching = PrimaryKeyMatching(model, store)
    matching.matchByName()
    matching.matchByRenamingIdentifier()
    try matching.matchByPlace()
    self.init(model, numbers: matching.numbers)
  }
}

/// Tells which row of `Z_PRIMARYKEY` is about which entity.
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
    for name in fresh.names { take(free.filter { $0.entityName == name }, for: name) }
  }

  /// After an entity was renamed in place, its row may keep the old name.
  mutating func matchByRenamingIdentifier() {
    for entity in model.entities where rows[entity.name] == nil && entity.renamingIdentifier != entity.name {
      take(free.filter { $0.entityName == entity.renamingIdentifier }, for: entity.name)
    }
  }

  /// Matches entities whose rows have names that the model does not know, by their place below their parents.
  ///
  /// Only where nothing is left over on either side, and the rows of all entities say the same about their parents as
  /// the model does.
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

  /// Takes the only row, or of several the one with the number that the entity has in a fresh store.
  private mutating func take(_ candidates: [PrimaryKeyRow], for name: String) {
    let row = candidates.count == 1 ? candidates.first : candidates.first { $0.entityNumber == fresh[name] }
    guard let row, let index = free.firstIndex(of: row) else { return }
    free.remove(at: index)
    rows[name] = row
  }

  /// 0 for a root; `nil` when the parent's own number is not known yet.
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
  /// Whether the row is about an entity of the app's model, and not one of Core Data's own.
  var isOfModel: Bool { entityNumber > 0 && !isOfCoreData }

  /// Whether the row is about an entity of Core Data's own: those of history and mirrors.
  var isOfCoreData: Bool { entityNumber > 16_000 }
}

extension StoreSchema {
  /// The layout that a store really has, for reading it.
  ///
  /// A store that was migrated in place, or that an old framework wrote, differs from a fresh one: entities have other
  /// numbers or old names, join tables are named from the other side, columns carry other numbers. Whatever of the
  /// model is stored is found here under the name that it has in the file. Indexes are not looked at.
  ///
  /// The entity column of a to-one relationship, which only repeats what the destination says, may be missing; then the
  /// schema has none.
  ///
  /// - Throws: `MigrationError` with `damaged` when something of the model has no place in the file: the file is
  ///   damaged, or the model is not its own.
  package init(_ model: ManagedObjectModel, introspecting store: StoreReader) throws(MigrationError) {
    let numbering = try EntityNumbering(model, introspecting: store)
    let found = try FoundTables(store)
    let expectedTables = EntityTable.all(in: model, numbering: numbering)
    let expectedJoinTables = JoinTable.all(in: model, numbering: numbering).map(\.table)
    let names = EntityTableNames(
      store: store, model: model, numbering: numbering,
      reserved: Set((expectedTables.map(\.name) + expectedJoinTables.map(\.name)).map(\.sqlNameKey)))
    var tables: [EntityTable] = []
    for expected in expectedTables {
      let name = try names.name(of: expected, in: found)
      if let other = tables.first(where: { $0.name == name }) {
        throw LayoutFault.error(
          store, entity: expected.entityNames.first ?? "",
          "its table '\(name)' would be that of both '\(other.entityNames.first ?? "")' and "
            + "'\(expected.entityNames.first ?? "")'")
      }
      let columns = FoundColumns(
        store: store, model: model, numbering: numbering, expected: expected, tableName: name,
        names: found.columns(of: name))
      tables.append(try columns.table())
    }
    var finder = JoinTableFinder(store: store, model: model, numbering: numbering, found: found, tables: tables)
    self.init(model, numbering: numbering, tables: tables, joinTables: try finder.tables(expectedJoinTables))
    keepsTextAsUTF8 = store.layout.encoding == "UTF-8"
  }
}

/// What is wrong when a model's part has no place in a store.
enum LayoutFault {
  static func error(
    _ store: StoreReader, entity: String, property: String? = nil, _ fact: String
  ) -> MigrationError {
    MigrationError(
      .damaged, MigrationError.Subject(path: store.file.path, entity: entity, property: property),
      detail: "\(fact); or this model is not its own")
  }
}

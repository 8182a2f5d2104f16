internal import DataModel
internal import MigrationDiagnostics
internal import SQLiteDatabase

/// Finds the columns of an entity's table in a store.
struct FoundColumns {
  let store: StoreReader
  let model: ManagedObjectModel
  let byName: [String: EntityDescription]
  let numbering: EntityNumbering
  /// The table as it would be in a new store with these entity numbers.
  let expected: EntityTable
  let tableName: String
  let names: FoundNames
  /// Collects the columns that are missing; without it, the first one is an error.
  let gaps: LayoutGaps?

  /// The first columns of every entity table.
  static let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]

  func table() throws(MigrationError) -> EntityTable {
    for column in Self.fixed where names.name(for: column) == nil {
      throw LayoutFault.error(
        store, entity: expected.entityNames.first ?? "", "its table '\(tableName)' has no column '\(column)'")
    }
    try requireKey(names.name(for: "Z_PK") ?? "Z_PK")
    var found = try valueColumns()
    // The rows of a table show nothing about columns that it does not have.
    if gaps?.all.contains(where: { $0.table == tableName }) != true {
      try ColumnOwnerInference(store: store, model: model, numbering: numbering, tableName: tableName).correct(
        &found, expected: expected.columns)
    }
    // Order and entity columns are named after their key.
    for (index, column) in expected.columns.enumerated() where found[index] == nil {
      let key = expected.columns.firstIndex {
        $0.content == .foreignKey && $0.entityName == column.entityName && $0.propertyName == column.propertyName
      }
      found[index] = try companion(column, ofKey: key.flatMap { found[$0] } ?? "")
    }
    let columns = expected.columns.enumerated().compactMap { index, column in
      found[index].map {
        EntityTable.Column(
          name: $0, entityName: column.entityName, propertyName: column.propertyName, content: column.content)
      }
    }
    return EntityTable(
      name: tableName, entities: expected.entityNames.compactMap { byName[$0] }, columns: columns, byName: byName)
  }

  /// Checks that each row has a unique integer as its key, and that SQLite finds rows by it.
  ///
  /// Core Data's tables always have such keys. In a table that another program made, rows may have none, and would be
  /// skipped.
  private func requireKey(_ name: String) throws(MigrationError) {
    guard try reporting(path: store.file.path, { try !store.connection.isRowID(name, of: tableName) }) else { return }
    var error = MigrationError(
      .damaged, MigrationError.Subject(path: store.file.path, entity: expected.entityNames.first),
      detail: "rows of '\(tableName)' may have no key or share one, since '\(name)' is not the key that Core Data makes"
    )
    error.advice =
      "Nothing was changed. Restore the store from a backup, or create this table again with "
      + "'\(name) INTEGER PRIMARY KEY' and a number of its own for each row."
    throw error
  }

  /// The names of the columns of attributes and keys, by the indexes of the expected columns.
  private func valueColumns() throws(MigrationError) -> [Int: String] {
    var found: [Int: String] = [:]
    var taken: Set<[UInt8]> = []
    var missing: [Int] = []
    for (index, column) in expected.columns.enumerated() where column.isValue {
      if let name = names.name(for: column.name), taken.insert(name.sqlNameKey).inserted {
        found[index] = name
      } else {
        missing.append(index)
      }
    }
    // The expected names of the other columns are taken too.
    taken.formUnion(expected.columns.filter { !$0.isValue }.map(\.name.sqlNameKey))
    for index in missing where found[index] == nil {
      let column = expected.columns[index]
      let pattern = pattern(of: column)
      let candidates = names.names.compactMap { name in
        taken.contains(name.sqlNameKey) ? nil : pattern.match(name).map { (name: name, match: $0) }
      }
      // Properties that share a name, and are all missing, get the columns that exist in the same order.
      let alike = missing.filter { found[$0] == nil && self.pattern(of: expected.columns[$0]) == pattern }
      guard candidates.count == alike.count else {
        try miss(column, candidates.map(\.name))
        found[index] = column.name
        continue
      }
      let sorted = candidates.sorted { $0.match.suffix < $1.match.suffix }
      for (place, candidate) in zip(alike, sorted) {
        found[place] = candidate.name
        taken.insert(candidate.name.sqlNameKey)
      }
    }
    return found
  }

  private func pattern(of column: EntityTable.Column) -> NamePattern {
    let stem = column.stem
    if column.isHiddenKey(in: model) {
      return NamePattern(prefix: "Z", hasEntityNumber: true, stem: stem, mayHaveSuffix: false)
    }
    // Only a name that several properties share can have a number; otherwise such a column belongs to another property.
    let rivals = expected.columns.filter { $0.isValue && $0.stem == stem }
    return NamePattern(prefix: "Z", hasEntityNumber: false, stem: stem, mayHaveSuffix: rivals.count > 1)
  }

  /// The order column or entity column of a key.
  private func companion(_ column: EntityTable.Column, ofKey key: String) throws(MigrationError) -> String? {
    let stem = String(key.dropFirst())
    let isOrder = column.content == .order
    let number = model.entity(named: column.entityName)?.relationship(named: column.propertyName).map {
      numbering[$0.destinationEntityName]
    }
    let likely = isOrder ? "Z_FOK_\(stem)" : "Z\(number ?? 0)_\(stem)"
    if let name = names.name(for: likely) ?? names.name(for: column.name) { return name }
    let pattern =
      isOrder
      ? NamePattern(prefix: "Z_FOK_", hasEntityNumber: false, stem: stem)
      : NamePattern(prefix: "Z", hasEntityNumber: true, stem: "_\(stem)", mayHaveSuffix: false)
    let candidates = names.names.filter { pattern.match($0) != nil }
    if candidates.count == 1 { return candidates.first }
    // The order is not stored anywhere else. The entity is: in the destination's row.
    guard isOrder else { return nil }
    try miss(column, candidates)
    return likely
  }

  /// Notes that a column is missing; one that several others could be is an error in any case.
  private func miss(_ column: EntityTable.Column, _ candidates: [String]) throws(MigrationError) {
    let error = fault(column, candidates)
    guard let gaps, candidates.isEmpty, names.name(for: column.name) == nil else { throw error }
    gaps.note(.column(column), error, table: tableName)
  }

  private func fault(_ column: EntityTable.Column, _ candidates: [String]) -> MigrationError {
    let found =
      candidates.isEmpty
      ? "" : ", and \(candidates.map { "'\($0)'" }.joined(separator: ", ")) could be meant for more than one"
    let what = column.content == .order ? "the order of " : ""
    return LayoutFault.error(
      store, entity: column.entityName, property: column.propertyName,
      "its table '\(tableName)' has no column '\(column.name)' for \(what)'\(column.entityName).\(column.propertyName)'"
        + found)
  }
}

extension EntityTable.Column {
  /// Whether the column holds an attribute or a key, and not the entity or order of a key.
  var isValue: Bool {
    switch content {
    case .attribute, .foreignKey: true
    case .destinationEntity, .order: false
    }
  }

  /// Whether this is the key of a to-many relationship without an inverse, whose name contains its entity's number.
  func isHiddenKey(in model: ManagedObjectModel) -> Bool {
    content == .foreignKey
      && model.entity(named: entityName)?.relationship(named: propertyName)?.isToMany == true
  }
}

/// The names of a file's tables or of a table's columns, as spelled in the file.
struct FoundNames {
  let names: [String]
  private let bySQLName: [[UInt8]: String]
  private let byUppercasedName: [String: [String]]

  init(_ names: [String]) {
    self.names = names
    byUppercasedName = Dictionary(grouping: names) { $0.uppercased() }
    bySQLName = Dictionary(names.map { ($0.sqlNameKey, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The name that matches an expected one: the same for SQLite, or else the only one that differs only in case.
  ///
  /// It is not known for certain how Core Data writes letters beyond ASCII in uppercase.
  func name(for expected: String) -> String? {
    if let name = bySQLName[expected.sqlNameKey] { return name }
    let similar = byUppercasedName[expected.uppercased()] ?? []
    return similar.count == 1 ? similar.first : nil
  }
}

extension String {
  /// This name with ASCII letters in lowercase: names are equal for SQLite if these bytes are.
  package var sqlNameKey: [UInt8] {
    utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
  }
}

/// The form of a name with numbers that the model does not determine: `Z_23USERS1`.
///
/// It consists of a prefix, possibly the number of an entity, a stem, and possibly the number that Core Data appends to a
/// name that is taken.
struct NamePattern: Hashable {
  let prefix: String
  let hasEntityNumber: Bool
  let stem: String
  var mayHaveSuffix = true

  /// The numbers in a name.
  struct Match: Hashable {
    var entityNumber = 0
    /// 0 for a name without a suffix.
    var suffix = 0
  }

  /// The numbers in a name, if it has this form.
  func match(_ name: String) -> Match? {
    var rest = Array(name.uppercased().utf8)[...]
    guard rest.starts(with: prefix.uppercased().utf8) else { return nil }
    rest = rest.dropFirst(prefix.uppercased().utf8.count)
    let stem = Array(stem.uppercased().utf8)
    guard hasEntityNumber else { return match(rest, stem: stem, entityNumber: 0) }
    let digits = rest.prefix { Self.isDigit($0) }
    // The stem may begin with digits too.
    for count in stride(from: digits.count, to: 0, by: -1) {
      guard let number = Self.number(rest.prefix(count)) else { continue }
      if let match = match(rest.dropFirst(count), stem: stem, entityNumber: number) { return match }
    }
    return nil
  }

  private func match(_ rest: ArraySlice<UInt8>, stem: [UInt8], entityNumber: Int) -> Match? {
    guard rest.starts(with: stem) else { return nil }
    let suffix = rest.dropFirst(stem.count)
    if suffix.isEmpty { return Match(entityNumber: entityNumber) }
    guard mayHaveSuffix, let number = Self.number(suffix) else { return nil }
    return Match(entityNumber: entityNumber, suffix: number)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.allSatisfy(isDigit) ? Int(String(decoding: bytes, as: UTF8.self)) : nil
  }
}

/// Determines from the rows of a table which columns belong to which of several properties with the same name.
///
/// Sibling entities in one table can have properties with the same name; their columns are `ZTEXT`, `ZTEXT1`… In a store
/// that was migrated in place, or written by an old framework, the numbers may be in another order than in a new store. The
/// rows show which column belongs to which entity: an instance has values in its own entity's columns. If the rows do not
/// decide, the order of a new store is used.
struct ColumnOwnerInference {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  let tableName: String

  /// Swaps the names of columns if the rows say so.
  ///
  /// The table is read only if it has such columns.
  func correct(_ found: inout [Int: String], expected: [EntityTable.Column]) throws(MigrationError) {
    let places = found.keys.sorted().filter { !expected[$0].isHiddenKey(in: model) }
    let groups = Dictionary(grouping: places) { expected[$0].stem }
    for places in groups.values.filter({ $0.count > 1 }) {
      let names = places.map { found[$0] ?? "" }
      let owners = places.map { entityNumbers(below: expected[$0].entityName) }
      let order = Self.bestOrder(try values(ofEntities: owners, in: names))
      for (place, column) in zip(places, order) { found[place] = names[column] }
    }
  }

  /// The number of instances of each owner with a value in each column.
  private func values(ofEntities owners: [Set<Int>], in columns: [String]) throws(MigrationError) -> [[Int64]] {
    let counts = columns.map { "count(\($0.quotedIdentifier))" }.joined(separator: ", ")
    return try reporting(path: store.file.path) {
      var values = owners.map { _ in columns.map { _ in Int64(0) } }
      let statement = try store.connection.prepare(
        "SELECT Z_ENT, \(counts) FROM \(tableName.quotedIdentifier) GROUP BY Z_ENT")
      while try statement.step() {
        let entity = Int(statement.integer(0))
        for (owner, entities) in owners.enumerated() where entities.contains(entity) {
          for column in columns.indices { values[owner][column] += statement.integer(column + 1) }
        }
      }
      return values
    }
  }

  /// The column of each owner, so that as many values as possible are in the columns of their owners.
  ///
  /// Starting with the order of a new store, columns are swapped as long as that brings more values to their owners.
  /// Therefore it ends, and columns are not swapped without a reason.
  private static func bestOrder(_ values: [[Int64]]) -> [Int] {
    var order = Array(values.indices)
    var isImproved = true
    while isImproved {
      isImproved = false
      for first in order.indices {
        for second in order.indices.dropFirst(first + 1) {
          let now = values[first][order[first]] + values[second][order[second]]
          guard values[first][order[second]] + values[second][order[first]] > now else { continue }
          order.swapAt(first, second)
          isImproved = true
        }
      }
    }
    return order
  }

  private func entityNumbers(below entity: String) -> Set<Int> {
    Set(numbering.names.filter { model.lineage(of: $0).contains(entity) }.map { numbering[$0] })
  }
}

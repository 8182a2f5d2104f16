internal import DataModel
internal import Diagnostics

/// Finds the columns of an entity's table in a store.
struct FoundColumns {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  /// The table as it would be in a fresh store with these entity numbers.
  let expected: EntityTable
  let tableName: String
  let names: FoundNames

  /// The columns that every table of an entity begins with.
  static let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]

  func table() throws(MigrationError) -> EntityTable {
    for column in Self.fixed where names.name(for: column) == nil {
      throw LayoutFault.error(
        store, entity: expected.entityNames.first ?? "", "its table '\(tableName)' has no column '\(column)'")
    }
    try requireKey(names.name(for: "Z_PK") ?? "Z_PK")
    var found = try valueColumns()
    try ColumnEvidence(store: store, model: model, numbering: numbering, tableName: tableName).correct(
      &found, expected: expected.columns)
    // Order and entity columns are named after the key beside them.
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
      name: tableName, entityNames: expected.entityNames, columns: columns,
      keyIndexStatements: [], fetchIndexStatements: [])
  }

  /// Makes sure that each row has a whole number for its key, no two have the same, and SQLite finds rows by it.
  ///
  /// Core Data's tables cannot have other keys. In a table that another program made, rows may be without one, and would
  /// be passed over.
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

  /// The names of the columns of attributes and keys, by the places of the expected ones.
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
    // What is expected of the rest is taken too.
    taken.formUnion(expected.columns.filter { !$0.isValue }.map(\.name.sqlNameKey))
    for index in missing where found[index] == nil {
      let column = expected.columns[index]
      let pattern = pattern(of: column)
      let candidates = names.names.compactMap { name in
        taken.contains(name.sqlNameKey) ? nil : pattern.match(name).map { (name: name, match: $0) }
      }
      // Those that share a name, and are all missing, get what there is in the same order.
      let alike = missing.filter { found[$0] == nil && self.pattern(of: expected.columns[$0]) == pattern }
      guard candidates.count == alike.count else { throw fault(column, candidates.map(\.name)) }
      let sorted = candidates.sorted { $0.match.suffix < $1.match.suffix }
      for (place, candidate) in zip(alike, sorted) {
        found[place] = candidate.name
        taken.insert(candidate.name.sqlNameKey)
      }
    }
    return found
  }

  private func pattern(of column: EntityTable.Column) -> NamePattern {
    let stem = column.propertyName.uppercased()
    if column.isHiddenKey(in: model) {
      return NamePattern(prefix: "Z", hasEntityNumber: true, stem: stem, mayHaveSuffix: false)
    }
    // Only a name that several properties want can have a number; any other such column is some other property's.
    let rivals = expected.columns.filter { $0.isValue && $0.propertyName.uppercased() == stem }
    return NamePattern(prefix: "Z", hasEntityNumber: false, stem: stem, mayHaveSuffix: rivals.count > 1)
  }

  /// The order column or entity column beside a key.
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
    // The order is in no other place. The entity is: with the destination itself.
    if isOrder { throw fault(column, candidates) }
    return nil
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
  /// Whether the column holds an attribute or a key, and not what belongs to a key.
  var isValue: Bool {
    switch content {
    case .attribute, .foreignKey: true
    case .destinationEntity, .order: false
    }
  }

  /// Whether this is the key of a to-many relationship without inverse, whose name has the number of its entity.
  func isHiddenKey(in model: ManagedObjectModel) -> Bool {
    content == .foreignKey
      && model.entity(named: entityName)?.relationship(named: propertyName)?.isToMany == true
  }
}

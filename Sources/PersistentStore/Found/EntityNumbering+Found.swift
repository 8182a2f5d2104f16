internal import DataModel
internal import Diagnostics

extension EntityNumbering {
  /// The numbers that the entities of a model have in a store.
  ///
  /// - Throws: `MigrationError` when the store has no number for one of them.
  init(_ model: ManagedObjectModel, asFoundIn store: StoreReader) throws(MigrationError) {
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

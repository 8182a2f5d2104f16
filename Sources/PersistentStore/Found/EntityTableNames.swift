internal import DataModel
internal import Diagnostics

/// Finds the table of a root entity, also under the name that the entity had before it was renamed.
struct EntityTableNames {
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

internal import DataModel
internal import MigrationDiagnostics
internal import SQLiteDatabase

/// Finds rows of `Z_PRIMARYKEY` that do not fit the model and the tables.
///
/// Core Data takes the key of a new row, and the entity of each row, from there. No table is read from end to end: what the
/// rows of entities in one table say, only all of them would show.
struct PrimaryKeyFaults {
  private let schema: StoreSchema
  private let store: StoreReader

  init(_ schema: StoreSchema, _ store: StoreReader) {
    (self.schema, self.store) = (schema, store)
  }

  func all() throws(SQLiteError) -> [SchemaFault] {
    let parents = parentFaults
    // Numbers that are exchanged explain the keys too.
    let names = try parents.isEmpty ? numberFaults() : parents
    return try names.isEmpty ? keyFaults() : names
  }

  /// The entities whose rows name other parents than the model.
  private var parentFaults: [SchemaFault] {
    let rows = Dictionary(
      store.primaryKeys.map { (Int($0.entityNumber), $0) }, uniquingKeysWith: { first, _ in first })
    return schema.model.entities.compactMap { entity in
      let parent = entity.superentityName.map { schema.entityNumber($0) } ?? 0
      guard let row = rows[schema.entityNumber(entity.name)], row.superentityNumber != parent else { return nil }
      return SchemaFault(
        fact: "its table 'Z_PRIMARYKEY' names the entity \(row.superentityNumber) as the parent of '\(entity.name)', "
          + "and in the model it is \(parent)", remedy: nil)
    }
  }

  /// The tables whose first row has the number of an entity in another table.
  private func numberFaults() throws(SQLiteError) -> [SchemaFault] {
    var owners: [Int64: (entity: String, table: String)] = [:]
    for table in schema.tables {
      for entity in table.entityNames { owners[Int64(schema.entityNumber(entity))] = (entity, table.name) }
    }
    var faults: [SchemaFault] = []
    for table in schema.tables {
      let statement = try store.connection.prepare("SELECT Z_ENT FROM \(table.name.quotedIdentifier) LIMIT 1")
      guard try statement.step(), !statement.isNull(0) else { continue }
      let number = statement.integer(0)
      guard let owner = owners[number], owner.table != table.name else { continue }
      faults.append(
        SchemaFault(
          fact: "its table '\(table.name)' has rows of the entity \(number), which 'Z_PRIMARYKEY' calls "
            + "'\(owner.entity)'",
          remedy: nil))
    }
    return faults
  }

  /// The tables in which there are greater keys than the greatest one that was given out.
  private func keyFaults() throws(SQLiteError) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    for table in schema.tables {
      guard let root = table.entityNames.first else { continue }
      let name = table.name.quotedIdentifier
      let number = schema.entityNumber(root)
      let known = try store.connection.prepare(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number) AND typeof(Z_MAX) = 'integer'")
      let given = try known.step() ? known.integer(0) : nil
      // One step in the table's tree.
      let greatest = try store.connection.integer("SELECT max(Z_PK) FROM \(name)") ?? 0
      let fact: String
      if let given {
        guard given < greatest else { continue }
        fact =
          "its table 'Z_PRIMARYKEY' gives \(given) as the greatest key of '\(root)', and there is a row \(greatest), so new "
          + "rows would get keys that are taken"
      } else {
        fact = "its table 'Z_PRIMARYKEY' has no greatest key (Z_MAX) for '\(root)', so new rows would get none"
      }
      faults.append(
        SchemaFault(
          fact: fact,
          remedy:
            "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT ifnull(max(Z_PK), 0) FROM \(name)) WHERE Z_ENT = \(number);"))
    }
    return faults
  }
}

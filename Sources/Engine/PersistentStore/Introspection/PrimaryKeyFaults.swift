internal import DataModel
internal import SQLiteDatabase

/// Finds rows of `Z_PRIMARYKEY` that do not fit the model and the tables.
///
/// Core Data takes the key of a new row, and the entity of each row, from there. Which of the entities in one table a row is
/// of, only the row itself says.
struct PrimaryKeyFaults {
  private let schema: StoreSchema
  private let store: StoreReader

  init(_ schema: StoreSchema, _ store: StoreReader) {
    (self.schema, self.store) = (schema, store)
  }

  func all() throws(SQLiteError) -> [SchemaFault] {
    // Numbers that are exchanged explain the keys too.
    let entities = try ofEntities()
    return try entities.isEmpty ? keyFaults() : entities
  }

  /// The entities whose names, parents or numbers are not those of the model, the rows and the join tables.
  func ofEntities() throws(SQLiteError) -> [SchemaFault] {
    let rows = try parentFaults + nameFaults + rowFaults()
    guard rows.isEmpty else { return rows }
    let numbers = try numberFaults()
    // A wrong number in `Z_PRIMARYKEY` makes wrong names of tables.
    return try numbers.isEmpty ? JoinTableNames(schema, store.connection).faults() : numbers
  }

  private var rowsByNumber: [Int: PrimaryKeyRow] {
    Dictionary(store.primaryKeys.map { (Int($0.entityNumber), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entities with several rows, of which an app may read one and write all.
  private func rowFaults() throws(SQLiteError) -> [SchemaFault] {
    let names = Dictionary(
      schema.entityNames.map { (Int64(schema.entityNumber($0)), $0) }, uniquingKeysWith: { first, _ in first })
    let rows = try store.connection.prepare(
      "SELECT Z_ENT, count(*) FROM Z_PRIMARYKEY GROUP BY Z_ENT HAVING count(*) > 1 ORDER BY 1 LIMIT 10")
    var faults: [SchemaFault] = []
    while try rows.step() {
      let (number, count) = (rows.integer(0), rows.integer(1))
      faults.append(
        SchemaFault(
          .foreignEntityName, table: "Z_PRIMARYKEY", object: names[number],
          fact: "its table 'Z_PRIMARYKEY' has \(count) rows for the entity \(number)", remedy: nil))
    }
    guard faults.isEmpty else { return faults }
    let key = "SELECT 1 FROM pragma_table_info('Z_PRIMARYKEY') WHERE pk > 0"
    guard try store.connection.integer(key) == nil else { return [] }
    return [
      SchemaFault(
        .foreignEntityName, table: "Z_PRIMARYKEY", fact: "its table 'Z_PRIMARYKEY' has no primary key (Z_ENT)",
        remedy: nil)
    ]
  }

  /// Whether most of the names are such as no migration leaves: it renames some entities, and not all.
  private var hasForeignNames: Bool {
    let (rows, byName) = (rowsByNumber, schema.model.entitiesByName)
    let foreign = schema.model.entities.filter { entity in
      guard let name = rows[schema.entityNumber(entity.name)]?.entityName else { return false }
      return entity.renamingIdentifier != name && byName[name] == nil
    }
    return foreign.count > 1 && foreign.count * 2 > schema.model.entities.count
  }

  /// The entities whose rows have a name that no version of their model can have given them.
  ///
  /// A migration in place leaves the earlier names of renamed entities, which the model need not know any more.
  private var nameFaults: [SchemaFault] {
    let (rows, byName, hasForeignNames) = (rowsByNumber, schema.model.entitiesByName, hasForeignNames)
    return schema.model.entities.compactMap { entity in
      let number = schema.entityNumber(entity.name)
      guard let name = rows[number]?.entityName, ![entity.name, entity.renamingIdentifier].contains(name),
        hasForeignNames || name.isEmpty || byName[name] != nil || name.lowercased() == entity.name.lowercased()
      else { return nil }
      return SchemaFault(
        .foreignEntityName, table: "Z_PRIMARYKEY", object: entity.name,
        fact: "its table 'Z_PRIMARYKEY' has '\(name)' as the name of '\(entity.name)'",
        remedy: "UPDATE Z_PRIMARYKEY SET Z_NAME = \(entity.name.quotedLiteral) WHERE Z_ENT = \(number);")
    }
  }

  /// The rows with names that the model does not know, and of entities that it does not have.
  func remarks() -> [SchemaFault] {
    let (byName, faults) = (schema.model.entitiesByName, Set(nameFaults.compactMap(\.object)))
    let names = Dictionary(
      schema.entityNames.map { (schema.entityNumber($0), $0) }, uniquingKeysWith: { first, _ in first })
    return store.primaryKeys.filter { !$0.isOfCoreData }.compactMap { row in
      let entity = names[Int(row.entityNumber)]
      guard entity != row.entityName, entity.map({ !faults.contains($0) }) ?? true,
        entity.flatMap({ byName[$0] })?.renamingIdentifier != row.entityName
      else { return nil }
      let fact =
        if let entity {
          "calls '\(entity)' by the name '\(row.entityName)', which the model does not know"
        } else if byName[row.entityName] != nil {
          "has another row for '\(row.entityName)', with the number \(row.entityNumber) (Z_ENT)"
        } else {
          "has a row for an entity '\(row.entityName)', which the model does not have"
        }
      return SchemaFault(
        .unknownEntityName, table: "Z_PRIMARYKEY", object: entity, fact: "its table 'Z_PRIMARYKEY' \(fact)", remedy: nil
      )
    }
  }

  /// The entities whose rows name other parents than the model.
  private var parentFaults: [SchemaFault] {
    let rows = rowsByNumber
    return schema.model.entities.compactMap { entity in
      let parent = entity.superentityName.map { schema.entityNumber($0) } ?? 0
      guard let row = rows[schema.entityNumber(entity.name)], row.superentityNumber != parent else { return nil }
      return SchemaFault(
        .foreignEntityName, table: "Z_PRIMARYKEY", object: entity.name,
        fact: "its table 'Z_PRIMARYKEY' names the entity \(row.superentityNumber) as the parent of '\(entity.name)', "
          + "and in the model it is \(parent)", remedy: nil)
    }
  }

  /// The tables with rows of entities that are not theirs.
  private func numberFaults() throws(SQLiteError) -> [SchemaFault] {
    var owners: [Int64: String] = [:]
    for table in schema.tables {
      for entity in table.entityNames { owners[Int64(schema.entityNumber(entity))] = entity }
    }
    var faults: [SchemaFault] = []
    for table in schema.tables {
      let numbers = table.entityNames.map { "\(schema.entityNumber($0))" }.joined(separator: ", ")
      let statement = try store.connection.prepare(
        "SELECT Z_ENT FROM \(table.name.quotedIdentifier) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers)) LIMIT 1")
      guard try statement.step() else { continue }
      // Anything else is not a number, whatever it begins with.
      let number = statement.storageClass(0) == .integer ? statement.integer(0) : nil
      let owner = number.flatMap { owners[$0] }
      let rows = number.map { "rows of the entity \($0)" } ?? "rows without an entity (Z_ENT)"
      let name = owner.map { ", which 'Z_PRIMARYKEY' calls '\($0)'" }
      faults.append(
        SchemaFault(
          .foreignEntityNumber, table: table.name,
          fact: "its table '\(table.name)' has \(rows)"
            + (name ?? (number == nil ? "" : ", which 'Z_PRIMARYKEY' does not have")),
          remedy: try owner == nil ? remedy(for: table, number) : nil))
    }
    return faults
  }

  /// The SQL that gives the rows of a table the number of its only entity; `nil` if it has several.
  ///
  /// - Parameter number: The number of a row.
  private func remedy(for table: EntityTable, _ number: Int64?) throws(SQLiteError) -> String? {
    guard table.entityNames.count == 1, let entity = table.entityNames.first else { return nil }
    let (name, known) = (table.name.quotedIdentifier, schema.entityNumber(entity))
    // If all rows have the number that the entity has in a new store, the other number is wrong.
    if let number, number == EntityNumbering(schema.model)[entity],
      try store.connection.integer("SELECT 1 FROM \(name) WHERE Z_ENT IS NOT \(number) LIMIT 1") == nil
    {
      return "UPDATE Z_PRIMARYKEY SET Z_ENT = \(number) WHERE Z_ENT = \(known);"
    }
    return "UPDATE \(name) SET Z_ENT = \(known) WHERE Z_ENT IS NOT \(known);"
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
      guard !PrimaryKeyRow.isImpossible(greatest) else {
        // A feed may give such keys, and then the store agrees with itself.
        if given == greatest { continue }
        // To give the keys after it would be to give none.
        faults.append(
          SchemaFault(
            .foreignKeyValue, table: table.name,
            fact:
              "its table '\(table.name)' has a row with the key \(greatest), which no app has given, so there may be no keys "
              + "for new rows", remedy: nil))
        continue
      }
      let fact: String
      if let given, PrimaryKeyRow.isImpossible(given) {
        fact =
          "its table 'Z_PRIMARYKEY' gives \(given) as the greatest key of '\(root)', which no app has given, so there may be "
          + "no keys for new rows"
      } else if let given {
        guard given < greatest else { continue }
        fact =
          "its table 'Z_PRIMARYKEY' gives \(given) as the greatest key of '\(root)', and there is a row \(greatest), so new "
          + "rows would get keys that are taken"
      } else {
        fact = "its table 'Z_PRIMARYKEY' has no greatest key (Z_MAX) for '\(root)', so new rows would get none"
      }
      faults.append(
        SchemaFault(
          .lowGreatestKey, table: table.name, fact: fact,
          remedy:
            "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT ifnull(max(Z_PK), 0) FROM \(name)) WHERE Z_ENT = \(number);"))
    }
    return faults
  }
}
